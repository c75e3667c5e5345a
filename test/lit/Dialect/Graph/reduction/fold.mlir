// RUN: atc-opt %s --split-input-file --canonicalize | FileCheck %s

// Small integers reduce; over nothing the neutral element is left.
// CHECK-LABEL: func.func @integers
// CHECK-DAG: %[[SUM:.+]] = graph.constant dense<[6, 15]> : tensor<2xi64>
// CHECK-DAG: %[[PRODUCT:.+]] = graph.constant dense<{{\[\[}}4, 10, 18]]> : tensor<1x3xi64>
// CHECK-DAG: %[[MAX:.+]] = graph.constant dense<6> : tensor<i64>
// CHECK-DAG: %[[NONE:.+]] = graph.constant dense<1> : tensor<i64>
// CHECK: return %[[SUM]], %[[PRODUCT]], %[[MAX]], %[[NONE]]
func.func @integers() -> (tensor<2xi64>, tensor<1x3xi64>, tensor<i64>, tensor<i64>) {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %e = graph.constant dense<> : tensor<0xi64>
  %0 = graph.reduce sum, %x axes [1] : (tensor<2x3xi64>) -> tensor<2xi64>
  %1 = graph.reduce product, %x axes [0] keep_dims : (tensor<2x3xi64>) -> tensor<1x3xi64>
  %2 = graph.reduce max, %x axes [0, 1] : (tensor<2x3xi64>) -> tensor<i64>
  %3 = graph.reduce product, %e axes [0] : (tensor<0xi64>) -> tensor<i64>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<1x3xi64>, tensor<i64>, tensor<i64>
}

// -----

// The largest unsigned byte is 255, the smallest signed one -128.
// CHECK-LABEL: func.func @signs
// CHECK-DAG: %[[U:.+]] = graph.constant dense<255> : tensor<ui8>
// CHECK-DAG: %[[S:.+]] = graph.constant dense<-128> : tensor<i8>
// CHECK: return %[[U]], %[[S]]
func.func @signs() -> (tensor<ui8>, tensor<i8>) {
  %u = graph.constant dense<[1, 255]> : tensor<2xui8>
  %s = graph.constant dense<[1, -128]> : tensor<2xi8>
  %0 = graph.reduce max, %u axes [0] : (tensor<2xui8>) -> tensor<ui8>
  %1 = graph.reduce min, %s axes [0] : (tensor<2xi8>) -> tensor<i8>
  return %0, %1 : tensor<ui8>, tensor<i8>
}

// -----

// Booleans: any and all.
// CHECK-LABEL: func.func @booleans
// CHECK-DAG: %[[ANY:.+]] = graph.constant dense<true> : tensor<i1>
// CHECK-DAG: %[[ALL:.+]] = graph.constant dense<false> : tensor<i1>
// CHECK: return %[[ANY]], %[[ALL]]
func.func @booleans() -> (tensor<i1>, tensor<i1>) {
  %b = graph.constant dense<[true, false]> : tensor<2xi1>
  %0 = graph.reduce max, %b axes [0] : (tensor<2xi1>) -> tensor<i1>
  %1 = graph.reduce min, %b axes [0] : (tensor<2xi1>) -> tensor<i1>
  return %0, %1 : tensor<i1>, tensor<i1>
}

// -----

// A float sum is left to compiled code: its order is the target's.
// CHECK-LABEL: func.func @floats
// CHECK: graph.reduce
func.func @floats() -> tensor<f32> {
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.reduce sum, %x axes [0] : (tensor<2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Over no dim at all there is nothing to do.
// CHECK-LABEL: func.func @no_dim
// CHECK-SAME: (%[[X:.+]]: tensor<2x?xf32>)
// CHECK-NEXT: return %[[X]]
func.func @no_dim(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = graph.reduce mean, %x axes [] : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
