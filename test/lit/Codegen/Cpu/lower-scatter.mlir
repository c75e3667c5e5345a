// RUN: atc-opt %s -split-input-file -pass-pipeline='builtin.module(atc-cpu-lower-kernels,canonicalize,cse)' | FileCheck %s --enable-var-scope

// The first launch copies in vectors, the second writes element by element.

// CHECK-LABEL: func.func @elements(
// CHECK-SAME: %[[X:[^:]+]]: memref<?xf32>, %{{[^:]+}}: memref<?xi64>,
// CHECK-SAME: %{{[^:]+}}: memref<?xf32>, %[[Y:[^:]+]]: memref<?xf32>,
// CHECK: %[[COPY:.+]] = vector.load %[[X]]
// CHECK: vector.store %[[COPY]], %[[Y]]

// CHECK-LABEL: func.func @elements.1(
// CHECK-SAME: %[[X:[^:]+]]: memref<?xf32>, %[[I:[^:]+]]: memref<?xi64>,
// CHECK-SAME: %[[U:[^:]+]]: memref<?xf32>, %[[Y:[^:]+]]: memref<?xf32>,
// CHECK-DAG: memref.load %[[I]]
// CHECK-DAG: %[[UPDATE:.+]] = memref.load %[[U]]
// CHECK: memref.store %[[UPDATE]], %[[Y]]
module {
  func.func @elements(%x: tensor<4x8xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>)
      -> tensor<4x8xf32>
      attributes {graph.config = #graph.config<template = "scatter",
        tiles = [affine_map<() -> (1)>, affine_map<() -> (1)>],
        params = {chunk = 4 : i64, lanes = 8 : i64, split = 0 : i64}>} {
    %0 = graph.scatter_elements %x, %i, %u axis 0 reduction none
      : (tensor<4x8xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

// Slices are written in vectors; a reduction reads what is there.

// CHECK-LABEL: func.func @slices.1(
// CHECK-SAME: %{{[^:]+}}: memref<?xf32>, %{{[^:]+}}: memref<?xi64>,
// CHECK-SAME: %[[U:[^:]+]]: memref<?xf32>, %[[Y:[^:]+]]: memref<?xf32>,
// CHECK-DAG: %[[UPDATE:.+]] = vector.load %[[U]]
// CHECK-DAG: %[[OLD:.+]] = vector.load %[[Y]]
// CHECK: %[[SUM:.+]] = arith.addf %[[OLD]], %[[UPDATE]]
// CHECK: vector.store %[[SUM]], %[[Y]]
module {
  func.func @slices(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf32>)
      -> tensor<4x8xf32>
      attributes {graph.config = #graph.config<template = "scatter",
        tiles = [affine_map<() -> (1)>, affine_map<() -> (1)>],
        params = {chunk = 4 : i64, lanes = 8 : i64, split = 0 : i64}>} {
    %0 = graph.scatter_nd %x, %i, %u reduction add
      : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
