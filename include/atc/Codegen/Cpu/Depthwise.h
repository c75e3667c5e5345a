// The template of depthwise convolutions.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_DEPTHWISE_H
#define ATC_CODEGEN_CPU_DEPTHWISE_H

#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// graph.conv with one input and one output channel per group, channels
/// innermost: a vector holds channels, a register tile several points of the
/// result, so that elements and filter taps are loaded once for several
/// products. Any kernel, stride and dilation; one to three spatial dims.
class DepthwiseTemplate final : public Template {
public:
  StringRef getName() const override { return "depthwise"; }
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

#endif // ATC_CODEGEN_CPU_DEPTHWISE_H
