// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// Rows of q, columns of v.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: -> tensor<2x5x3xf32>
func.func @attention(%q: tensor<2x5x8xf32>, %k: tensor<?x7x8xf32>, %v: tensor<2x?x3xf32>) -> tensor<*xf32> {
  %r = graph.attention %q, %k, %v scale 1.0 : (tensor<2x5x8xf32>, tensor<?x7x8xf32>, tensor<2x?x3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Matrices without leading dims.
// CHECK-LABEL: func.func @matrices(
// CHECK-SAME: -> tensor<?x3xf32>
func.func @matrices(%q: tensor<?x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x3xf32>, %m: tensor<7xf32>) -> tensor<*xf32> {
  %r = graph.attention %q, %k, %v mask %m scale 1.0 : (tensor<?x8xf32>, tensor<7x8xf32>, tensor<7x3xf32>, tensor<7xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
