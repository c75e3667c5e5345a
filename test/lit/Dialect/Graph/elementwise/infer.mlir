// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// The right operand is aligned at the right.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: -> tensor<4x2x3xf32>
func.func @broadcast(%a: tensor<4x2x3xf32>, %b: tensor<2x1xf32>) -> tensor<*xf32> {
  %r = graph.add %a, %b : (tensor<4x2x3xf32>, tensor<2x1xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Both operands may grow.
// CHECK-LABEL: func.func @both_grow(
// CHECK-SAME: -> tensor<4x3xf32>
func.func @both_grow(%a: tensor<4x1xf32>, %b: tensor<3xf32>) -> tensor<*xf32> {
  %r = graph.add %a, %b : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A dynamic dim beside one above 1 is that one; beside 1 it stays unknown.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: -> tensor<3x?x?xf32>
func.func @dynamic(%a: tensor<?x?x?xf32>, %b: tensor<3x1x?xf32>) -> tensor<*xf32> {
  %r = graph.add %a, %b : (tensor<?x?x?xf32>, tensor<3x1x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// An empty dim wins over 1.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: -> tensor<2x0xf32>
func.func @empty(%a: tensor<2x0xf32>, %b: tensor<2x1xf32>) -> tensor<*xf32> {
  %r = graph.add %a, %b : (tensor<2x0xf32>, tensor<2x1xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Scalars stay scalars.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: -> tensor<f32>
func.func @scalar(%a: tensor<f32>, %b: tensor<f32>) -> tensor<*xf32> {
  %r = graph.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// One operand of unknown rank leaves the rank unknown.
// CHECK-LABEL: func.func @unranked(
// CHECK-SAME: -> tensor<*xf32>
func.func @unranked(%a: tensor<*xf32>, %b: tensor<3xf32>) -> tensor<*xf32> {
  %r = graph.add %a, %b : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A comparison yields booleans.
// CHECK-LABEL: func.func @compare(
// CHECK-SAME: -> tensor<3xi1>
func.func @compare(%a: tensor<?xui8>, %b: tensor<3xui8>) -> tensor<*xi1> {
  %r = graph.compare lt, %a, %b : (tensor<?xui8>, tensor<3xui8>) -> tensor<*xi1>
  return %r : tensor<*xi1>
}

// -----

// A select takes the element type of its branches.
// CHECK-LABEL: func.func @select(
// CHECK-SAME: -> tensor<2x3xi64>
func.func @select(%c: tensor<2x1xi1>, %a: tensor<3xi64>, %b: tensor<i64>) -> tensor<*xi64> {
  %r = graph.select %c, %a, %b : (tensor<2x1xi1>, tensor<3xi64>, tensor<i64>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}

// -----

// A cast has the type that it names.
// CHECK-LABEL: func.func @cast(
// CHECK-SAME: -> tensor<?x3xui8>
func.func @cast(%a: tensor<?x3xf32>) -> tensor<*xui8> {
  %r = graph.cast %a to ui8 : (tensor<?x3xf32>) -> tensor<*xui8>
  return %r : tensor<*xui8>
}

// -----

// The layout of an operand is not that of the result.
// CHECK-LABEL: func.func @layout(
// CHECK-SAME: -> tensor<2x3xf32>
func.func @layout(%a: tensor<2x3xf32, #graph.layout<perm = [1, 0]>>) -> tensor<*xf32> {
  %r = graph.relu %a : (tensor<2x3xf32, #graph.layout<perm = [1, 0]>>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
