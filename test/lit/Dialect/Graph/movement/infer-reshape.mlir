// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// -1 is what is left, 0 copies.
// CHECK-LABEL: func.func @copy_and_rest(
// CHECK-SAME: -> tensor<2x12xf32>
func.func @copy_and_rest(%x: tensor<2x3x4xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<[0, -1]> : tensor<2xi64>
  %r = graph.reshape %x shape %s : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A copied unknown dim cancels, so what is left is known.
// CHECK-LABEL: func.func @cancel(
// CHECK-SAME: -> tensor<?x12xf32>
func.func @cancel(%x: tensor<?x3x4xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<[0, -1]> : tensor<2xi64>
  %r = graph.reshape %x shape %s : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// With allow_zero a 0 is an empty dim.
// CHECK-LABEL: func.func @allow_zero(
// CHECK-SAME: -> tensor<4x0xf32>
func.func @allow_zero(%x: tensor<0x4xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<[4, 0]> : tensor<2xi64>
  %r = graph.reshape %x shape %s allow_zero : (tensor<0x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A size taken from another tensor is unknown, the constant beside it is not.
// CHECK-LABEL: func.func @partial(
// CHECK-SAME: -> tensor<?x64xf32>
func.func @partial(%x: tensor<?x8x8xf32>, %y: tensor<?x5xf32>) -> tensor<*xf32> {
  %n = graph.shape_of %y : (tensor<?x5xf32>) -> tensor<2xi64>
  %f = graph.slice %n starts [0] limits [1] steps [1] : (tensor<2xi64>) -> tensor<1xi64>
  %c = graph.constant dense<64> : tensor<1xi64>
  %s = graph.concat %f, %c axis 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = graph.reshape %x shape %s : (tensor<?x8x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// One unknown size of a known tensor follows from the number of elements.
// CHECK-LABEL: func.func @count(
// CHECK-SAME: -> tensor<4x3x2xf32>
func.func @count(%x: tensor<2x12xf32>, %n: tensor<1xi64>) -> tensor<*xf32> {
  %c = graph.constant dense<[3, 2]> : tensor<2xi64>
  %s = graph.concat %n, %c axis 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %r = graph.reshape %x shape %s : (tensor<2x12xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The number of sizes tells the rank.
// CHECK-LABEL: func.func @rank(
// CHECK-SAME: -> tensor<?x?x?xf32>
func.func @rank(%x: tensor<?x?xf32>, %s: tensor<3xi64>) -> tensor<*xf32> {
  %r = graph.reshape %x shape %s : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A sum over sizes: shape, gather, product, concat.
// CHECK-LABEL: func.func @arithmetic(
// CHECK-SAME: -> tensor<?x5x12xf32>
func.func @arithmetic(%x: tensor<?x3x4x5xf32>) -> tensor<*xf32> {
  %n = graph.shape_of %x : (tensor<?x3x4x5xf32>) -> tensor<4xi64>
  %i = graph.constant dense<[1, 2]> : tensor<2xi64>
  %g = graph.gather %n, %i axis 0 : (tensor<4xi64>, tensor<2xi64>) -> tensor<2xi64>
  %p = graph.reduce product, %g axes [0] keep_dims : (tensor<2xi64>) -> tensor<1xi64>
  %j = graph.constant dense<[0, 3]> : tensor<2xi64>
  %h = graph.gather %n, %j axis 0 : (tensor<4xi64>, tensor<2xi64>) -> tensor<2xi64>
  %s = graph.concat %h, %p axis 0 : (tensor<2xi64>, tensor<1xi64>) -> tensor<3xi64>
  %r = graph.reshape %x shape %s : (tensor<?x3x4x5xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Sizes in `shape` may be 1 where the operand is larger.
// CHECK-LABEL: func.func @expand(
// CHECK-SAME: -> tensor<2x3x4xf32>
func.func @expand(%x: tensor<3x1xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<[2, 1, 4]> : tensor<3xi64>
  %r = graph.expand %x shape %s : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// An unknown size beside one above 1 is that one.
// CHECK-LABEL: func.func @expand_partial(
// CHECK-SAME: -> tensor<3x?xf32>
func.func @expand_partial(%x: tensor<3x1xf32>, %s: tensor<2xi64>) -> tensor<*xf32> {
  %r = graph.expand %x shape %s : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
