// Index arithmetic that folds constants while code is built.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Common/IndexBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::atc;

OpFoldResult IndexBuilder::constant(int64_t value) {
  return builder.getIndexAttr(value);
}

std::optional<int64_t> IndexBuilder::getConstant(OpFoldResult index) {
  return getConstantIntValue(index);
}

bool IndexBuilder::isConstant(OpFoldResult index, int64_t value) {
  return getConstantIntValue(index) == value;
}

Value IndexBuilder::value(OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(builder, loc, index);
}

Value IndexBuilder::value(int64_t constant) {
  return arith::ConstantIndexOp::create(builder, loc, constant);
}

OpFoldResult IndexBuilder::add(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstant(lhs), right = getConstant(rhs);
  if (left && right)
    return constant(*left + *right);
  if (left == 0)
    return rhs;
  if (right == 0)
    return lhs;
  return arith::AddIOp::create(builder, loc, value(lhs), value(rhs),
                               arith::IntegerOverflowFlags::nsw)
      .getResult();
}

OpFoldResult IndexBuilder::add(OpFoldResult lhs, int64_t rhs) {
  return add(lhs, constant(rhs));
}

OpFoldResult IndexBuilder::sub(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstant(lhs), right = getConstant(rhs);
  if (left && right)
    return constant(*left - *right);
  if (right == 0)
    return lhs;
  if (lhs == rhs)
    return constant(0);
  return arith::SubIOp::create(builder, loc, value(lhs), value(rhs),
                               arith::IntegerOverflowFlags::nsw)
      .getResult();
}

OpFoldResult IndexBuilder::mul(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstant(lhs), right = getConstant(rhs);
  if (left && right)
    return constant(*left * *right);
  if (left == 0 || right == 0)
    return constant(0);
  if (left == 1)
    return rhs;
  if (right == 1)
    return lhs;
  return arith::MulIOp::create(builder, loc, value(lhs), value(rhs),
                               arith::IntegerOverflowFlags::nsw)
      .getResult();
}

OpFoldResult IndexBuilder::mul(OpFoldResult lhs, int64_t rhs) {
  return mul(lhs, constant(rhs));
}

OpFoldResult IndexBuilder::div(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstant(lhs), right = getConstant(rhs);
  if (left && right && *right > 0)
    return constant(*left / *right);
  if (right == 1 || left == 0)
    return lhs;
  return arith::DivUIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::div(OpFoldResult lhs, int64_t rhs) {
  return div(lhs, constant(rhs));
}

OpFoldResult IndexBuilder::rem(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstant(lhs), right = getConstant(rhs);
  if (left && right && *right > 0)
    return constant(*left % *right);
  if (right == 1 || left == 0)
    return constant(0);
  return arith::RemUIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::rem(OpFoldResult lhs, int64_t rhs) {
  return rem(lhs, constant(rhs));
}

OpFoldResult IndexBuilder::ceilDiv(OpFoldResult lhs, int64_t rhs) {
  return div(add(lhs, rhs - 1), rhs);
}

OpFoldResult IndexBuilder::min(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstant(lhs), right = getConstant(rhs);
  if (left && right)
    return constant(std::min(*left, *right));
  if (lhs == rhs)
    return lhs;
  return arith::MinSIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::max(OpFoldResult lhs, OpFoldResult rhs) {
  std::optional<int64_t> left = getConstant(lhs), right = getConstant(rhs);
  if (left && right)
    return constant(std::max(*left, *right));
  if (lhs == rhs)
    return lhs;
  return arith::MaxSIOp::create(builder, loc, value(lhs), value(rhs))
      .getResult();
}

OpFoldResult IndexBuilder::dot(ArrayRef<OpFoldResult> lhs,
                               ArrayRef<OpFoldResult> rhs) {
  OpFoldResult sum = constant(0);
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    sum = add(sum, mul(left, right));
  return sum;
}

OpFoldResult IndexBuilder::product(ArrayRef<OpFoldResult> factors) {
  OpFoldResult result = constant(1);
  for (OpFoldResult factor : factors)
    result = mul(result, factor);
  return result;
}

SmallVector<OpFoldResult>
IndexBuilder::delinearize(OpFoldResult linear, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    // The outermost index needs no remainder: `linear` is in range.
    bool outermost = llvm::all_of(sizes.take_front(i), [](OpFoldResult size) {
      return isConstant(size, 1);
    });
    if (outermost) {
      index[i] = linear;
      linear = constant(0);
      continue;
    }
    index[i] = rem(linear, sizes[i]);
    linear = div(linear, sizes[i]);
  }
  return index;
}

OpFoldResult IndexBuilder::linearize(ArrayRef<OpFoldResult> index,
                                     ArrayRef<OpFoldResult> sizes) {
  OpFoldResult linear = constant(0);
  for (auto [position, size] : llvm::zip_equal(index, sizes))
    linear = add(mul(linear, size), position);
  return linear;
}
