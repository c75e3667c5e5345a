// The transforms of Winograd's convolution F(m x m, 3 x 3).
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/WinogradTransform.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

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
  // The pairs of points 1, -1 and 2, -2 share their even and odd parts.
  Value even1 = axpy(-4, x[2], x[4]), odd1 = axpy(-4, x[1], x[3]);
  Value even2 = sub(x[4], x[2]), odd2 = sub(x[3], x[1]);
  return {axpy(4, x[0], axpy(-5, x[2], x[4])),
          add(even1, odd1),
          sub(even1, odd1),
          axpy(2, odd2, even2),
          axpy(-2, odd2, even2),
          axpy(4, x[1], axpy(-5, x[3], x[5]))};
}

SmallVector<Value> WinogradTransform::filter(ArrayRef<Value> g) {
  Value ends = add(g[0], g[2]);
  if (tile == 2)
    return {g[0], scale(add(ends, g[1]), 0.5), scale(sub(ends, g[1]), 0.5),
            g[2]};
  Value even = axpy(4, g[2], g[0]), odd = scale(g[1], 2);
  return {scale(g[0], 1.0 / 4),
          scale(add(ends, g[1]), -1.0 / 6),
          scale(sub(ends, g[1]), -1.0 / 6),
          scale(add(even, odd), 1.0 / 24),
          scale(sub(even, odd), 1.0 / 24),
          g[2]};
}

SmallVector<Value> WinogradTransform::output(ArrayRef<Value> y) {
  if (tile == 2)
    return {add(add(y[0], y[1]), y[2]), sub(sub(y[1], y[2]), y[3])};
  Value sum1 = add(y[1], y[2]), difference1 = sub(y[1], y[2]);
  Value sum2 = add(y[3], y[4]), difference2 = sub(y[3], y[4]);
  return {add(add(y[0], sum1), sum2), axpy(2, difference2, difference1),
          axpy(4, sum2, sum1), add(axpy(8, difference2, difference1), y[5])};
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
