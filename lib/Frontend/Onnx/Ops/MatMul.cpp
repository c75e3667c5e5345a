// Matrix products.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

/// The product as NumPy's: a vector is a row on the left, a column on the
/// right, and the dim that this adds is dropped.
Value buildMatMul(NodeBinder &node, Value lhs, Value rhs) {
  RankedTensorType lhsType = node.rankedType(lhs);
  RankedTensorType rhsType = node.rankedType(rhs);
  if (!node.ok())
    return {};
  int64_t lhsRank = lhsType.getRank(), rhsRank = rhsType.getRank();
  if (lhsRank == 0 || rhsRank == 0) {
    node.invalid("a scalar is no matrix");
    return {};
  }
  if (lhsRank == 1)
    lhs = node.unsqueeze(lhs, {0});
  if (rhsRank == 1)
    rhs = node.unsqueeze(rhs, {1});
  Value product = node.create<graph::MatMulOp>(lhs, rhs, false, false);
  RankedTensorType type = node.rankedType(product);
  if (!node.ok())
    return {};
  SmallVector<int64_t> added;
  if (lhsRank == 1)
    added.push_back(type.getRank() - 2);
  if (rhsRank == 1)
    added.push_back(type.getRank() - 1);
  return added.empty() ? product : node.squeeze(product, added);
}

void importMatMul(NodeBinder &node) {
  Value lhs = node.input(0), rhs = node.input(1);
  node.result(0, buildMatMul(node, lhs, rhs));
}

/// value * factor, in the value's type.
Value scale(NodeBinder &node, Value value, double factor) {
  if (!node.ok() || factor == 1.0)
    return value;
  if (!isa<FloatType>(getElementTypeOrSelf(value.getType())) &&
      factor != static_cast<double>(static_cast<int64_t>(factor)))
    node.unsupported("a fractional factor of integers");
  return node.create<graph::MulOp>(value, node.scalarLike(factor, value));
}

/// alpha * A' B' + beta * C.
void importGemm(NodeBinder &node) {
  Value a = node.input(0), b = node.input(1);
  Value c = node.getVersion() < 11 ? node.input(2) : node.optionalInput(2);
  double alpha = node.real("alpha", 1.0), beta = node.real("beta", 1.0);
  bool transA = node.boolean("transA", false);
  bool transB = node.boolean("transB", false);
  RankedTensorType aType = node.rankedType(a), bType = node.rankedType(b);
  if (!node.ok())
    return;
  if (aType.getRank() != 2 || bType.getRank() != 2)
    return node.invalid("A and B must be matrices");
  Value product =
      scale(node, node.create<graph::MatMulOp>(a, b, transA, transB), alpha);
  if (c && beta != 0.0) {
    Value sum = node.create<graph::AddOp>(product, scale(node, c, beta));
    if (node.ok() && product.getType() != sum.getType() &&
        cast<ShapedType>(product.getType()).hasStaticShape())
      node.invalid("C does not broadcast to the product");
    product = sum;
  }
  node.result(0, product);
}

/// The operand as i32 without its zero point. A list of zero points belongs to
/// the rows of the left operand or to the columns of the right.
Value removeZeroPoint(NodeBinder &node, Value x, Value zeroPoint, bool isLhs) {
  Type i32 = node.getBuilder().getI32Type();
  x = node.cast(x, i32);
  zeroPoint = node.cast(zeroPoint, i32);
  RankedTensorType type = node.rankedType(zeroPoint);
  if (node.ok() && isLhs && type.getRank() == 1 && type.getDimSize(0) != 1)
    zeroPoint = node.unsqueeze(zeroPoint, {1});
  return node.create<graph::SubOp>(x, zeroPoint);
}

bool isZero(NodeBinder &node, Value zeroPoint) {
  if (!zeroPoint)
    return true;
  std::optional<SmallVector<int64_t>> known = node.knownIntegers(zeroPoint);
  return known && llvm::all_of(*known, [](int64_t n) { return n == 0; });
}

Value buildIntegerProduct(NodeBinder &node, Value a, Value b, Value aZero,
                          Value bZero) {
  if (!node.ok())
    return {};
  Type i32 = node.getBuilder().getI32Type();
  a = isZero(node, aZero) ? node.cast(a, i32)
                          : removeZeroPoint(node, a, aZero, true);
  b = isZero(node, bZero) ? node.cast(b, i32)
                          : removeZeroPoint(node, b, bZero, false);
  return buildMatMul(node, a, b);
}

void importMatMulInteger(NodeBinder &node) {
  Value a = node.input(0), b = node.input(1);
  node.result(0, buildIntegerProduct(node, a, b, node.optionalInput(2),
                                     node.optionalInput(3)));
}

/// The exact integer product, scaled to the result's scale.
void importQLinearMatMul(NodeBinder &node) {
  Value a = node.input(0), aScale = node.input(1), aZero = node.input(2);
  Value b = node.input(3), bScale = node.input(4), bZero = node.input(5);
  Value yScale = node.input(6), yZero = node.input(7);
  for (Value list : {aScale, bScale, yScale, yZero}) {
    RankedTensorType type = node.rankedType(list);
    if (node.ok() && type.getRank() != 0 && type.getNumElements() != 1)
      node.unsupported("scales per row or column");
  }
  Value product = buildIntegerProduct(node, a, b, aZero, bZero);
  if (!node.ok())
    return;
  Value real = node.cast(product, getElementTypeOrSelf(aScale.getType()));
  Value factor =
      node.create<graph::MulOp>(node.reshape(aScale, ArrayRef<int64_t>()),
                                node.reshape(bScale, ArrayRef<int64_t>()));
  node.result(0, node.create<graph::QuantizeOp>(
                     node.create<graph::MulOp>(real, factor),
                     node.reshape(yScale, ArrayRef<int64_t>()),
                     node.reshape(yZero, ArrayRef<int64_t>()), 0, 0, false));
}

} // namespace

void registerMatMulOps(OpTable &table) {
  table.on("Gemm", {7, 9, 11, 13}, importGemm);
  table.on("MatMul", {1, 9, 13}, importMatMul);
  table.on("MatMulInteger", {10}, importMatMulInteger);
  table.on("QLinearMatMul", {10, 21}, importQLinearMatMul);
}

} // namespace mlir::atc::onnx
