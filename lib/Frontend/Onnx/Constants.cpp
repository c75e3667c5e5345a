// Element types and constants in the graph dialect.
// SPDX-License-Identifier: Apache-2.0
#include "Constants.h"

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

Type getElementType(MLIRContext *context, ElementType type) {
  Builder builder(context);
  switch (type) {
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::F64:
    return builder.getF64Type();
  case ElementType::I8:
    return builder.getI8Type();
  case ElementType::I16:
    return builder.getIntegerType(16);
  case ElementType::I32:
    return builder.getI32Type();
  case ElementType::I64:
    return builder.getI64Type();
  case ElementType::U8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case ElementType::U16:
    return builder.getIntegerType(16, /*isSigned=*/false);
  case ElementType::U32:
    return builder.getIntegerType(32, /*isSigned=*/false);
  case ElementType::U64:
    return builder.getIntegerType(64, /*isSigned=*/false);
  case ElementType::BOOL:
    return builder.getI1Type();
  case ElementType::STRING:
    return graph::StringType::get(context);
  case ElementType::C64:
    return ComplexType::get(builder.getF32Type());
  case ElementType::C128:
    return ComplexType::get(builder.getF64Type());
  case ElementType::I4:
    return builder.getIntegerType(4);
  case ElementType::U4:
    return builder.getIntegerType(4, /*isSigned=*/false);
  case ElementType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementType::F4E2M1:
    return Float4E2M1FNType::get(context);
  }
  llvm_unreachable("covered switch");
}

Type getElementType(MLIRContext *context, int onnxType) {
  std::optional<ElementType> type = ::atc::elementTypeFromOnnx(onnxType);
  return type ? getElementType(context, *type) : Type();
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
      data->shape, getElementType(builder.getContext(), data->type));
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
