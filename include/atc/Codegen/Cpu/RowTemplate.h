// What templates over row nests have in common: matching and configuring.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_ROWTEMPLATE_H
#define ATC_CODEGEN_CPU_ROWTEMPLATE_H

#include "atc/Codegen/Cpu/RowLoops.h"
#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// The loops over all elements of `tensor`: those of `rowDims` form the row.
void splitDims(Value tensor, ArrayRef<int64_t> rowDims,
               SmallVectorImpl<IterationDim> &kept,
               SmallVectorImpl<IterationDim> &row);

/// Finds the one op of `block` that `isAnchor` accepts, checks that the others
/// are pointwise and that known sizes and layouts without tiles are used.
/// Null with a reason if the region does not have that form, without one if
/// there is no anchor.
Operation *findRowAnchor(Block &block, function_ref<bool(Operation *)> isAnchor,
                         std::string &reason);

/// A template whose kernels are one launch over a row nest.
class RowTemplate : public Template {
public:
  void addCandidates(graph::KernelOp kernel, const CpuDescription &cpu,
                     SmallVectorImpl<KernelCandidate> &candidates,
                     std::string &reason) const override;
  FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel, StringRef candidate,
            const CpuDescription &cpu) const override;
  LogicalResult lower(func::FuncOp kernel,
                      const CpuDescription &cpu) const override;

protected:
  /// The region as a row problem; nullopt with a reason if it is none.
  virtual std::optional<RowProblem> match(Block &block,
                                          std::string &reason) const = 0;
  /// Adjusts the nest and chooses its schedule.
  virtual RowSchedule schedule(RowNest &nest, const RowProblem &problem,
                               const CpuDescription &cpu) const = 0;
  /// Changes that `schedule` makes to the nest, again for lowering.
  virtual void adjust(RowNest &nest) const {}
  /// Bytes of scratch memory per thread.
  virtual int64_t scratchBytes(const RowNest &nest, const RowProblem &problem,
                               const RowSchedule &schedule) const {
    return 0;
  }
  /// Cycles per vector and element besides memory, for the estimate.
  virtual double cyclesPerVector(const RowProblem &problem) const = 0;
  /// Fills the launch.
  virtual LogicalResult emit(KernelLaunch &launch, const RowProblem &problem,
                             const RowNest &nest, const RowSchedule &schedule,
                             RowLoops &loops) const = 0;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_ROWTEMPLATE_H
