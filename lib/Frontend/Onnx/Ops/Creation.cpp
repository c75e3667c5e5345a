// Constants and tensors made from sizes.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

template <typename T>
Value buildList(NodeBinder &node, ArrayRef<T> values, Type elementType,
                bool isScalar) {
  SmallVector<int64_t> shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(values.size()));
  return node.constant(DenseElementsAttr::get(
      RankedTensorType::get(shape, elementType), values));
}

/// The form of a constant is the attribute that is there.
void importConstant(NodeBinder &node) {
  Builder &builder = node.getBuilder();
  // Early files put a sparse tensor under the name of the dense one.
  if (node.hasAttribute("value") && node.isSparse("value"))
    return node.unsupported("a sparse constant");
  if (const ::onnx::TensorProto *tensor = node.tensor("value"))
    return node.result(0, node.tensorConstant(*tensor, node.getOutputName(0)));
  if (node.hasAttribute("value_float")) {
    float value = node.real("value_float", 0.0);
    return node.result(0, buildList<float>(node, value, builder.getF32Type(),
                                           /*isScalar=*/true));
  }
  if (node.hasAttribute("value_int")) {
    int64_t value = node.integer("value_int", 0);
    return node.result(0, buildList<int64_t>(node, value, builder.getI64Type(),
                                             /*isScalar=*/true));
  }
  if (std::optional<SmallVector<double>> values = node.reals("value_floats")) {
    SmallVector<float> narrow(values->begin(), values->end());
    return node.result(0, buildList<float>(node, narrow, builder.getF32Type(),
                                           /*isScalar=*/false));
  }
  if (std::optional<SmallVector<int64_t>> values = node.integers("value_ints"))
    return node.result(0,
                       buildList<int64_t>(node, *values, builder.getI64Type(),
                                          /*isScalar=*/false));
  for (StringRef name : {"value_string", "value_strings", "sparse_value"})
    if (node.hasAttribute(name))
      return node.unsupported("attribute '" + Twine(name) + "'");
  node.invalid("the value is missing");
}

//===----------------------------------------------------------------------===//
// From sizes
//===----------------------------------------------------------------------===//

void importConstantOfShape(NodeBinder &node) {
  Value shape = node.input(0);
  Value value;
  if (const ::onnx::TensorProto *tensor = node.tensor("value"))
    value = node.tensorConstant(*tensor, node.getOutputName(0));
  else
    value = node.scalar(0.0, node.getBuilder().getF32Type());
  RankedTensorType type = node.rankedType(value);
  if (!node.ok())
    return;
  if (type.getNumElements() != 1)
    return node.invalid("the value is not one element");
  DenseElementsAttr attr;
  std::optional<SmallVector<int64_t>> known = node.knownIntegers(shape);
  if (known && matchPattern(value, m_Constant(&attr)) &&
      llvm::all_of(*known, [](int64_t size) { return size >= 0; }))
    return node.result(0,
                       node.constant(DenseElementsAttr::get(
                           RankedTensorType::get(*known, type.getElementType()),
                           attr.getSplatValue<Attribute>())));
  node.result(0,
              node.expandTo(node.reshape(value, ArrayRef<int64_t>()), shape));
}

/// True where column - row relates to `offset` as asked, for the last two dims
/// of `x`: shape [rows, columns].
Value buildDiagonalMask(NodeBinder &node, Value x, Value offset,
                        graph::ComparePredicate predicate) {
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return {};
  int64_t rank = type.getRank();
  if (rank < 2) {
    node.invalid("input of rank " + Twine(rank));
    return {};
  }
  auto count = [&](int64_t axis) {
    Value size =
        node.reshape(node.sizes(x, axis, axis + 1), ArrayRef<int64_t>());
    Type i64 = node.getBuilder().getI64Type();
    return node.create<graph::RangeOp>(node.scalar(0.0, i64), size,
                                       node.scalar(1.0, i64));
  };
  Value rows = node.unsqueeze(count(rank - 2), {1});
  Value columns = count(rank - 1);
  return node.create<graph::CompareOp>(predicate, columns,
                                       node.create<graph::AddOp>(rows, offset));
}

void importEyeLike(NodeBinder &node) {
  Value x = node.input(0);
  Type i64 = node.getBuilder().getI64Type();
  Value offset = node.scalar(node.integer("k", 0), i64);
  Type type = x ? getElementTypeOrSelf(x.getType()) : Type();
  if (node.hasAttribute("dtype")) {
    int64_t code = node.requiredInteger("dtype");
    type = getElementType(node.getContext(), static_cast<int>(code));
    if (!type)
      node.unsupported("element type " + Twine(code));
  }
  Value mask = buildDiagonalMask(node, x, offset, graph::ComparePredicate::eq);
  if (node.ok())
    node.result(0, node.cast(mask, type));
}

/// The upper or lower triangle, the rest zero.
void importTrilu(NodeBinder &node) {
  Value x = node.input(0);
  bool upper = node.boolean("upper", true);
  Type i64 = node.getBuilder().getI64Type();
  Value offset = node.optionalInput(1);
  offset = offset ? node.reshape(offset, ArrayRef<int64_t>())
                  : node.scalar(0.0, i64);
  Value mask = buildDiagonalMask(node, x, offset,
                                 upper ? graph::ComparePredicate::ge
                                       : graph::ComparePredicate::le);
  node.result(0,
              node.create<graph::SelectOp>(mask, x, node.scalarLike(0.0, x)));
}

//===----------------------------------------------------------------------===//
// Windows of signal processing
//===----------------------------------------------------------------------===//

/// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), in double precision.
void buildWindow(NodeBinder &node, double a0, double a1, double a2) {
  Builder &builder = node.getBuilder();
  Value size = node.input(0);
  bool periodic = node.boolean("periodic", true);
  int64_t code = node.integer("output_datatype", 1);
  if (!node.ok())
    return;
  Type type = getElementType(node.getContext(), static_cast<int>(code));
  if (!type)
    return node.unsupported("element type " + Twine(code));
  Type i64 = builder.getI64Type(), f64 = builder.getF64Type();
  size = node.reshape(node.cast(size, i64), ArrayRef<int64_t>());
  Value number =
      node.cast(node.create<graph::RangeOp>(node.scalar(0.0, i64), size,
                                            node.scalar(1.0, i64)),
                f64);
  Value period = node.cast(size, f64);
  if (!periodic)
    period = node.create<graph::SubOp>(period, node.scalar(1.0, f64));
  constexpr double kTurn = 6.283185307179586;
  Value angle = node.create<graph::DivOp>(
      node.create<graph::MulOp>(number, node.scalar(kTurn, f64)), period);
  auto wave = [&](double factor, double amplitude) -> Value {
    Value turned = node.create<graph::MulOp>(angle, node.scalar(factor, f64));
    return node.create<graph::MulOp>(node.create<graph::CosOp>(turned),
                                     node.scalar(amplitude, f64));
  };
  Value window = node.create<graph::SubOp>(node.scalar(a0, f64), wave(1, a1));
  if (a2 != 0)
    window = node.create<graph::AddOp>(window, wave(2, a2));
  node.result(0, node.cast(window, type));
}

void importBlackmanWindow(NodeBinder &node) {
  buildWindow(node, 0.42, 0.5, 0.08);
}

void importHammingWindow(NodeBinder &node) {
  buildWindow(node, 25.0 / 46, 21.0 / 46, 0);
}

void importHannWindow(NodeBinder &node) { buildWindow(node, 0.5, 0.5, 0); }

} // namespace

void registerCreationOps(OpTable &table) {
  table.on("BlackmanWindow", {17}, importBlackmanWindow);
  table.on("Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, importConstant);
  table.on("ConstantOfShape", {9, 20, 21, 23, 24, 25}, importConstantOfShape);
  table.on("EyeLike", {9, 22}, importEyeLike);
  table.on("HammingWindow", {17}, importHammingWindow);
  table.on("HannWindow", {17}, importHannWindow);
  table.on("Trilu", {14}, importTrilu);
}

} // namespace mlir::atc::onnx
