// RUN: atc-opt %s --split-input-file --canonicalize | FileCheck %s

// Constants are picked; negative indices count from the end.
// CHECK-LABEL: func.func @gather
// CHECK: graph.constant dense<{{\[\[}}3, 1], [6, 4]]> : tensor<2x2xi64>
func.func @gather() -> tensor<2x2xi64> {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %i = graph.constant dense<[-1, 0]> : tensor<2xi64>
  %0 = graph.gather %x, %i axis 1 : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

// Of a shape that is known in part, the known sizes fold.
// CHECK-LABEL: func.func @known_sizes
// CHECK-NEXT: %[[C:.+]] = graph.constant dense<[3, 5]> : tensor<2xi64>
// CHECK-NEXT: return %[[C]]
func.func @known_sizes(%x: tensor<?x3x5xf32>) -> tensor<2xi64> {
  %n = graph.shape_of %x : (tensor<?x3x5xf32>) -> tensor<3xi64>
  %i = graph.constant dense<[1, 2]> : tensor<2xi64>
  %0 = graph.gather %n, %i axis 0 : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// An unknown size does not.
// CHECK-LABEL: func.func @unknown_size
// CHECK: graph.gather
func.func @unknown_size(%x: tensor<?x3x5xf32>) -> tensor<2xi64> {
  %n = graph.shape_of %x : (tensor<?x3x5xf32>) -> tensor<3xi64>
  %i = graph.constant dense<[0, 2]> : tensor<2xi64>
  %0 = graph.gather %n, %i axis 0 : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// An index out of range is left to run time.
// CHECK-LABEL: func.func @out_of_range
// CHECK: graph.gather
func.func @out_of_range() -> tensor<i64> {
  %x = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  %i = graph.constant dense<3> : tensor<i64>
  %0 = graph.gather %x, %i axis 0 : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
