// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// Dims in another order.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: -> tensor<4x2x?xf32>
func.func @transpose(%x: tensor<2x?x4xf32>) -> tensor<*xf32> {
  %r = graph.transpose %x [2, 0, 1] : (tensor<2x?x4xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A permutation tells the rank.
// CHECK-LABEL: func.func @transpose_unranked(
// CHECK-SAME: -> tensor<?x?xf32>
func.func @transpose_unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  %r = graph.transpose %x [1, 0] : (tensor<*xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Sizes add up along the axis; elsewhere the known one counts.
// CHECK-LABEL: func.func @concat(
// CHECK-SAME: -> tensor<2x8xf32>
func.func @concat(%a: tensor<?x3xf32>, %b: tensor<2x5xf32>) -> tensor<*xf32> {
  %r = graph.concat %a, %b axis 1 : (tensor<?x3xf32>, tensor<2x5xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// An unknown part leaves the sum unknown.
// CHECK-LABEL: func.func @concat_dynamic(
// CHECK-SAME: -> tensor<2x?xf32>
func.func @concat_dynamic(%a: tensor<2x?xf32>, %b: tensor<2x5xf32>) -> tensor<*xf32> {
  %r = graph.concat %a, %b axis 1 : (tensor<2x?xf32>, tensor<2x5xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Limits beyond the dim mean its end; a start beyond it leaves nothing.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: -> tensor<1x3x0x0xf32>
func.func @slice(%x: tensor<2x7x5x?xf32>) -> tensor<*xf32> {
  %r = graph.slice %x starts [0, 1, 9, 3] limits [1, 9223372036854775807, 9223372036854775807, 3] steps [1, 2, 1, 1] : (tensor<2x7x5x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Constant bounds count from the end and are clamped.
// CHECK-LABEL: func.func @slice_dynamic(
// CHECK-SAME: -> tensor<3x9xf32>
func.func @slice_dynamic(%x: tensor<10x10xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<[-3, -100]> : tensor<2xi64>
  %e = graph.constant dense<[100, -1]> : tensor<2xi64>
  %r = graph.slice_dynamic %x starts %s ends %e axes [0, 1] : (tensor<10x10xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A negative step walks from the end; INT64_MIN reaches the first element.
// CHECK-LABEL: func.func @slice_dynamic_backwards(
// CHECK-SAME: -> tensor<10x3xf32>
func.func @slice_dynamic_backwards(%x: tensor<10x10xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<[-1, 7]> : tensor<2xi64>
  %e = graph.constant dense<[-9223372036854775807, 2]> : tensor<2xi64>
  %t = graph.constant dense<[-1, -2]> : tensor<2xi64>
  %r = graph.slice_dynamic %x starts %s ends %e steps %t axes [0, 1] : (tensor<10x10xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Unknown bounds leave that dim unknown, not the others.
// CHECK-LABEL: func.func @slice_dynamic_unknown(
// CHECK-SAME: -> tensor<?x?xf32>
func.func @slice_dynamic_unknown(%x: tensor<10x?xf32>, %i: tensor<1xi32>) -> tensor<*xf32> {
  %r = graph.slice_dynamic %x starts %i ends %i axes [0] : (tensor<10x?xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Negative amounts cut off.
// CHECK-LABEL: func.func @pad(
// CHECK-SAME: -> tensor<4x3x?x?xf32>
func.func @pad(%x: tensor<2x6x?x?xf32>, %v: tensor<f32>) -> tensor<*xf32> {
  %r = graph.pad %x, %v low [1, -1, 1, 0] high [1, -2, 0, 0] mode constant : (tensor<2x6x?x?xf32>, tensor<f32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Constant amounts of listed axes.
// CHECK-LABEL: func.func @pad_dynamic(
// CHECK-SAME: -> tensor<2x9xf32>
func.func @pad_dynamic(%x: tensor<2x6xf32>, %v: tensor<f32>) -> tensor<*xf32> {
  %p = graph.constant dense<[1, 2]> : tensor<2xi64>
  %r = graph.pad_dynamic %x, %p, %v axes [1] mode constant : (tensor<2x6xf32>, tensor<2xi64>, tensor<f32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Repeated; no repetition at all is an empty dim.
// CHECK-LABEL: func.func @tile(
// CHECK-SAME: -> tensor<6x0x?xf32>
func.func @tile(%x: tensor<2x3x?xf32>) -> tensor<*xf32> {
  %r = graph.tile %x [3, 0, 1] : (tensor<2x3x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Constant counts.
// CHECK-LABEL: func.func @tile_dynamic(
// CHECK-SAME: -> tensor<2x12xf32>
func.func @tile_dynamic(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %n = graph.constant dense<[1, 4]> : tensor<2xi64>
  %r = graph.tile_dynamic %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Backwards is as long as forwards.
// CHECK-LABEL: func.func @reverse(
// CHECK-SAME: -> tensor<2x?xf32>
func.func @reverse(%x: tensor<2x?xf32>) -> tensor<*xf32> {
  %r = graph.reverse %x axes [1] : (tensor<2x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
