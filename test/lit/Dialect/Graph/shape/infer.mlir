// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// One element per dim; unknown for an unknown rank.
// CHECK-LABEL: func.func @shape_of(
// CHECK-SAME: -> tensor<?xi64>
func.func @shape_of(%x: tensor<*xf32>) -> tensor<*xi64> {
  %r = graph.shape_of %x : (tensor<*xf32>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}

// -----

// ceil((limit - start) / delta) elements.
// CHECK-LABEL: func.func @range(
// CHECK-SAME: -> tensor<3xi64>
func.func @range(%x: tensor<f32>) -> tensor<*xi64> {
  %a = graph.constant dense<-3> : tensor<i64>
  %b = graph.constant dense<8> : tensor<i64>
  %c = graph.constant dense<4> : tensor<i64>
  %r = graph.range %a, %b, %c : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}

// -----

// Downwards, and none at all.
// CHECK-LABEL: func.func @range_empty(
// CHECK-SAME: -> tensor<0xi32>
func.func @range_empty(%x: tensor<f32>) -> tensor<*xi32> {
  %a = graph.constant dense<5> : tensor<i32>
  %b = graph.constant dense<9> : tensor<i32>
  %c = graph.constant dense<-1> : tensor<i32>
  %r = graph.range %a, %b, %c : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<*xi32>
  return %r : tensor<*xi32>
}

// -----

// Floats round up.
// CHECK-LABEL: func.func @range_float(
// CHECK-SAME: -> tensor<4xf32>
func.func @range_float(%x: tensor<f32>) -> tensor<*xf32> {
  %a = graph.constant dense<0.0> : tensor<f32>
  %b = graph.constant dense<1.0> : tensor<f32>
  %c = graph.constant dense<0.3> : tensor<f32>
  %r = graph.range %a, %b, %c : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Bounds that are sizes.
// CHECK-LABEL: func.func @range_of_size(
// CHECK-SAME: -> tensor<7xi64>
func.func @range_of_size(%x: tensor<7x?xf32>) -> tensor<*xi64> {
  %s = graph.shape_of %x : (tensor<7x?xf32>) -> tensor<2xi64>
  %i = graph.constant dense<0> : tensor<i64>
  %n = graph.gather %s, %i axis 0 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %o = graph.constant dense<1> : tensor<i64>
  %r = graph.range %i, %n, %o : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}
