// The transforms of Winograd's convolution F(m x m, 3 x 3).
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/WinogradTransform.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// The points of F(4x4, 3x3) beside 0: plus and minus these two.
static constexpr double root = 1.41421356237309504880;
static constexpr double halfRoot = root / 2;

Value WinogradTransform::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(b.builder, b.loc, lhs, rhs);
}

Value WinogradTransform::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(b.builder, b.loc, lhs, rhs);
}

Value WinogradTransform::scale(Value x, double factor) {
  return arith::MulFOp::create(b.builder, b.loc, x,
                               b.splat(x.getType(), factor));
}

Value WinogradTransform::axpy(double factor, Value x, Value y) {
  return multiplyAdd(b, b.splat(x.getType(), factor), x, y);
}

SmallVector<Value> WinogradTransform::input(ArrayRef<Value> x) {
  if (tile == 2)
    return {sub(x[0], x[2]), add(x[1], x[2]), sub(x[2], x[1]), sub(x[1], x[3])};
  // A pair of points p, -p shares its even and odd parts.
  Value even1 = axpy(-2, x[2], x[4]), odd1 = axpy(-2, x[1], x[3]);
  Value even2 = axpy(-0.5, x[2], x[4]), odd2 = axpy(-0.5, x[1], x[3]);
  return {axpy(-2.5, x[2], add(x[0], x[4])), axpy(halfRoot, odd1, even1),
          axpy(-halfRoot, odd1, even1),      axpy(root, odd2, even2),
          axpy(-root, odd2, even2),          axpy(-2.5, x[3], add(x[1], x[5]))};
}

SmallVector<Value> WinogradTransform::filter(ArrayRef<Value> g) {
  if (tile == 2) {
    // A quarter, where a half is customary, keeps frequencies in the range of
    // the taps: a float16 holds them too. `output` makes up for it, exactly.
    Value ends = add(g[0], g[2]);
    return {g[0], scale(add(ends, g[1]), 0.25), scale(sub(ends, g[1]), 0.25),
            g[2]};
  }
  Value even1 = axpy(0.5, g[2], g[0]), odd1 = scale(g[1], halfRoot);
  Value even2 = axpy(2, g[2], g[0]), odd2 = scale(g[1], root);
  return {g[0],
          scale(add(even1, odd1), -2.0 / 3),
          scale(sub(even1, odd1), -2.0 / 3),
          scale(add(even2, odd2), 1.0 / 6),
          scale(sub(even2, odd2), 1.0 / 6),
          g[2]};
}

SmallVector<Value> WinogradTransform::output(ArrayRef<Value> y) {
  if (tile == 2)
    return {axpy(2, add(y[1], y[2]), y[0]),
            sub(scale(sub(y[1], y[2]), 2), y[3])};
  Value sum1 = add(y[1], y[2]), difference1 = sub(y[1], y[2]);
  Value sum2 = add(y[3], y[4]), difference2 = sub(y[3], y[4]);
  // The powers of the second pair are 2, 4 and 8 times those of the first.
  return {add(y[0], add(sum1, sum2)),
          scale(axpy(2, difference2, difference1), halfRoot),
          scale(axpy(4, sum2, sum1), 0.5),
          axpy(0.5 * halfRoot, axpy(8, difference2, difference1), y[5])};
}

SmallVector<Value> WinogradTransform::apply(
    ArrayRef<Value> square, int64_t n,
    function_ref<SmallVector<Value>(ArrayRef<Value>)> transform) {
  SmallVector<SmallVector<Value>> columns;
  for (int64_t column = 0; column < n; ++column) {
    SmallVector<Value> values;
    for (int64_t row = 0; row < n; ++row)
      values.push_back(square[row * n + column]);
    columns.push_back(transform(values));
  }
  SmallVector<Value> result;
  for (size_t row = 0; row < columns.front().size(); ++row) {
    SmallVector<Value> values;
    for (ArrayRef<Value> column : columns)
      values.push_back(column[row]);
    llvm::append_range(result, transform(values));
  }
  return result;
}
