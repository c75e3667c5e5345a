// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// Softmax keeps the shape.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: -> tensor<2x?xf32>
func.func @softmax(%x: tensor<2x?xf32>) -> tensor<*xf32> {
  %r = graph.softmax %x axis 1 : (tensor<2x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Layer normalization keeps the shape.
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: -> tensor<2x?x8xf16>
func.func @layer_norm(%x: tensor<2x?x8xf16>, %s: tensor<8xf16>) -> tensor<*xf16> {
  %r = graph.layer_norm %x scale %s axis 2 epsilon 1.0e-05 : (tensor<2x?x8xf16>, tensor<8xf16>) -> tensor<*xf16>
  return %r : tensor<*xf16>
}

// -----

// Parameters tell the number of channels.
// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME: -> tensor<?x8xf32>
func.func @batch_norm(%x: tensor<?x?xf32>, %c: tensor<?xf32>, %d: tensor<8xf32>) -> tensor<*xf32> {
  %r = graph.batch_norm %x, %c, %c, %d, %c epsilon 1.0e-05 : (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<8xf32>, tensor<?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Half-precision data with single-precision statistics.
// CHECK-LABEL: func.func @batch_norm_mixed(
// CHECK-SAME: -> tensor<1x8x4xf16>
func.func @batch_norm_mixed(%x: tensor<1x8x4xf16>, %c: tensor<8xf32>) -> tensor<*xf16> {
  %r = graph.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-05 : (tensor<1x8x4xf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<*xf16>
  return %r : tensor<*xf16>
}
