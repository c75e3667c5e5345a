// Passes that place tensors in memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PASSES_MEMORY_PASSES_TD
#define ATC_PASSES_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def BuildProgramPass : Pass<"atc-build-program", "ModuleOp"> {
  let summary = "Write the plan of each function";
  let description = [{
    Adds for each function a `plan.program` of its name and `.plan` that does the
    same, with a buffer for each group of tensors that share memory:

    - a returned tensor is computed in its output's memory, an input is read
      where it is;
    - the operands of a concat are computed in slices of its result, reshapes,
      transposes and slices are views, wherever strides can say it;
    - a result overwrites an operand that nobody reads any more, where the
      kernel's configuration allows it.

    What remains is a `plan.copy`, reported as a missed remark. A kernel whose
    operand or result lies inside a larger tensor is cloned with the strides as
    attributes; equal uses share the clone. Halos are zeroed before the first
    write. The function stays: it is the readable graph of the model.

    Sizes may be open if they follow from those of the inputs: then `plan.dim`
    binds the inputs' dims, the function's scalars and checks stand behind them,
    and bytes, sizes, strides, tiles and estimates are scalars too. Memory is
    shared only where that is right for all sizes. A kernel computes the strides
    of tensors of open size itself, so these have the strides of their layouts.

    ```mlir
    func.func @main(%x: tensor<1x8xf32> {graph.name = "x"})
        -> (tensor<1x8xf32> {graph.name = "y"}) {
      %y = graph.launch @relu_0(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
      return %y : tensor<1x8xf32>
    }
    // gives
    plan.program @main.plan {
      %x = plan.input 0 "x" : !plan.view<1x8xf32>
      %y = plan.output 0 "y" : !plan.view<1x8xf32>
      %0 = plan.view %x[0] : !plan.buffer<input> -> !plan.view<1x8xf32>
      %1 = plan.view %y[0] : !plan.buffer<output> -> !plan.view<1x8xf32>
      plan.launch @relu_0[0] (read %0 : !plan.view<1x8xf32>,
                              write %1 : !plan.view<1x8xf32>)
          tiles 1 scratch 0
    }
    ```
  }];
  let dependentDialects = ["::mlir::atc::plan::PlanDialect"];
  let statistics = [
    Statistic<"numCopies", "copies", "Number of copies">,
    Statistic<"numClones", "clones", "Number of kernels cloned for strides">
  ];
}

def ElideHalosPass : Pass<"atc-elide-halos", "ModuleOp"> {
  let summary = "Drop the zeroing of halos that stay zero";
  let description = [{
    The arena is zero when a session starts. A halo whose bytes belong to no
    other buffer, or only to buffers with the same halo at the same place, is
    never written after that: its `plan.zero_halo` goes. Runs after
    `atc-place-buffers`.
  }];
  let statistics = [
    Statistic<"numElided", "elided", "Number of zeroings dropped">
  ];
}

def PlaceBuffersPass : Pass<"atc-place-buffers", "ModuleOp"> {
  let summary = "Give arena buffers their offsets";
  let description = [{
    A buffer lives from the first to the last instruction that touches a view
    of it. A buffer defined outside a loop and used inside lives through all of
    the loop. Offsets come from the arena planner, the same that the runtime
    uses for shapes that are known late. Sets `arena` and `lower_bound` of the
    program and reports them as a remark.
  }];
}

#endif // ATC_PASSES_MEMORY_PASSES_TD
