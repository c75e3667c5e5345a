// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Indexing keeps its text.

// Reads.
// CHECK-LABEL: func.func @gather
// CHECK: graph.gather %{{.+}}, %{{.+}} axis 1 : (tensor<4x5x6xf32>, tensor<2x3xi64>) -> tensor<4x2x3x6xf32>
// CHECK: graph.gather_elements %{{.+}}, %{{.+}} axis 1 : (tensor<4x5x6xf32>, tensor<4x2x6xi32>) -> tensor<4x2x6xf32>
// CHECK: graph.gather_nd %{{.+}}, %{{.+}} batch_dims 1 : (tensor<4x5x6xf32>, tensor<4x7x1xi64>) -> tensor<4x7x6xf32>
func.func @gather(%x: tensor<4x5x6xf32>, %i: tensor<2x3xi64>, %e: tensor<4x2x6xi32>, %n: tensor<4x7x1xi64>) {
  %0 = graph.gather %x, %i axis 1 : (tensor<4x5x6xf32>, tensor<2x3xi64>) -> tensor<4x2x3x6xf32>
  %1 = graph.gather_elements %x, %e axis 1 : (tensor<4x5x6xf32>, tensor<4x2x6xi32>) -> tensor<4x2x6xf32>
  %2 = graph.gather_nd %x, %n batch_dims 1 : (tensor<4x5x6xf32>, tensor<4x7x1xi64>) -> tensor<4x7x6xf32>
  return
}

// Writes, with every way to combine.
// CHECK-LABEL: func.func @scatter
// CHECK: graph.scatter_elements %{{.+}}, %{{.+}}, %{{.+}} axis 0 reduction none : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
// CHECK: graph.scatter_elements %{{.+}}, %{{.+}}, %{{.+}} axis 0 reduction add : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
// CHECK: graph.scatter_elements %{{.+}}, %{{.+}}, %{{.+}} axis 0 reduction mul : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
// CHECK: graph.scatter_elements %{{.+}}, %{{.+}}, %{{.+}} axis 0 reduction max : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
// CHECK: graph.scatter_elements %{{.+}}, %{{.+}}, %{{.+}} axis 0 reduction min : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
// CHECK: graph.scatter_nd %{{.+}}, %{{.+}}, %{{.+}} reduction none : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<3x5xf32>) -> tensor<4x5xf32>
func.func @scatter(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>, %u: tensor<2x5xf32>, %n: tensor<3x1xi64>, %v: tensor<3x5xf32>) {
  %none = graph.scatter_elements %x, %i, %u axis 0 reduction none : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  %add = graph.scatter_elements %x, %i, %u axis 0 reduction add : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  %mul = graph.scatter_elements %x, %i, %u axis 0 reduction mul : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  %max = graph.scatter_elements %x, %i, %u axis 0 reduction max : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  %min = graph.scatter_elements %x, %i, %u axis 0 reduction min : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  %n0 = graph.scatter_nd %x, %n, %v reduction none : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// One element on.
// CHECK-LABEL: func.func @one_hot
// CHECK: graph.one_hot %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} axis 2 : (tensor<2x3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x?xf32>
func.func @one_hot(%i: tensor<2x3xi64>, %d: tensor<i64>, %on: tensor<f32>, %off: tensor<f32>) {
  %0 = graph.one_hot %i, %d, %on, %off axis 2 : (tensor<2x3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x?xf32>
  return
}
