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
    its wider type. Numbers outside the range of float16 become its largest, in
    constants, casts and what kernels store; constants that are not zero do not
    become zero.

    With `keep-wide` values stay float32 that float16 would not hold: sums and
    means, positions, results of numbers that float16 has not, and what is
    computed from them alone. An op that meets them computes in float32, and its
    result is narrowed.

    ```mlir
    // x is float16 by now
    %square = graph.mul %x, %x : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
    %wide = graph.cast %square to f32 : (tensor<4x8xf16>) -> tensor<4x8xf32>
    %sum = graph.reduce sum, %wide axes [1] keep_dims : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %norm = graph.sqrt %sum : (tensor<4x1xf32>) -> tensor<4x1xf32>
    ```
  }];
  let dependentDialects = ["::mlir::atc::graph::GraphDialect"];
  let options = [
    Option<"keepWide", "keep-wide", "bool", "false",
           "keep float32 where float16 would not hold a value">
  ];
}

#endif // ATC_PASSES_PRECISION_PASSES_TD
