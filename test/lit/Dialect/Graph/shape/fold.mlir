// RUN: atc-opt %s --split-input-file --canonicalize | FileCheck %s

// Static sizes are constants.
// CHECK-LABEL: func.func @static
// CHECK-DAG: %[[S:.+]] = graph.constant dense<[2, 0, 4]> : tensor<3xi64>
// CHECK-DAG: %[[D:.+]] = arith.constant 4 : index
// CHECK: return %[[S]], %[[D]]
func.func @static(%x: tensor<2x0x4xf32>) -> (tensor<3xi64>, index) {
  %0 = graph.shape_of %x : (tensor<2x0x4xf32>) -> tensor<3xi64>
  %1 = graph.dim %x axis 2 : (tensor<2x0x4xf32>) -> index
  return %0, %1 : tensor<3xi64>, index
}

// -----

// A scalar has no sizes.
// CHECK-LABEL: func.func @scalar
// CHECK: graph.constant dense<> : tensor<0xi64>
func.func @scalar(%x: tensor<f32>) -> tensor<0xi64> {
  %0 = graph.shape_of %x : (tensor<f32>) -> tensor<0xi64>
  return %0 : tensor<0xi64>
}

// -----

// Unknown sizes stay.
// CHECK-LABEL: func.func @dynamic
// CHECK: graph.shape_of
// CHECK: graph.dim
func.func @dynamic(%x: tensor<?x4xf32>) -> (tensor<2xi64>, index) {
  %0 = graph.shape_of %x : (tensor<?x4xf32>) -> tensor<2xi64>
  %1 = graph.dim %x axis 0 : (tensor<?x4xf32>) -> index
  return %0, %1 : tensor<2xi64>, index
}

// -----

// A short range is a constant, backwards too.
// CHECK-LABEL: func.func @range
// CHECK: graph.constant dense<[5, 3, 1]> : tensor<3xi32>
func.func @range() -> tensor<3xi32> {
  %a = graph.constant dense<5> : tensor<i32>
  %b = graph.constant dense<0> : tensor<i32>
  %c = graph.constant dense<-2> : tensor<i32>
  %0 = graph.range %a, %b, %c : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// A flatten that is spelled out: shape, slice, product, concat, reshape.
// CHECK-LABEL: func.func @flatten
// CHECK-NEXT: graph.reshape %{{[^ ]+}} : (tensor<2x3x4x5xf32>) -> tensor<2x60xf32>
// CHECK-NEXT: return
func.func @flatten(%x: tensor<2x3x4x5xf32>) -> tensor<2x60xf32> {
  %n = graph.shape_of %x : (tensor<2x3x4x5xf32>) -> tensor<4xi64>
  %a = graph.slice %n starts [0] limits [1] steps [1] : (tensor<4xi64>) -> tensor<1xi64>
  %b = graph.slice %n starts [1] limits [9223372036854775807] steps [1] : (tensor<4xi64>) -> tensor<3xi64>
  %p = graph.reduce product, %b axes [0] keep_dims : (tensor<3xi64>) -> tensor<1xi64>
  %s = graph.concat %a, %p axis 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = graph.reshape %x shape %s : (tensor<2x3x4x5xf32>, tensor<2xi64>) -> tensor<2x60xf32>
  return %0 : tensor<2x60xf32>
}
