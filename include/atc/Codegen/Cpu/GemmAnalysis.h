// What the gemm template knows of a kernel from its types.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_GEMMANALYSIS_H
#define ATC_CODEGEN_CPU_GEMMANALYSIS_H

#include "atc/Codegen/Cpu/AnchoredKernel.h"
#include "atc/Codegen/Cpu/GemmTiling.h"

namespace mlir::atc::cpu {

/// A matmul kernel, its matrices found in the operands' dims.
struct GemmAnalysis {
  AnchoredKernel region;
  Value left, right, result;
  /// What sums are kept in.
  Type accumulator;
  GemmShape shape;
  /// Dims of rows, columns and k in the operands.
  unsigned leftRow, leftDepth, rightDepth, rightColumn;
  /// The right operand differs between products of a batch; otherwise all
  /// products are one with more rows.
  bool batched = false;

  static std::optional<GemmAnalysis> analyze(Block &block, std::string &reason);

  /// The layout of a constant right operand: panels of `width` columns.
  ::atc::PhysicalLayout panelLayout(int64_t width) const;
  /// Whether the right operand's type has such a layout.
  bool isRightPacked() const;
  /// Whether the right operand must be packed while the kernel runs.
  bool copiesRight(const CpuDescription &cpu) const;
  /// Whether rows of the left operand must be copied, because they are computed
  /// or have another type.
  bool copiesLeft() const;
};

/// Where a matrix product's blocks lie in scratch memory, in bytes.
struct GemmScratch {
  int64_t partial = 0, left = 0, right = 0;
  int64_t bytes = 0;

  static GemmScratch plan(const GemmTiling &tiling, Type accumulator,
                          bool hasPartial, bool copiesLeft, bool copiesRight);
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_GEMMANALYSIS_H
