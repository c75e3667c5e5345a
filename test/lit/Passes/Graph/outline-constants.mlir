// RUN: atc-opt %s --split-input-file --atc-outline-constants | FileCheck %s --enable-var-scope

// The whole computation of a constant becomes one recipe.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.+]] = graph.weight @[[RECIPE:.+]] : tensor<4x8xf32>
// CHECK-NEXT: graph.add %{{.+}}, %[[W]]
// CHECK: graph.recipe @[[RECIPE]] : tensor<4x8xf32>
// CHECK-NEXT: graph.weight @w
// CHECK-NEXT: graph.neg
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.yield
graph.weight_data @w : tensor<4x8xf32> source 0 offset 0 length 128
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.weight @w : tensor<4x8xf32>
  %a = graph.neg %w : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = graph.exp %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = graph.add %x, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// What needs an input stays, and so does a constant that would grow from four
// bytes to sixteen megabytes.
// CHECK-LABEL: func.func @stays
// CHECK: graph.neg
// CHECK: graph.expand
// CHECK-NOT: graph.recipe
func.func @stays(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2048x2048xf32>) {
  %s = graph.constant dense<1.0> : tensor<1x1xf32>
  %a = graph.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.expand %s : (tensor<1x1xf32>) -> tensor<2048x2048xf32>
  return %a, %b : tensor<4xf32>, tensor<2048x2048xf32>
}
