// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// Reduced dims go.
// CHECK-LABEL: func.func @drop(
// CHECK-SAME: -> tensor<?xf32>
func.func @drop(%x: tensor<2x?x4xf32>) -> tensor<*xf32> {
  %r = graph.reduce sum, %x axes [0, 2] : (tensor<2x?x4xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Reduced dims stay as 1.
// CHECK-LABEL: func.func @keep(
// CHECK-SAME: -> tensor<2x1x4xf32>
func.func @keep(%x: tensor<2x?x4xf32>) -> tensor<*xf32> {
  %r = graph.reduce max, %x axes [1] keep_dims : (tensor<2x?x4xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// All dims reduced leave a scalar.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: -> tensor<i32>
func.func @scalar(%x: tensor<0x3xi32>) -> tensor<*xi32> {
  %r = graph.reduce product, %x axes [0, 1] : (tensor<0x3xi32>) -> tensor<*xi32>
  return %r : tensor<*xi32>
}

// -----

// No dim reduced leaves the shape.
// CHECK-LABEL: func.func @none(
// CHECK-SAME: -> tensor<2x3xf32>
func.func @none(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %r = graph.reduce mean, %x axes [] : (tensor<2x3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The position of an extremum is an i64.
// CHECK-LABEL: func.func @arg_reduce(
// CHECK-SAME: -> tensor<2x4xi64>
func.func @arg_reduce(%x: tensor<2x?x4xf16>) -> tensor<*xi64> {
  %r = graph.arg_reduce min, %x axis 1 : (tensor<2x?x4xf16>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}

// -----

// An empty result has no extremum to look for.
// CHECK-LABEL: func.func @arg_reduce_empty(
// CHECK-SAME: -> tensor<0x1xi64>
func.func @arg_reduce_empty(%x: tensor<0x0xf16>) -> tensor<*xi64> {
  %r = graph.arg_reduce min, %x axis 1 keep_dims : (tensor<0x0xf16>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}

// -----

// Sums up to each element keep the shape.
// CHECK-LABEL: func.func @cumulative_sum(
// CHECK-SAME: -> tensor<2x?xf32>
func.func @cumulative_sum(%x: tensor<2x?xf32>) -> tensor<*xf32> {
  %r = graph.cumulative_sum %x axis 1 : (tensor<2x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
