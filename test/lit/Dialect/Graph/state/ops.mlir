// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Variables keep their text.

graph.weight_data @zeros : tensor<2x8xf32> source 0 offset 0 length 64
// CHECK: graph.variable @cache : tensor<1x8x512x64xf16>
graph.variable @cache : tensor<1x8x512x64xf16>
// CHECK: graph.variable @started : tensor<2x8xf32> initial @zeros
graph.variable @started : tensor<2x8xf32> initial @zeros

// A value may know less of its shape than the variable.
// CHECK-LABEL: func.func @state
func.func @state(%v: tensor<2x?xf32>, %p: tensor<1x8x1x64xf16>, %at: tensor<4xi64>) {
  // CHECK: graph.read @started : tensor<2x8xf32>
  %0 = graph.read @started : tensor<2x8xf32>
  // CHECK: graph.assign @started, %{{.+}} : tensor<2x?xf32>
  graph.assign @started, %v : tensor<2x?xf32>
  // CHECK: graph.assign_slice @cache, %{{.+}} at %{{.+}} : tensor<1x8x1x64xf16>, tensor<4xi64>
  graph.assign_slice @cache, %p at %at : tensor<1x8x1x64xf16>, tensor<4xi64>
  return
}
