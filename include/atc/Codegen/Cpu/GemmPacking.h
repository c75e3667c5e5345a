// Copies operands of matrix products into the order that register tiles read.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_GEMMPACKING_H
#define ATC_CODEGEN_CPU_GEMMPACKING_H

#include "atc/Codegen/Cpu/AnchoredKernel.h"
#include "atc/Codegen/Cpu/GemmNest.h"

namespace mlir::atc::cpu {

/// Fills scratch from an operand of a matrix product, which may be any tensor
/// of the region: an argument or computed from some.
struct GemmPacking {
  KernelLaunch &launch;
  Value tensor;
  VectorType type;
  /// Dims of `tensor` that are the lines (rows of the left, columns of the
  /// right operand) and k.
  unsigned line, depth;

  /// Copies k = [begin, begin + steps) of one line to consecutive elements from
  /// `to` on, in whole vectors. `point` gives the other coordinates.
  LogicalResult copyLine(KernelBuilder &b, SmallVector<OpFoldResult> point,
                         OpFoldResult begin, OpFoldResult steps, Value buffer,
                         const Address &to) const;

  /// Copies the panel of lines [first, first + width), at most up to `lines`,
  /// as `steps` groups of `width` elements from `to` on. `view` is the
  /// tensor's, if it has one.
  LogicalResult copyPanel(KernelBuilder &b, SmallVector<OpFoldResult> point,
                          const std::optional<TensorView> &view,
                          OpFoldResult first, int64_t width, OpFoldResult lines,
                          OpFoldResult begin, OpFoldResult steps, Value buffer,
                          const Address &to) const;

private:
  LogicalResult copyLanes(KernelBuilder &b, SmallVector<OpFoldResult> point,
                          OpFoldResult first, OpFoldResult lines,
                          OpFoldResult begin, OpFoldResult steps, int64_t width,
                          Value buffer, const Address &to) const;
  void copyTransposed(KernelBuilder &b, SmallVector<OpFoldResult> point,
                      const TensorView &view, OpFoldResult first,
                      OpFoldResult lines, OpFoldResult begin,
                      OpFoldResult steps, int64_t width, Value buffer,
                      const Address &to) const;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_GEMMPACKING_H
