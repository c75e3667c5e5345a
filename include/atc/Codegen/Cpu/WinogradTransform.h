// The transforms of Winograd's convolution F(m x m, 3 x 3).
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_WINOGRADTRANSFORM_H
#define ATC_CODEGEN_CPU_WINOGRADTRANSFORM_H

#include "atc/Codegen/Cpu/MicroKernel.h"

namespace mlir::atc::cpu {

/// The one-dimensional transforms after Lavin and Gray, Fast Algorithms for
/// Convolutional Neural Networks (2015), with interpolation points 0, 1, -1
/// and infinity (m = 2), or 0, sqrt(1/2), -sqrt(1/2), sqrt(2), -sqrt(2) and
/// infinity (m = 4). Of two pairs +-p, +-1/p the last have the smallest errors,
/// half those of the customary 1, 2, and cost no more operations. Applied to
/// rows and columns they give the two-dimensional transforms.
class WinogradTransform {
public:
  /// `tile` is m: 2 or 4.
  WinogradTransform(KernelBuilder &b, int64_t tile) : b(b), tile(tile) {}

  static bool supports(int64_t tile) { return tile == 2 || tile == 4; }
  /// Frequencies per dim.
  int64_t points() const { return tile + 2; }

  /// points() elements of the input to as many frequencies.
  SmallVector<Value> input(ArrayRef<Value> x);
  /// Three taps of the filter to points() frequencies.
  SmallVector<Value> filter(ArrayRef<Value> g);
  /// points() frequencies to m results.
  SmallVector<Value> output(ArrayRef<Value> y);

  /// Applies a transform to a square of n x n values, row by row: columns
  /// first, then rows.
  SmallVector<Value>
  apply(ArrayRef<Value> square, int64_t n,
        function_ref<SmallVector<Value>(ArrayRef<Value>)> transform);

private:
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value scale(Value x, double factor);
  /// factor * x + y.
  Value axpy(double factor, Value x, Value y);

  KernelBuilder &b;
  int64_t tile;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_WINOGRADTRANSFORM_H
