// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Reductions keep their text.

// Every kind; with and without the reduced dims.
// CHECK-LABEL: func.func @reduce
// CHECK: graph.reduce sum, %{{.+}} axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
// CHECK: graph.reduce mean, %{{.+}} axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
// CHECK: graph.reduce product, %{{.+}} axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
// CHECK: graph.reduce max, %{{.+}} axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
// CHECK: graph.reduce min, %{{.+}} axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
// CHECK: graph.reduce max, %{{.+}} axes [0] keep_dims : (tensor<2x3x4xf32>) -> tensor<1x3x4xf32>
// CHECK: graph.reduce max, %{{.+}} axes [0] : (tensor<2x3xi1>) -> tensor<3xi1>
func.func @reduce(%x: tensor<2x3x4xf32>, %b: tensor<2x3xi1>) {
  %sum = graph.reduce sum, %x axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
  %mean = graph.reduce mean, %x axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
  %product = graph.reduce product, %x axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
  %max = graph.reduce max, %x axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
  %min = graph.reduce min, %x axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
  %k = graph.reduce max, %x axes [0] keep_dims : (tensor<2x3x4xf32>) -> tensor<1x3x4xf32>
  %a = graph.reduce max, %b axes [0] : (tensor<2x3xi1>) -> tensor<3xi1>
  return
}

// Both extrema, with all flags.
// CHECK-LABEL: func.func @arg_reduce
// CHECK: graph.arg_reduce max, %{{.+}} axis 1 : (tensor<2x3xi32>) -> tensor<2xi64>
// CHECK: graph.arg_reduce min, %{{.+}} axis 0 keep_dims select_last : (tensor<2x3xi32>) -> tensor<1x3xi64>
func.func @arg_reduce(%x: tensor<2x3xi32>) {
  %0 = graph.arg_reduce max, %x axis 1 : (tensor<2x3xi32>) -> tensor<2xi64>
  %1 = graph.arg_reduce min, %x axis 0 keep_dims select_last : (tensor<2x3xi32>) -> tensor<1x3xi64>
  return
}

// Inclusive and exclusive, forwards and backwards.
// CHECK-LABEL: func.func @cumulative_sum
// CHECK: graph.cumulative_sum %{{.+}} axis 0 : (tensor<5x?xf32>) -> tensor<5x?xf32>
// CHECK: graph.cumulative_sum %{{.+}} axis 1 exclusive reverse : (tensor<5x?xf32>) -> tensor<5x?xf32>
func.func @cumulative_sum(%x: tensor<5x?xf32>) {
  %0 = graph.cumulative_sum %x axis 0 : (tensor<5x?xf32>) -> tensor<5x?xf32>
  %1 = graph.cumulative_sum %x axis 1 exclusive reverse : (tensor<5x?xf32>) -> tensor<5x?xf32>
  return
}
