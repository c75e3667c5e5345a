// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-simplify))' | FileCheck %s --enable-var-scope

// A batch normalization disappears into the weight before it; only an addition
// is left.
// CHECK-LABEL: func.func @batch_norm
// CHECK: %[[W:.+]] = graph.mul %{{.+}} : (tensor<8x4x1x1xf32>, tensor<8x1x1x1xf32>)
// CHECK: %[[C:.+]] = graph.conv %{{.+}}, %[[W]]
// CHECK-NOT: graph.mul
// CHECK: %[[R:.+]] = graph.add %[[C]]
// CHECK-NEXT: return %[[R]]
graph.weight_data @w : tensor<8x4x1x1xf32> source 0 offset 0 length 128
graph.weight_data @p : tensor<8xf32> source 0 offset 128 length 32
func.func @batch_norm(%x: tensor<1x4x6x6xf32>) -> tensor<1x8x6x6xf32> {
  %w = graph.weight @w : tensor<8x4x1x1xf32>
  %p = graph.weight @p : tensor<8xf32>
  %c = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
      : (tensor<1x4x6x6xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x6x6xf32>
  %n = graph.batch_norm %c, %p, %p, %p, %p epsilon 1.0e-05
      : (tensor<1x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x6x6xf32>
  return %n : tensor<1x8x6x6xf32>
}

// -----

// A convolution whose result is read twice keeps its weight.
// CHECK-LABEL: func.func @two_readers
// CHECK: %[[W:.+]] = graph.weight
// CHECK: graph.conv %{{.+}}, %[[W]]
// CHECK: graph.mul
graph.weight_data @w : tensor<8x4x1x1xf32> source 0 offset 0 length 128
graph.weight_data @p : tensor<8x1x1xf32> source 0 offset 128 length 32
func.func @two_readers(%x: tensor<1x4x6x6xf32>) -> (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) {
  %w = graph.weight @w : tensor<8x4x1x1xf32>
  %p = graph.weight @p : tensor<8x1x1xf32>
  %c = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
      : (tensor<1x4x6x6xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x6x6xf32>
  %m = graph.mul %c, %p : (tensor<1x8x6x6xf32>, tensor<8x1x1xf32>) -> tensor<1x8x6x6xf32>
  return %c, %m : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>
}

// -----

// A division by a power of two is exact as a multiplication, one by three is
// not.
// CHECK-LABEL: func.func @divide
// CHECK: graph.mul
// CHECK: graph.div
func.func @divide(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %eight = graph.constant dense<8.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %a = graph.div %x, %eight : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = graph.div %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
