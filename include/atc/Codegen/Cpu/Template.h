// A template: the code of one class of kernels on a CPU.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_TEMPLATE_H
#define ATC_CODEGEN_CPU_TEMPLATE_H

#include "atc/Target/CpuDescription.h"
#include "atc/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::atc::cpu {

/// Builds the code of kernels around one kind of anchor. A template is
/// stateless; what `configure` decided stands in the kernel's configuration,
/// and `lower` only carries it out.
class Template {
public:
  virtual ~Template();

  /// The name in `#graph.config<template = ...>`.
  virtual StringRef getName() const = 0;

  /// Adds the ways in which this template can carry out the region (usually
  /// none or one). A region that it could nearly take gets a `reason`, for a
  /// user.
  virtual void addCandidates(graph::KernelOp kernel, const CpuDescription &cpu,
                             SmallVectorImpl<KernelCandidate> &candidates,
                             std::string &reason) const = 0;

  /// The configuration of a region whose operand and result types carry their
  /// final layouts.
  virtual FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel, StringRef candidate,
            const CpuDescription &cpu) const = 0;

  /// Fills the launches of an outlined kernel. `kernel` holds the graph ops and
  /// the attribute `graph.config`; the caller erases it afterwards. Use
  /// LaunchBuilder (KernelLaunch.h) to make each launch.
  virtual LogicalResult lower(func::FuncOp kernel,
                              const CpuDescription &cpu) const = 0;
};

/// All templates, most specialised first.
ArrayRef<const Template *> getTemplates();

/// Null if unknown.
const Template *lookupTemplate(StringRef name);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_TEMPLATE_H
