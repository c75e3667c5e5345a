// Passes that form kernels, choose how to carry them out, and outline them.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PASSES_KERNEL_PASSES_TD
#define ATC_PASSES_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckTensorsPass : Pass<"atc-check-tensors", "func::FuncOp"> {
  let summary = "Stop at tensors that no kernel can take";
  let description = [{
    Kernels are made for numbers, and for sizes that follow from those of the
    inputs, or that are static where the target wants it. Fails with every input
    that is refused; if there is none, with every op at which a refused tensor
    arises (its size depends on data). What follows from these is not listed.
  }];
}

def FuseKernelsPass : Pass<"atc-fuse-kernels", "func::FuncOp"> {
  let summary = "Grow ops into kernel regions";
  let description = [{
    Every computing op ends in exactly one `graph.kernel` region: prologue,
    anchor, epilogue, or a group of elementwise and movement ops without an
    anchor. Three rounds: expensive anchors (convolution, matmul, attention)
    take the elementwise ops behind them; cheaper anchors (pooling, reduction,
    normalization) take the ops before and behind them; the rest is grouped.
    An op joins a region if its index map allows it, the target agrees and no
    cycle arises.

    Ops that only rename elements (reshape, transpose) stay outside: the
    layouts that the next phase chooses turn them into views. So do a concat
    whose parts are computed by kernels that can write them where they stand,
    and a slice that is only read by such kernels (Target::followsPitch).

    Fails with all ops that the target cannot compute.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
  let options = [
    Option<"maxResults", "max-results", "unsigned", /*default=*/"4",
           "Most results of one kernel">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernels made">,
    Statistic<"numFused", "fused", "Number of ops that joined an anchor">
  ];
}

def OutlineKernelsPass : Pass<"atc-outline-kernels", "ModuleOp"> {
  let summary = "Move kernels into modules of their own, equal ones once";
  let description = [{
    Each distinct kernel (region, types with layouts, configuration) becomes a
    nested module with one function; `graph.launch` takes its place in the
    model's function. Locations and names do not make kernels distinct.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect",
                           "::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of distinct kernels">,
    Statistic<"numLaunches", "launches", "Number of launches">
  ];
}

def SelectKernelsPass : Pass<"atc-select-kernels", "func::FuncOp"> {
  let summary = "Choose a template, layouts and a configuration per kernel";
  let description = [{
    Asks the target for the ways to carry out each kernel, takes the cheapest,
    and settles one layout per tensor so that the least bytes are copied:

    1. walking backwards, each value collects the permutations that its readers
       want, weighted by bytes; transposes and reshapes pass wishes through;
    2. walking forwards, each producer takes the wish that costs least, given
       what its template allows and how its own operands lie;
    3. readers that need another layout get a `graph.relayout`, shared among
       readers with the same need; constants get theirs inside a recipe;
    4. a producer writes the halo that its readers need, where its template can.

    The runner-up of each kernel is a remark.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
  let statistics = [
    Statistic<"numRelayouts", "relayouts", "Number of layout changes inserted">
  ];
}

#endif // ATC_PASSES_KERNEL_PASSES_TD
