// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Pooling keeps its text.

// Largest and mean, with all flags.
// CHECK-LABEL: func.func @pool
// CHECK: graph.max_pool %{{.+}} kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : (tensor<1x8x10x10xf32>) -> tensor<1x8x5x5xf32>
// CHECK: graph.max_pool %{{.+}} kernel [2, 2] strides [3, 3] pads [0, 0, 0, 0] dilations [2, 1] ceil_mode : (tensor<1x8x10x10xf32>) -> tensor<1x8x4x4xf32>
// CHECK: graph.avg_pool %{{.+}} kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] ceil_mode count_include_pad : (tensor<1x8x10x10xf32>) -> tensor<1x8x6x6xf32>
func.func @pool(%x: tensor<1x8x10x10xf32>) {
  %0 = graph.max_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : (tensor<1x8x10x10xf32>) -> tensor<1x8x5x5xf32>
  %1 = graph.max_pool %x kernel [2, 2] strides [3, 3] pads [0, 0, 0, 0] dilations [2, 1] ceil_mode : (tensor<1x8x10x10xf32>) -> tensor<1x8x4x4xf32>
  %2 = graph.avg_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] ceil_mode count_include_pad : (tensor<1x8x10x10xf32>) -> tensor<1x8x6x6xf32>
  return
}
