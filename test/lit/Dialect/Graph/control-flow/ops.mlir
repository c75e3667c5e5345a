// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Control flow keeps its text.

// The regions may yield shapes that only agree with the result.
// CHECK-LABEL: func.func @if
// CHECK: graph.if %{{.+}} : (tensor<i1>) -> tensor<?xf32> {
// CHECK: graph.yield %{{.+}} : tensor<3xf32>
// CHECK: } else {
// CHECK: graph.yield %{{.+}} : tensor<4xf32>
func.func @if(%c: tensor<i1>, %a: tensor<3xf32>, %b: tensor<4xf32>) -> tensor<?xf32> {
  %r = graph.if %c : (tensor<i1>) -> tensor<?xf32> {
    graph.yield %a : tensor<3xf32>
  } else {
    graph.yield %b : tensor<4xf32>
  }
  return %r : tensor<?xf32>
}

// One carried value, one that is collected.
// CHECK-LABEL: func.func @loop
// CHECK: graph.loop %{{.+}}, %{{.+}} iter_args(%{{.+}}) : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
// CHECK: ^bb0(%{{.+}}: tensor<i64>, %{{.+}}: tensor<2xf32>):
// CHECK: graph.yield %{{.+}}, %{{.+}}, %{{.+}} : tensor<i1>, tensor<2xf32>, tensor<2xf32>
func.func @loop(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %r:2 = graph.loop %n, %c iter_args(%x) : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
    %w = graph.add %v, %v : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    graph.yield %c, %w, %v : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
}

// Nothing carried, nothing collected.
// CHECK-LABEL: func.func @bare_loop
// CHECK: graph.loop %{{.+}}, %{{.+}} : (tensor<i64>, tensor<i1>) -> () {
func.func @bare_loop(%n: tensor<i64>, %c: tensor<i1>) {
  graph.loop %n, %c : (tensor<i64>, tensor<i1>) -> () {
  ^bb0(%i: tensor<i64>):
    graph.yield %c : tensor<i1>
  }
  return
}
