// Passes that choose the element types of a model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PASSES_PRECISION_PASSES_TD
#define ATC_PASSES_PRECISION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ForceFloat16Pass : Pass<"atc-force-float16", "func::FuncOp"> {
  let summary = "Narrow float32 to float16 between inputs and outputs";
  let description = [{
    ATC's `force_fp16`: every float32 value inside the model becomes float16,
    weights included; a cast stands behind each float32 input and before each
    float32 output, whose types do not change. Accumulation inside kernels keeps
    its wider type. Constants outside the range of float16 are clamped to it.
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
}

#endif // ATC_PASSES_PRECISION_PASSES_TD
