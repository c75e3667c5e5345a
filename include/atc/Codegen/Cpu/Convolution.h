// The template of convolutions.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_CONVOLUTION_H
#define ATC_CODEGEN_CPU_CONVOLUTION_H

#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// graph.conv as an implicit matrix product, with pointwise ops behind it: rows
/// are points of the result, columns output channels, k runs over the window.
/// Channels are innermost and the input carries a halo of zeros, so that no row
/// needs a copy: each is a base address, and the elements that one line of the
/// window covers are contiguous. Any spatial rank, stride, dilation and number
/// of groups.
class ConvolutionTemplate final : public Template {
public:
  StringRef getName() const override { return "convolution"; }
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

#endif // ATC_CODEGEN_CPU_CONVOLUTION_H
