// RUN: atc-opt %s -split-input-file -pass-pipeline='builtin.module(atc-cpu-lower-kernels,canonicalize,cse)' | FileCheck %s --enable-var-scope

// An operand is read for each element of a row, in lanes, and once more, as a
// scalar, behind the row.

// CHECK-LABEL: func.func @sum_of_differences(
// CHECK-SAME: %[[X:[^:]+]]: memref<?xf32>, %[[M:[^:]+]]: memref<?xf32>,
// CHECK-SAME: %[[Y:[^:]+]]: memref<?xf32>,
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[LANES:.+]] = vector.broadcast %{{.+}} : f32 to vector<8xf32>
// CHECK: arith.subf %{{.+}}, %[[LANES]]
// CHECK: %[[SUM:.+]] = vector.extract
// CHECK: %[[AGAIN:.+]] = memref.load %[[M]]
// CHECK: %[[TOTAL:.+]] = arith.addf %[[SUM]], %[[AGAIN]] : f32
// CHECK: memref.store %[[TOTAL]], %[[Y]]
module {
  func.func @sum_of_differences(%x: tensor<64xf32>, %m: tensor<1xf32>) -> tensor<1xf32>
      attributes {graph.config = #graph.config<template = "reduce",
        tiles = [affine_map<() -> (1)>],
        params = {chunk = 1 : i64, lanes = 8 : i64, split = 0 : i64, unroll = 2 : i64}>} {
    %0 = graph.sub %x, %m : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
    %1 = graph.reduce sum, %0 axes [0] keep_dims : (tensor<64xf32>) -> tensor<1xf32>
    %2 = graph.add %1, %m : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    return %2 : tensor<1xf32>
  }
}
