// The template of pooling.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_POOLING_H
#define ATC_CODEGEN_CPU_POOLING_H

#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// graph.max_pool and graph.avg_pool with pointwise ops around them, any
/// spatial rank. A window is cut to the tensor before it is walked, so that
/// padding has no value: neither halos nor identities are read. Vectors hold
/// channels where these are innermost; with few channels any layout will do and
/// elements go one by one.
class PoolingTemplate final : public Template {
public:
  StringRef getName() const override { return "pooling"; }
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

#endif // ATC_CODEGEN_CPU_POOLING_H
