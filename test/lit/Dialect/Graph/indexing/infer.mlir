// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// The indices' shape stands in place of the axis.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: -> tensor<4x2x3x6xf32>
func.func @gather(%x: tensor<4x?x6xf32>, %i: tensor<2x3xi64>) -> tensor<*xf32> {
  %r = graph.gather %x, %i axis 1 : (tensor<4x?x6xf32>, tensor<2x3xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A scalar index drops the axis.
// CHECK-LABEL: func.func @gather_scalar(
// CHECK-SAME: -> tensor<5xf32>
func.func @gather_scalar(%x: tensor<4x5xf32>, %i: tensor<i64>) -> tensor<*xf32> {
  %r = graph.gather %x, %i axis 0 : (tensor<4x5xf32>, tensor<i64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The shape of the indices.
// CHECK-LABEL: func.func @gather_elements(
// CHECK-SAME: -> tensor<?x2xf32>
func.func @gather_elements(%x: tensor<4x5xf32>, %i: tensor<?x2xi32>) -> tensor<*xf32> {
  %r = graph.gather_elements %x, %i axis 1 : (tensor<4x5xf32>, tensor<?x2xi32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Batch dims are shared; a tuple picks what follows.
// CHECK-LABEL: func.func @gather_nd(
// CHECK-SAME: -> tensor<4x3x7xf32>
func.func @gather_nd(%x: tensor<4x5x6x7xf32>, %i: tensor<?x3x2xi64>) -> tensor<*xf32> {
  %r = graph.gather_nd %x, %i batch_dims 1 : (tensor<4x5x6x7xf32>, tensor<?x3x2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A copy has the shape of the original.
// CHECK-LABEL: func.func @scatter_nd(
// CHECK-SAME: -> tensor<?x5xf32>
func.func @scatter_nd(%x: tensor<?x5xf32>, %i: tensor<3x1xi64>, %u: tensor<3x5xf32>) -> tensor<*xf32> {
  %r = graph.scatter_nd %x, %i, %u reduction add : (tensor<?x5xf32>, tensor<3x1xi64>, tensor<3x5xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A constant depth is the size of the new dim.
// CHECK-LABEL: func.func @one_hot(
// CHECK-SAME: -> tensor<2x10x3xf32>
func.func @one_hot(%i: tensor<2x3xi32>, %v: tensor<f32>) -> tensor<*xf32> {
  %d = graph.constant dense<10> : tensor<i64>
  %r = graph.one_hot %i, %d, %v, %v axis 1 : (tensor<2x3xi32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
