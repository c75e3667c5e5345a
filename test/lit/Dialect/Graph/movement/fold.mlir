// RUN: atc-opt %s --split-input-file --canonicalize | FileCheck %s

// Two permutations are one; one that undoes the other is none.
// CHECK-LABEL: func.func @transposes
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[T:.+]] = graph.transpose %[[X]] [2, 1, 0]
// CHECK-NEXT: return %[[T]], %[[X]]
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>, tensor<2x3x4xf32>) {
  %0 = graph.transpose %x [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.transpose %0 [1, 0, 2] : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %2 = graph.transpose %0 [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  return %1, %2 : tensor<4x3x2xf32>, tensor<2x3x4xf32>
}

// -----

// Of two reshapes the last one counts.
// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[R:.+]] = graph.reshape %[[X]] : (tensor<2x3x4xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: return %[[R]], %[[X]]
func.func @reshapes(%x: tensor<2x3x4xf32>) -> (tensor<4x6xf32>, tensor<2x3x4xf32>) {
  %0 = graph.reshape %x : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %1 = graph.reshape %0 : (tensor<24xf32>) -> tensor<4x6xf32>
  %2 = graph.reshape %0 : (tensor<24xf32>) -> tensor<2x3x4xf32>
  return %1, %2 : tensor<4x6xf32>, tensor<2x3x4xf32>
}

// -----

// The shape operand goes once the type says it all.
// CHECK-LABEL: func.func @shape_implied
// CHECK-NEXT: graph.reshape %{{[^ ]+}} : (tensor<?x4xf32>) -> tensor<?x2xf32>
func.func @shape_implied(%x: tensor<?x4xf32>, %s: tensor<2xi64>) -> tensor<?x2xf32> {
  %0 = graph.reshape %x shape %s : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// Beside a size of 0 nothing tells the unknown one.
// CHECK-LABEL: func.func @shape_not_implied
// CHECK: graph.reshape %{{.+}} shape %{{.+}}
func.func @shape_not_implied(%x: tensor<0x4xf32>, %s: tensor<2xi64>) -> tensor<?x0xf32> {
  %0 = graph.reshape %x shape %s allow_zero : (tensor<0x4xf32>, tensor<2xi64>) -> tensor<?x0xf32>
  return %0 : tensor<?x0xf32>
}

// -----

// Equal types with two unknown dims may still differ in shape.
// CHECK-LABEL: func.func @reshape_same_type_dynamic
// CHECK: graph.reshape
func.func @reshape_same_type_dynamic(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = graph.reshape %x shape %s : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Constants move.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[T:.+]] = graph.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
// CHECK-DAG: %[[E:.+]] = graph.constant dense<{{\[\[}}1, 1], [2, 2]]> : tensor<2x2xi64>
// CHECK-DAG: %[[S:.+]] = graph.constant dense<{{\[\[}}2], [5]]> : tensor<2x1xi64>
// CHECK-DAG: %[[R:.+]] = graph.constant dense<{{\[\[}}3, 2, 1], [6, 5, 4]]> : tensor<2x3xi64>
// CHECK-DAG: %[[C:.+]] = graph.constant dense<{{\[\[}}1, 2, 3, 2], [4, 5, 6, 5]]> : tensor<2x4xi64>
// CHECK-DAG: %[[L:.+]] = graph.constant dense<[1, 2, 1, 2]> : tensor<4xi64>
// CHECK: return %[[T]], %[[E]], %[[S]], %[[R]], %[[C]], %[[L]]
func.func @constants() -> (tensor<3x2xi64>, tensor<2x2xi64>, tensor<2x1xi64>, tensor<2x3xi64>, tensor<2x4xi64>, tensor<4xi64>) {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %y = graph.constant dense<[[1], [2]]> : tensor<2x1xi64>
  %z = graph.constant dense<[1, 2]> : tensor<2xi64>
  %0 = graph.transpose %x [1, 0] : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %1 = graph.expand %y : (tensor<2x1xi64>) -> tensor<2x2xi64>
  %2 = graph.slice %x starts [0, 1] limits [2, 3] steps [1, 2] : (tensor<2x3xi64>) -> tensor<2x1xi64>
  %3 = graph.reverse %x axes [1] : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %4 = graph.concat %x, %2 axis 1 : (tensor<2x3xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>
  %5 = graph.tile %z [2] : (tensor<2xi64>) -> tensor<4xi64>
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xi64>, tensor<2x2xi64>, tensor<2x1xi64>, tensor<2x3xi64>, tensor<2x4xi64>, tensor<4xi64>
}

// -----

// Movements that move nothing.
// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.+]]: tensor<2x?xf32>, %[[E:.+]]: tensor<2x0xf32>, %[[V:.+]]: tensor<f32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<2x?xf32>, %e: tensor<2x0xf32>, %v: tensor<f32>) -> (tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>) {
  %0 = graph.slice %x starts [0, 0] limits [2, 9223372036854775807] steps [1, 1] : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = graph.pad %x, %v low [0, 0] high [0, 0] mode constant : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  %2 = graph.concat %e, %x axis 1 : (tensor<2x0xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %3 = graph.reverse %x axes [0] : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %4 = graph.reverse %3 axes [0] : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %0, %1, %2, %4 : tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>
}

// -----

// A limit may cut an unknown dim.
// CHECK-LABEL: func.func @slice_of_unknown
// CHECK: graph.slice
func.func @slice_of_unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.slice %x starts [0] limits [100] steps [1] : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
