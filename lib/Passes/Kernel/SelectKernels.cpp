// Chooses a template, layouts and a configuration for every kernel.
// SPDX-License-Identifier: Apache-2.0
#include "LayoutAssignment.h"
#include "atc/Passes/Kernel/Passes.h"
#include "atc/Target/Services.h"

namespace mlir::atc {
#define GEN_PASS_DEF_SELECTKERNELSPASS
#include "atc/Passes/Kernel/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

static bool byCost(const KernelCandidate &lhs, const KernelCandidate &rhs) {
  return lhs.cost < rhs.cost;
}

namespace {

struct SelectKernels : mlir::atc::impl::SelectKernelsPassBase<SelectKernels> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    target = Services::getTarget(function->getParentOfType<ModuleOp>());
    if (!target || failed(choose(function)))
      return signalPassFailure();
    LayoutAssignment assignment(function, chosen);
    if (failed(assignment.run()))
      return signalPassFailure();
    numRelayouts += assignment.relayoutKernels.size();
    for (graph::KernelOp kernel : assignment.relayoutKernels)
      if (failed(chooseCheapest(kernel)))
        return signalPassFailure();
    for (graph::KernelOp kernel : function.getOps<graph::KernelOp>())
      if (failed(configure(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult choose(func::FuncOp function) {
    SmallVector<graph::KernelOp> kernels(function.getOps<graph::KernelOp>());
    IRRewriter rewriter(function.getContext());
    LogicalResult result = success();
    for (graph::KernelOp kernel : kernels) {
      rewriter.setInsertionPoint(kernel);
      if (failed(target->rewriteAnchor(rewriter, kernel)))
        result = failure();
    }
    // All failures are told at once.
    for (graph::KernelOp kernel : function.getOps<graph::KernelOp>())
      if (failed(chooseCheapest(kernel)))
        result = failure();
    return result;
  }

  LogicalResult chooseCheapest(graph::KernelOp kernel) {
    std::string reason;
    SmallVector<KernelCandidate> candidates =
        target->candidates(kernel, reason);
    if (candidates.empty())
      return kernel.emitOpError("has no template on ")
             << target->getName() << ": " << reason;
    // The first of equals stays first.
    auto best = llvm::min_element(candidates, byCost);
    std::rotate(candidates.begin(), best, std::next(best));
    if (candidates.size() > 2)
      std::iter_swap(
          candidates.begin() + 1,
          std::min_element(candidates.begin() + 1, candidates.end(), byCost));
    {
      auto remark = remark::passed(
          kernel.getLoc(),
          remark::RemarkOpts::name("template").category("select"));
      remark << candidates.front().name;
      if (candidates.size() > 1)
        remark << llvm::formatv(
                      " before {0}, predicted {1:f0} against {2:f0} ns",
                      candidates[1].name, candidates.front().cost,
                      candidates[1].cost)
                      .str();
    }
    chosen[kernel] = std::move(candidates.front());
    return success();
  }

  LogicalResult configure(graph::KernelOp kernel) {
    FailureOr<graph::ConfigAttr> config =
        target->configure(kernel, chosen.find(kernel)->second.name);
    if (failed(config))
      return failure();
    kernel.setConfigAttr(*config);
    return success();
  }

  const Target *target = nullptr;
  DenseMap<Operation *, KernelCandidate> chosen;
};

} // namespace
