// Convolutions by Winograd's method: the rewrite and its templates.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_WINOGRAD_H
#define ATC_CODEGEN_CPU_WINOGRAD_H

#include "atc/Codegen/Cpu/Template.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::atc::cpu {

/// Module attribute, a string: "auto" (as if absent), "f2" (only the more exact
/// F(2x2, 3x3)) or "off".
inline constexpr StringLiteral winogradAttrName = "graph.winograd";

/// Tiles that are transformed and multiplied together: enough rows to use each
/// element of the filter often, few enough for the second-level cache.
inline constexpr int64_t winogradBlockTiles = 64;

/// Rewrites a 3x3 convolution of a kernel to graph.conv_winograd, with a
/// graph.winograd_filter of its weight in front of the kernel, where that is
/// predicted to be clearly faster. Relative errors against exact arithmetic
/// grow from about 2e-7 to 3e-7 (F2) or 3e-6 (F4). Convolutions of float16 go
/// by F2 alone, whose transformed filter is rounded to float16 as its taps
/// were.
LogicalResult rewriteToWinograd(RewriterBase &rewriter, graph::KernelOp kernel,
                                const CpuDescription &cpu);

/// graph.conv_winograd with pointwise ops behind it. A block of tiles of the
/// input is transformed into scratch, multiplied by the filter in each of the
/// (tile + 2)^2 frequencies, transformed back and stored. A last tile that
/// would stick out starts earlier and computes some points again.
class WinogradTemplate final : public Template {
public:
  StringRef getName() const override { return "winograd"; }
  void addCandidates(graph::KernelOp kernel, const CpuDescription &cpu,
                     SmallVectorImpl<KernelCandidate> &candidates,
                     std::string &reason) const override;
  FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel, StringRef candidate,
            const CpuDescription &cpu) const override;
  LogicalResult lower(func::FuncOp kernel,
                      const CpuDescription &cpu) const override;
};

/// graph.winograd_filter, which runs while compiling; in double precision.
class WinogradFilterTemplate final : public Template {
public:
  StringRef getName() const override { return "winograd_filter"; }
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

#endif // ATC_CODEGEN_CPU_WINOGRAD_H
