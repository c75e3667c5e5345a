// Element types and constants in the graph dialect.
// SPDX-License-Identifier: Apache-2.0
#include "Constants.h"
#include "atc/Target/ElementTypes.h"

#include "atc/Dialect/Graph/IR/Graph.h"
#include <cstring>

namespace mlir::atc::onnx {
namespace {

using ::atc::ElementType;

/// The elements of a type below eight bits, unpacked.
SmallVector<APInt> unpack(ArrayRef<char> bytes, unsigned bits, int64_t count) {
  SmallVector<APInt> values;
  unsigned perByte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    unsigned shift = (i % perByte) * bits;
    uint8_t byte = static_cast<uint8_t>(bytes[i / perByte]);
    values.emplace_back(bits, (byte >> shift) & ((1u << bits) - 1));
  }
  return values;
}

/// True if all elements have the same bytes.
bool isSplat(ArrayRef<char> bytes, size_t elementBytes) {
  return bytes.size() > elementBytes && elementBytes != 0 &&
         std::memcmp(bytes.data(), bytes.data() + elementBytes,
                     bytes.size() - elementBytes) == 0;
}

} // namespace

Type getElementType(MLIRContext *context, int onnxType) {
  std::optional<ElementType> type = ::atc::elementTypeFromOnnx(onnxType);
  return type ? mlir::atc::getElementType(context, *type) : Type();
}

DenseElementsAttr getSmallConstant(RankedTensorType type, ElementType element,
                                   ArrayRef<char> bytes) {
  unsigned bits = ::atc::elementTypeInfo(element).bits;
  bool splat = isSplat(bytes, bits / 8);
  if (splat)
    bytes = bytes.take_front(bits / 8);
  else if (static_cast<int64_t>(bytes.size()) >
           graph::ConstantOp::getSizeLimit())
    return {};
  if (element == ElementType::BOOL) {
    SmallVector<bool> values(bytes.begin(), bytes.end());
    return DenseElementsAttr::get(type, values);
  }
  if (bits >= 8)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<APInt> values = unpack(bytes, bits, type.getNumElements());
  auto floatType = dyn_cast<FloatType>(type.getElementType());
  if (!floatType)
    return DenseElementsAttr::get(type, values);
  SmallVector<APFloat> floats;
  for (const APInt &value : values)
    floats.emplace_back(floatType.getFloatSemantics(), value);
  return DenseElementsAttr::get(type, floats);
}

DenseElementsAttr getSplat(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(element)) {
    APFloat rounded(value);
    bool losesInfo;
    rounded.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    return DenseElementsAttr::get(type, rounded);
  }
  auto integerType = cast<IntegerType>(element);
  return DenseElementsAttr::get(
      type, APInt(integerType.getWidth(), static_cast<int64_t>(value),
                  /*isSigned=*/!integerType.isUnsigned(),
                  /*implicitTrunc=*/true));
}

ConstantBuilder::ConstantBuilder(func::FuncOp function, TensorReader &reader,
                                 graph::WeightStore &store)
    : function(function), reader(reader), store(store) {
  symbols.insert(function.getSymName());
}

std::string ConstantBuilder::makeSymbol(StringRef name) {
  std::string symbol = name.empty() ? "weight" : name.str();
  for (unsigned i = 1; !symbols.insert(symbol).second; ++i)
    symbol = (name + "_" + Twine(i)).str();
  return symbol;
}

::atc::Expected<Value> ConstantBuilder::build(OpBuilder &builder, Location loc,
                                              const ::onnx::TensorProto &tensor,
                                              StringRef name) {
  ::atc::Expected<TensorData> data = reader.read(tensor);
  if (!data)
    return data.status();
  auto type = RankedTensorType::get(
      data->shape, mlir::atc::getElementType(builder.getContext(), data->type));
  ArrayRef<char> bytes = reader.getBytes(*data);
  if (DenseElementsAttr attr = getSmallConstant(type, data->type, bytes))
    return Value(graph::ConstantOp::create(builder, loc, attr));

  if (auto *owned = std::get_if<std::vector<char>>(&data->data)) {
    uint64_t length = owned->size();
    data->data =
        graph::WeightRange{store.addBuffer(std::move(*owned)), 0, length};
  }
  auto range = std::get<graph::WeightRange>(data->data);
  // Before the function, in order of first use.
  OpBuilder moduleBuilder(function);
  std::string symbol = makeSymbol(name);
  graph::WeightDataOp::create(moduleBuilder, loc, symbol, type, range.source,
                              range.offset, range.length);
  return Value(graph::WeightOp::create(builder, loc, type, symbol));
}

} // namespace mlir::atc::onnx
