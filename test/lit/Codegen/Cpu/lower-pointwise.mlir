// RUN: atc-opt %s -split-input-file -pass-pipeline='builtin.module(atc-cpu-lower-kernels,canonicalize,cse)' | FileCheck %s --enable-var-scope

// All dims merge to one loop of vectors; the operand's and the result's buffer
// may be the same.

// CHECK-LABEL: func.func @relu(
// CHECK-SAME: %[[X:[^:]+]]: memref<?xf32>, %[[Y:[^:]+]]: memref<?xf32>,
// CHECK-SAME: %{{.+}}: memref<?xi8>, %[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index)
// CHECK-SAME: shared_buffers = array<i64: 0, 1>
// CHECK: scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK: scf.for %[[I:.+]] = %c0 to %c1024 step %c8
// CHECK: %[[V:.+]] = vector.load %[[X]][%[[I]]]
// CHECK: vector.store %{{.+}}, %[[Y]][%[[I]]]
module {
  func.func @relu(%x: tensor<4x256xf32>) -> tensor<4x256xf32>
      attributes {graph.config = #graph.config<template = "pointwise",
        tiles = [affine_map<() -> (1)>], inplace = [[0, 0]],
        params = {lanes = 8 : i64, split = 0 : i64, chunk = 1024 : i64}>} {
    %0 = graph.relu %x : (tensor<4x256xf32>) -> tensor<4x256xf32>
    return %0 : tensor<4x256xf32>
  }
}

// -----

// A bias repeats along the inner loop: one scalar load per row.

// CHECK-LABEL: func.func @bias(
// CHECK-SAME: %[[X:[^:]+]]: memref<?xf32>, %[[B:[^:]+]]: memref<?xf32>,
// CHECK: scf.for %[[ROW:.+]] = %c0 to %c4
// CHECK: scf.for
// CHECK: vector.load %[[X]]
// CHECK: memref.load %[[B]][%[[ROW]]]
module {
  func.func @bias(%x: tensor<4x256xf32>, %b: tensor<4x1xf32>) -> tensor<4x256xf32>
      attributes {graph.config = #graph.config<template = "pointwise",
        tiles = [affine_map<() -> (1)>],
        params = {lanes = 8 : i64, split = 0 : i64, chunk = 4 : i64}>} {
    %0 = graph.add %x, %b : (tensor<4x256xf32>, tensor<4x1xf32>) -> tensor<4x256xf32>
    return %0 : tensor<4x256xf32>
  }
}

// -----

// A transposition reads squares of vectors along the operand's rows.

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %[[X:[^:]+]]: memref<?xf32>
// CHECK-COUNT-8: vector.load %[[X]]
// CHECK-NOT: memref.load
// CHECK: vector.shuffle
module {
  func.func @transpose(%x: tensor<64x32xf32>) -> tensor<32x64xf32>
      attributes {graph.config = #graph.config<template = "pointwise",
        tiles = [affine_map<() -> (1)>],
        params = {block = 0 : i64, lanes = 8 : i64, split = 0 : i64, chunk = 32 : i64}>} {
    %0 = graph.transpose %x [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    return %0 : tensor<32x64xf32>
  }
}
