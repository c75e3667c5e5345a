// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// floor((size + pads - extent) / stride) + 1.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: -> tensor<1x8x5x4xf32>
func.func @conv(%x: tensor<1x4x10x9xf32>, %w: tensor<8x4x3x2xf32>) -> tensor<*xf32> {
  %r = graph.conv %x, %w strides [2, 3] pads [1, 0, 0, 2] dilations [1, 1] groups 1 : (tensor<1x4x10x9xf32>, tensor<8x4x3x2xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A dilated kernel covers (kernel - 1) * dilation + 1 elements.
// CHECK-LABEL: func.func @dilated(
// CHECK-SAME: -> tensor<1x8x2xf32>
func.func @dilated(%x: tensor<1x4x10xf32>, %w: tensor<8x4x3xf32>) -> tensor<*xf32> {
  %r = graph.conv %x, %w strides [1] pads [0, 0] dilations [4] groups 1 : (tensor<1x4x10xf32>, tensor<8x4x3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Unknown sizes of input and kernel.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: -> tensor<?x8x?x?xf32>
func.func @dynamic(%x: tensor<?x4x?x9xf32>, %w: tensor<8x4x3x?xf32>) -> tensor<*xf32> {
  %r = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 : (tensor<?x4x?x9xf32>, tensor<8x4x3x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// No room for the kernel leaves nothing, not a negative size.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: -> tensor<1x8x0xf32>
func.func @empty(%x: tensor<1x4x2xf32>, %w: tensor<8x4x3xf32>) -> tensor<*xf32> {
  %r = graph.conv %x, %w strides [2] pads [0, 0] dilations [1] groups 1 : (tensor<1x4x2xf32>, tensor<8x4x3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// stride * (size - 1) + output_padding + extent - pads.
// CHECK-LABEL: func.func @conv_transpose(
// CHECK-SAME: -> tensor<1x4x20x?xf32>
func.func @conv_transpose(%x: tensor<1x8x10x?xf32>, %w: tensor<8x2x3x3xf32>) -> tensor<*xf32> {
  %r = graph.conv_transpose %x, %w strides [2, 2] pads [1, 1, 1, 1] output_padding [1, 1] dilations [1, 1] groups 2 : (tensor<1x8x10x?xf32>, tensor<8x2x3x3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A convolution in the Winograd domain loses two elements less the pads.
// CHECK-LABEL: func.func @winograd(
// CHECK-SAME: -> tensor<1x16x?x9xf32>
func.func @winograd(%x: tensor<1x8x?x10xf32>, %v: tensor<64x16x8xf32>) -> tensor<*xf32> {
  %r = graph.conv_winograd %x, %v tile 6 pads [1, 1, 1, 0] : (tensor<1x8x?x10xf32>, tensor<64x16x8xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// (tile + 2)^2 planes of a filter.
// CHECK-LABEL: func.func @winograd_filter(
// CHECK-SAME: -> tensor<64x16x8xf32>
func.func @winograd_filter(%w: tensor<16x8x3x3xf32>) -> tensor<*xf32> {
  %r = graph.winograd_filter %w tile 6 : (tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
