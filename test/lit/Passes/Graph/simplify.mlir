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

// One factor for open channels: the result keeps its one channel, though the
// factor would repeat along several.
// CHECK-LABEL: func.func @one_channel
// CHECK: graph.mul %{{.+}} -> tensor<?x1x?xf32>
// CHECK: graph.add %{{.+}} -> tensor<?x1x?xf32>
graph.weight_data @p : tensor<1xf32> source 0 offset 0 length 4
func.func @one_channel(%x: tensor<?x?x?xf32>) -> tensor<?x1x?xf32> {
  %p = graph.weight @p : tensor<1xf32>
  %n = graph.batch_norm %x, %p, %p, %p, %p epsilon 1.0e-05
      : (tensor<?x?x?xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x1x?xf32>
  return %n : tensor<?x1x?xf32>
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

// -----

// Neighbouring slices in a concat are one; both halves are the tensor itself.
// CHECK-LABEL: func.func @neighbours
// CHECK-NEXT: graph.concat %arg0, %arg1 axis 1
// CHECK-NEXT: return
func.func @neighbours(%x: tensor<1x8x4xf32>, %y: tensor<1x2x4xf32>) -> tensor<1x10x4xf32> {
  %a = graph.slice %x starts [0, 0, 0] limits [1, 3, 4] steps [1, 1, 1] : (tensor<1x8x4xf32>) -> tensor<1x3x4xf32>
  %b = graph.slice %x starts [0, 3, 0] limits [1, 8, 4] steps [1, 1, 1] : (tensor<1x8x4xf32>) -> tensor<1x5x4xf32>
  %c = graph.concat %a, %b, %y axis 1 : (tensor<1x3x4xf32>, tensor<1x5x4xf32>, tensor<1x2x4xf32>) -> tensor<1x10x4xf32>
  return %c : tensor<1x10x4xf32>
}

// -----

// Slices in another order, with a gap, or along another dim stay.
// CHECK-LABEL: func.func @strangers
// CHECK-COUNT-3: graph.slice
func.func @strangers(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x7xf32>, tensor<8x4xf32>) {
  %a = graph.slice %x starts [0, 0] limits [4, 4] steps [1, 1] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %b = graph.slice %x starts [0, 4] limits [4, 8] steps [1, 1] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %c = graph.slice %x starts [0, 0] limits [4, 3] steps [1, 1] : (tensor<4x8xf32>) -> tensor<4x3xf32>
  %0 = graph.concat %b, %a axis 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %1 = graph.concat %c, %b axis 1 : (tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<4x7xf32>
  %2 = graph.concat %a, %b axis 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x7xf32>, tensor<8x4xf32>
}

// -----

// What has no elements is a constant; a sum over nothing has one element and
// stays.
// CHECK-LABEL: func.func @empty
// CHECK-SAME: %[[X:.+]]: tensor<0x5xf32>
// CHECK-DAG: %[[E:.+]] = graph.constant dense<> : tensor<5x0xf32>
// CHECK-DAG: %[[S:.+]] = graph.reduce sum, %[[X]]
// CHECK: return %[[E]], %[[S]]
func.func @empty(%x: tensor<0x5xf32>) -> (tensor<5x0xf32>, tensor<5xf32>) {
  %0 = graph.relu %x : (tensor<0x5xf32>) -> tensor<0x5xf32>
  %1 = graph.transpose %0 [1, 0] : (tensor<0x5xf32>) -> tensor<5x0xf32>
  %2 = graph.reduce sum, %x axes [0] : (tensor<0x5xf32>) -> tensor<5xf32>
  return %1, %2 : tensor<5x0xf32>, tensor<5xf32>
}
