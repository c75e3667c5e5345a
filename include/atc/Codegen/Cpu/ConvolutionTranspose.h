// The template of transposed convolutions.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_CONVOLUTIONTRANSPOSE_H
#define ATC_CODEGEN_CPU_CONVOLUTIONTRANSPOSE_H

#include "atc/Codegen/Cpu/Template.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::atc::cpu {

/// Rewrites a transposed convolution whose windows neither overlap nor leave
/// gaps (kernel and stride are equal, nothing is cut off) to a convolution of
/// single pixels, whose results are put side by side as they are stored. One
/// product then reads each pixel once, and its columns are the window's
/// elements: with few channels they fill vectors that phases would not.
LogicalResult rewriteTransposedPatches(RewriterBase &rewriter,
                                       graph::KernelOp kernel);

/// graph.conv_transpose with pointwise ops behind it. Points of the result
/// whose coordinates, with the padding, agree modulo the strides (a phase) take
/// the same taps of the kernel, so that each phase is a convolution with stride
/// one over the input, and an implicit matrix product as such. Nothing is added
/// up in memory and no point is visited twice.
class ConvolutionTransposeTemplate final : public Template {
public:
  StringRef getName() const override { return "convolution_transpose"; }
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

#endif // ATC_CODEGEN_CPU_CONVOLUTIONTRANSPOSE_H
