// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Ops on sizes keep their text.

// Sizes and sequences.
// CHECK-LABEL: func.func @shape
// CHECK: graph.shape_of %{{.+}} : (tensor<?x3xf32>) -> tensor<2xi64>
// CHECK: graph.dim %{{.+}} axis 0 : (tensor<?x3xf32>) -> index
// CHECK: graph.range %{{.+}}, %{{.+}}, %{{.+}} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
func.func @shape(%x: tensor<?x3xf32>, %a: tensor<i64>) {
  %0 = graph.shape_of %x : (tensor<?x3xf32>) -> tensor<2xi64>
  %1 = graph.dim %x axis 0 : (tensor<?x3xf32>) -> index
  %2 = graph.range %a, %a, %a : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// CHECK-LABEL: func @pack_sizes
// CHECK:         graph.pack_sizes %{{.+}}, %{{.+}} : tensor<2xi64>
func.func @pack_sizes(%n: index, %m: index) -> tensor<2xi64> {
  %r = graph.pack_sizes %n, %m : tensor<2xi64>
  return %r : tensor<2xi64>
}
