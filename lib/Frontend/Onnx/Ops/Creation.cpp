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

} // namespace

void registerCreationOps(OpTable &table) {
  table.on("Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, importConstant);
  table.on("ConstantOfShape", {9, 20, 21, 23, 24, 25}, importConstantOfShape);
  table.on("EyeLike", {9, 22}, importEyeLike);
  table.on("Trilu", {14}, importTrilu);
}

} // namespace mlir::atc::onnx
