// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// Leading dims broadcast.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME: -> tensor<8x3x4x32xf32>
func.func @batch(%a: tensor<8x1x4x16xf32>, %b: tensor<3x16x32xf32>) -> tensor<*xf32> {
  %r = graph.matmul %a, %b : (tensor<8x1x4x16xf32>, tensor<3x16x32xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Both operands transposed.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: -> tensor<4x32xf32>
func.func @transposed(%a: tensor<16x4xf32>, %b: tensor<32x16xf32>) -> tensor<*xf32> {
  %r = graph.matmul %a, %b transpose_lhs transpose_rhs : (tensor<16x4xf32>, tensor<32x16xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Unknown sizes go where they belong.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: -> tensor<?x4x?xf32>
func.func @dynamic(%a: tensor<?x4x?xf32>, %b: tensor<16x?xf32>) -> tensor<*xf32> {
  %r = graph.matmul %a, %b : (tensor<?x4x?xf32>, tensor<16x?xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// An empty inner size is legal.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: -> tensor<3x2xf32>
func.func @empty(%a: tensor<3x0xf32>, %b: tensor<0x2xf32>) -> tensor<*xf32> {
  %r = graph.matmul %a, %b : (tensor<3x0xf32>, tensor<0x2xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Bytes of either sign sum up in i32.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME: -> tensor<3x2xi32>
func.func @bytes(%a: tensor<3x4xui8>, %b: tensor<4x2xi8>) -> tensor<*xi32> {
  %r = graph.matmul %a, %b : (tensor<3x4xui8>, tensor<4x2xi8>) -> tensor<*xi32>
  return %r : tensor<*xi32>
}
