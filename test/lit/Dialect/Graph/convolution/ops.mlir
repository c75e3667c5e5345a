// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Convolutions keep their text.

// Grouped, dilated and strided.
// CHECK-LABEL: func.func @conv
// CHECK: graph.conv %{{.+}}, %{{.+}} strides [2, 1] pads [1, 0, 1, 2] dilations [1, 2] groups 4 : (tensor<1x8x9x9xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x5x7xf32>
func.func @conv(%x: tensor<1x8x9x9xf32>, %w: tensor<4x2x3x3xf32>) {
  %0 = graph.conv %x, %w strides [2, 1] pads [1, 0, 1, 2] dilations [1, 2] groups 4 : (tensor<1x8x9x9xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x5x7xf32>
  return
}

// One spatial dim, transposed.
// CHECK-LABEL: func.func @conv_transpose
// CHECK: graph.conv_transpose %{{.+}}, %{{.+}} strides [2] pads [1, 1] output_padding [1] dilations [1] groups 2 : (tensor<1x8x10xf32>, tensor<8x2x3xf32>) -> tensor<1x4x20xf32>
func.func @conv_transpose(%x: tensor<1x8x10xf32>, %w: tensor<8x2x3xf32>) {
  %0 = graph.conv_transpose %x, %w strides [2] pads [1, 1] output_padding [1] dilations [1] groups 2 : (tensor<1x8x10xf32>, tensor<8x2x3xf32>) -> tensor<1x4x20xf32>
  return
}

// The filter in the Winograd domain, and the convolution with it.
// CHECK-LABEL: func.func @winograd
// CHECK: graph.winograd_filter %{{.+}} tile 4 : (tensor<16x8x3x3xf32>) -> tensor<36x16x8xf32>
// CHECK: graph.conv_winograd %{{.+}}, %{{.+}} tile 4 pads [1, 1, 1, 1] : (tensor<1x8x10x12xf32>, tensor<36x16x8xf32>) -> tensor<1x16x10x12xf32>
func.func @winograd(%x: tensor<1x8x10x12xf32>, %w: tensor<16x8x3x3xf32>) {
  %0 = graph.winograd_filter %w tile 4 : (tensor<16x8x3x3xf32>) -> tensor<36x16x8xf32>
  %1 = graph.conv_winograd %x, %0 tile 4 pads [1, 1, 1, 1] : (tensor<1x8x10x12xf32>, tensor<36x16x8xf32>) -> tensor<1x16x10x12xf32>
  return
}
