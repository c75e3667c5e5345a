// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// Rounded down.
// CHECK-LABEL: func.func @floor(
// CHECK-SAME: -> tensor<1x4x4xf32>
func.func @floor(%x: tensor<1x4x10xf32>) -> tensor<*xf32> {
  %r = graph.max_pool %x kernel [3] strides [2] pads [0, 0] dilations [1] : (tensor<1x4x10xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Rounded up: one window that is cut off.
// CHECK-LABEL: func.func @ceil(
// CHECK-SAME: -> tensor<1x4x5xf32>
func.func @ceil(%x: tensor<1x4x10xf32>) -> tensor<*xf32> {
  %r = graph.max_pool %x kernel [3] strides [2] pads [0, 0] dilations [1] ceil_mode : (tensor<1x4x10xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Rounded up, but the last window would start in the end padding.
// CHECK-LABEL: func.func @ceil_beyond(
// CHECK-SAME: -> tensor<1x4x1xf32>
func.func @ceil_beyond(%x: tensor<1x4x2xf32>) -> tensor<*xf32> {
  %r = graph.max_pool %x kernel [2] strides [3] pads [1, 1] dilations [1] ceil_mode : (tensor<1x4x2xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Rounded up finds a window where none fits whole.
// CHECK-LABEL: func.func @ceil_short(
// CHECK-SAME: -> tensor<1x4x1xf32>
func.func @ceil_short(%x: tensor<1x4x2xf32>) -> tensor<*xf32> {
  %r = graph.max_pool %x kernel [3] strides [2] pads [0, 0] dilations [1] ceil_mode : (tensor<1x4x2xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A window that lacks a stride or more finds none.
// CHECK-LABEL: func.func @ceil_none(
// CHECK-SAME: -> tensor<1x4x0xf32>
func.func @ceil_none(%x: tensor<1x4x1xf32>) -> tensor<*xf32> {
  %r = graph.max_pool %x kernel [3] strides [2] pads [0, 0] dilations [1] ceil_mode : (tensor<1x4x1xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Dilated, with unknown sizes.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: -> tensor<?x4x?x6xf32>
func.func @dynamic(%x: tensor<?x4x?x9xf32>) -> tensor<*xf32> {
  %r = graph.avg_pool %x kernel [2, 2] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 3] count_include_pad : (tensor<?x4x?x9xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Less than a stride is missing for the first window: it covers what there is.
// CHECK-LABEL: func.func @short(
// CHECK-SAME: -> tensor<1x4x1xf32>
func.func @short(%x: tensor<1x4x1xf32>) -> tensor<*xf32> {
  %r = graph.avg_pool %x kernel [2] strides [2] pads [0, 0] dilations [1] : (tensor<1x4x1xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A whole stride is missing: there is no window.
// CHECK-LABEL: func.func @too_short(
// CHECK-SAME: -> tensor<1x4x0xf32>
func.func @too_short(%x: tensor<1x4x1xf32>) -> tensor<*xf32> {
  %r = graph.avg_pool %x kernel [3] strides [2] pads [0, 0] dilations [1] : (tensor<1x4x1xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
