// The template of matrix products.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_GEMM_H
#define ATC_CODEGEN_CPU_GEMM_H

#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// graph.matmul with pointwise ops around it. A constant right operand is
/// packed at compile time into panels [N / width][K][width]; others are read in
/// place where rows of N are contiguous, else packed block by block into
/// scratch. The left operand is read by broadcasts from any strided view; other
/// element types than the accumulator's, and computed operands, are copied to
/// scratch row tile by row tile.
class GemmTemplate final : public Template {
public:
  StringRef getName() const override { return "gemm"; }
  void addCandidates(graph::KernelOp kernel, const CpuDescription &cpu,
                     SmallVectorImpl<KernelCandidate> &candidates,
                     std::string &reason) const override;
  FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel, StringRef candidate,
            const CpuDescription &cpu) const override;
  LogicalResult lower(func::FuncOp kernel,
                      const CpuDescription &cpu) const override;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_GEMM_H
