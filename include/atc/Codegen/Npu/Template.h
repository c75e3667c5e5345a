// A template: the code of one class of kernels on an NPU.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_NPU_TEMPLATE_H
#define ATC_CODEGEN_NPU_TEMPLATE_H

#include "atc/Isa/Device.h"
#include "atc/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::atc::npu {

/// Builds the code of kernels around one kind of anchor. A template is
/// stateless; what `configure` decided stands in the kernel's configuration,
/// and `lower` only carries it out.
class Template {
public:
  virtual ~Template();

  /// The name in `#graph.config<template = ...>`.
  virtual StringRef getName() const = 0;

  /// Whether the ops of a region could become one kernel: `op` joins what
  /// leads from `anchor` to it.
  virtual bool canFuse(Operation *anchor, Operation *op, FusionRole role,
                       const ::atc::isa::DeviceRecord &device) const = 0;

  /// Adds the ways in which this template can carry out the region. A region
  /// that it could nearly take gets a `reason`, for a user.
  virtual void addCandidates(graph::KernelOp kernel,
                             const ::atc::isa::DeviceRecord &device,
                             SmallVectorImpl<KernelCandidate> &candidates,
                             std::string &reason) const = 0;

  /// The configuration of a region whose operand and result types carry their
  /// final layouts.
  virtual FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel,
            const ::atc::isa::DeviceRecord &device) const = 0;

  /// Fills the launch of an outlined kernel. `kernel` holds the graph ops and
  /// the attribute `graph.config`; the caller erases it afterwards.
  virtual LogicalResult lower(func::FuncOp kernel,
                              const ::atc::isa::DeviceRecord &device) const = 0;
};

/// All templates, most specialised first.
ArrayRef<const Template *> getTemplates();

/// Null if unknown.
const Template *lookupTemplate(StringRef name);

/// Attribute of an outlined kernel: its configuration.
inline constexpr StringLiteral configAttrName = "graph.config";

} // namespace mlir::atc::npu

#endif // ATC_CODEGEN_NPU_TEMPLATE_H
