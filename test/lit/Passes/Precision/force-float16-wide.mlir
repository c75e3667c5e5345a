// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-force-float16{keep-wide}))' | FileCheck %s --enable-var-scope

// A norm is computed in float32 from the sum on, with the number that keeps it
// from zero as it is; the quotient is narrowed for the product.
// CHECK-LABEL: func.func @norm
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>,
// CHECK: %[[XH:.+]] = graph.cast %[[X]] to f16 saturate
// CHECK: %[[EPSILON:.+]] = graph.constant dense<9.99999996E-13> : tensor<f32>
// CHECK: %[[SQUARE:.+]] = graph.mul %[[XH]], %[[XH]] {{.*}} -> tensor<4x8xf16>
// CHECK: %[[WIDE:.+]] = graph.cast %[[SQUARE]] to f32
// CHECK: %[[SUM:.+]] = graph.reduce sum, %[[WIDE]] {{.*}} -> tensor<4x1xf32>
// CHECK: %[[ADDED:.+]] = graph.add %[[SUM]], %[[EPSILON]] {{.*}} -> tensor<4x1xf32>
// CHECK: %[[NORM:.+]] = graph.sqrt %[[ADDED]] {{.*}} -> tensor<4x1xf32>
// CHECK: %[[QUOTIENT:.+]] = graph.div %[[X]], %[[NORM]] {{.*}} -> tensor<4x8xf32>
// CHECK: %[[NARROW:.+]] = graph.cast %[[QUOTIENT]] to f16 saturate
// CHECK: graph.matmul %[[NARROW]], {{.*}} -> tensor<4x2xf16>
func.func @norm(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %epsilon = graph.constant dense<1.0e-12> : tensor<f32>
  %square = graph.mul %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %sum = graph.reduce sum, %square axes [1] keep_dims : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %added = graph.add %sum, %epsilon : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %norm = graph.sqrt %added : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %quotient = graph.div %x, %norm : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %r = graph.matmul %quotient, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

// Positions stay exact, from integers to integers.
// CHECK-LABEL: func.func @positions
// CHECK: %[[FLOAT:.+]] = graph.cast %{{.+}} to f32
// CHECK: graph.mul %[[FLOAT]], {{.*}} -> tensor<4xf32>
func.func @positions(%i: tensor<4xi64>) -> tensor<4xi64> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %f = graph.cast %i to f32 : (tensor<4xi64>) -> tensor<4xf32>
  %m = graph.mul %f, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %r = graph.cast %m to i64 : (tensor<4xf32>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

// -----

// Numbers of pixels are exact in float16.
// CHECK-LABEL: func.func @pixels
// CHECK: %[[FLOAT:.+]] = graph.cast %{{.+}} to f16 saturate
// CHECK: graph.mul %[[FLOAT]], {{.*}} -> tensor<4xf16>
func.func @pixels(%i: tensor<4xui8>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %f = graph.cast %i to f32 : (tensor<4xui8>) -> tensor<4xf32>
  %r = graph.mul %f, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The scale of quantized values is no activation.
// CHECK-LABEL: func.func @dequantizes
// CHECK: %[[F:.+]] = graph.dequantize %{{.+}}, %{{.+}} -> tensor<4xf32>
// CHECK: %[[FH:.+]] = graph.cast %[[F]] to f16 saturate
// CHECK: graph.relu %[[FH]]
func.func @dequantizes(%x: tensor<4xi32>) -> tensor<4xf32> {
  %scale = graph.constant dense<1.0e-06> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i32>
  %f = graph.dequantize %x, %scale, %zero axis 0 block 0
      : (tensor<4xi32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %r = graph.relu %f : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A mask far below all scores may be clamped: it stays float16.
// CHECK-LABEL: func.func @masks
// CHECK: graph.select {{.*}} -> tensor<4xf16>
func.func @masks(%c: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %low = graph.constant dense<-3.4e+38> : tensor<f32>
  %r = graph.select %c, %x, %low : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
