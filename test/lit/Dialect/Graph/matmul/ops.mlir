// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Matrix products keep their text.

// Plain, transposed, and of bytes.
// CHECK-LABEL: func.func @matmul
// CHECK: graph.matmul %{{.+}}, %{{.+}} : (tensor<8x4x16xf32>, tensor<16x32xf32>) -> tensor<8x4x32xf32>
// CHECK: graph.matmul %{{.+}}, %{{.+}} transpose_rhs : (tensor<8x4x16xf32>, tensor<32x16xf32>) -> tensor<8x4x32xf32>
// CHECK: graph.matmul %{{.+}}, %{{.+}} transpose_lhs : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
// CHECK: graph.matmul %{{.+}}, %{{.+}} : (tensor<4x8xui8>, tensor<8x2xi8>) -> tensor<4x2xi32>
func.func @matmul(%a: tensor<8x4x16xf32>, %b: tensor<16x32xf32>, %t: tensor<32x16xf32>, %i: tensor<4x8xui8>, %j: tensor<8x2xi8>) {
  %0 = graph.matmul %a, %b : (tensor<8x4x16xf32>, tensor<16x32xf32>) -> tensor<8x4x32xf32>
  %1 = graph.matmul %a, %t transpose_rhs : (tensor<8x4x16xf32>, tensor<32x16xf32>) -> tensor<8x4x32xf32>
  %2 = graph.matmul %b, %b transpose_lhs : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
  %3 = graph.matmul %i, %j : (tensor<4x8xui8>, tensor<8x2xi8>) -> tensor<4x2xi32>
  return
}
