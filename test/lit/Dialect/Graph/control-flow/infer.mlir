// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// A dim that both regions agree on is known.
// CHECK-LABEL: func.func @if
// CHECK-SAME: -> tensor<?x8xf32>
func.func @if(%c: tensor<i1>, %a: tensor<3x8xf32>, %b: tensor<4x8xf32>) -> tensor<*xf32> {
  %r = graph.if %c : (tensor<i1>) -> tensor<*xf32> {
    graph.yield %a : tensor<3x8xf32>
  } else {
    graph.yield %b : tensor<4x8xf32>
  }
  return %r : tensor<*xf32>
}

// -----

// A carried value has the shape that the initial and the yielded one share; a
// collected one has a leading dim of unknown size.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: -> (tensor<?x2xf32>, tensor<?x3xf32>)
func.func @loop(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<1x2xf32>, %y: tensor<5x2xf32>, %z: tensor<3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %r:2 = graph.loop %n, %c iter_args(%x) : (tensor<i64>, tensor<i1>, tensor<1x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<?x2xf32>):
    graph.yield %c, %y, %z : tensor<i1>, tensor<5x2xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<*xf32>, tensor<*xf32>
}
