// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-fuse-kernels))' | FileCheck %s --enable-var-scope

module attributes {graph.target = "CPU-x86-64-v3"} {
// A convolution takes bias, residual and activation; the splat constant goes
// along into the region.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: (%[[X:.+]]: tensor<1x8x6x6xf32>, %[[W:.+]]: tensor<8x8x1x1xf32>, %[[B:.+]]: tensor<8x1x1xf32>)
// CHECK: %[[K:.+]] = graph.kernel(%[[X]], %[[W]], %[[B]])
// CHECK: graph.conv
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.constant
// CHECK-NEXT: graph.max
// CHECK-NEXT: graph.yield
// CHECK: return %[[K]]
func.func @epilogue(%x: tensor<1x8x6x6xf32>, %w: tensor<8x8x1x1xf32>,
                    %b: tensor<8x1x1xf32>) -> tensor<1x8x6x6xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %c = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
      : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %d = graph.add %c, %b : (tensor<1x8x6x6xf32>, tensor<8x1x1xf32>) -> tensor<1x8x6x6xf32>
  %e = graph.add %d, %x : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %f = graph.max %e, %zero : (tensor<1x8x6x6xf32>, tensor<f32>) -> tensor<1x8x6x6xf32>
  return %f : tensor<1x8x6x6xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// The sum needs the second product, which needs the first kernel: the first
// must not take the sum, or both would wait for each other. The second takes
// it.
// CHECK-LABEL: func.func @no_cycle
// CHECK: %[[FIRST:.+]] = graph.kernel
// CHECK: graph.matmul
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.yield
// CHECK: %[[SECOND:.+]] = graph.kernel(%[[FIRST]]
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK: return %[[SECOND]]
func.func @no_cycle(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %a = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %r = graph.relu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = graph.matmul %r, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %s = graph.add %r, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// An op that broadcasts the anchor's result has another tile: it stays outside.
// CHECK-LABEL: func.func @broadcast_stays_out
// CHECK: graph.kernel
// CHECK: graph.matmul
// CHECK-NEXT: graph.yield
// CHECK: graph.kernel
// CHECK: graph.add
func.func @broadcast_stays_out(%x: tensor<1x8xf32>, %w: tensor<8x8xf32>,
                               %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = graph.matmul %x, %w : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %s = graph.add %a, %y : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// A softmax takes the scaling before it and the factor behind it.
// CHECK-LABEL: func.func @prologue
// CHECK-COUNT-1: graph.kernel
// CHECK: graph.mul
// CHECK: graph.softmax
// CHECK-NEXT: graph.mul
// CHECK-NEXT: graph.yield
func.func @prologue(%x: tensor<4x8xf32>, %s: tensor<1xf32>) -> tensor<4x8xf32> {
  %a = graph.mul %x, %s : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<4x8xf32>
  %b = graph.softmax %a axis 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = graph.mul %b, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// A producer with a reader elsewhere is computed once, in a kernel of its own.
// CHECK-LABEL: func.func @shared_producer
// CHECK: %[[E:.+]] = graph.kernel
// CHECK: graph.exp
// CHECK-NEXT: graph.yield
// CHECK: graph.kernel(%[[E]])
// CHECK: graph.kernel(%[[E]])
func.func @shared_producer(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = graph.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = graph.neg %e : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = graph.abs %e : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// Reshapes and transposes are no kernels: layouts make views of them.
// CHECK-LABEL: func.func @views
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @views(%x: tensor<4x8xf32>) -> tensor<8x2x2xf32> {
  %a = graph.transpose %x [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %b = graph.reshape %a : (tensor<8x4xf32>) -> tensor<8x2x2xf32>
  return %b : tensor<8x2x2xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// A concat of convolutions' results is no kernel: they are computed where they
// stand in it. Neither is a slice of channels that a convolution reads.
// CHECK-LABEL: func.func @parts
// CHECK: %[[A:.+]] = graph.kernel
// CHECK: graph.conv
// CHECK: %[[S:.+]] = graph.slice %[[A]]
// CHECK: %[[B:.+]] = graph.kernel(%[[S]]
// CHECK: graph.conv
// CHECK: graph.concat %[[A]], %[[B]] axis 1
func.func @parts(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x16x6x6xf32> {
  %a = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
      : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32>
  %s = graph.slice %a starts [0, 4, 0, 0] limits [1, 8, 6, 6] steps [1, 1, 1, 1] : (tensor<1x8x6x6xf32>) -> tensor<1x4x6x6xf32>
  %b = graph.conv %s, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
      : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32>
  %c = graph.concat %a, %b axis 1 : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x16x6x6xf32>
  return %c : tensor<1x16x6x6xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// With an input among its parts, a concat copies anyhow; and a slice along rows
// is not what a window reads, whose border it would cut.
// CHECK-LABEL: func.func @copied_parts
// CHECK-COUNT-2: graph.kernel
// CHECK: graph.concat %{{.+}}, %{{.+}} axis 1
// CHECK-NEXT: graph.yield
// CHECK: graph.kernel
// CHECK: graph.slice
// CHECK-NEXT: graph.yield
// CHECK: graph.kernel
// CHECK: graph.conv
func.func @copied_parts(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> (tensor<1x12x6x6xf32>, tensor<1x8x3x6xf32>) {
  %a = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
      : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32>
  %c = graph.concat %a, %x axis 1 : (tensor<1x8x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x12x6x6xf32>
  %s = graph.slice %x starts [0, 0, 3, 0] limits [1, 4, 6, 6] steps [1, 1, 1, 1] : (tensor<1x4x6x6xf32>) -> tensor<1x4x3x6xf32>
  %b = graph.conv %s, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
      : (tensor<1x4x3x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x3x6xf32>
  return %c, %b : tensor<1x12x6x6xf32>, tensor<1x8x3x6xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// In a kernel the sizes of a resize stand beside it, and its scale is their
// ratio where it is open.
// CHECK-LABEL: func.func @resize
// CHECK: graph.kernel(%arg0) dims(
// CHECK: graph.resize %{{.+}} scales [1.000000e+00, 0.000000e+00, 5.000000e-01] sizes [3, -1, 4]
func.func @resize(%x: tensor<3x?x8xf32>) -> tensor<3x?x4xf32> {
  %c2 = arith.constant 2 : index
  %n = graph.dim %x axis 1 : (tensor<3x?x8xf32>) -> index
  %half = arith.floordivsi %n, %c2 : index
  %c4 = arith.constant 4 : index
  %sizes = graph.pack_sizes %half, %c4 : tensor<2xi64>
  %r = graph.resize_dynamic %x sizes %sizes axes [1, 2] aspect_policy stretch mode nearest
      coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0
      : (tensor<3x?x8xf32>, tensor<2xi64>) -> tensor<3x?x4xf32>
  return %r : tensor<3x?x4xf32>
}
}
