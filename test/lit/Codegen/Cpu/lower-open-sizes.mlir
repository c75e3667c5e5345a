// RUN: atc-opt %s -split-input-file -pass-pipeline='builtin.module(atc-cpu-lower-kernels,canonicalize,cse)' | FileCheck %s --enable-var-scope

// Loops over open dims merge as those over known ones do: one loop, whose size
// is a multiple of the lanes, so that no vector is partly filled.

// CHECK-LABEL: func.func @merged(
// CHECK-SAME: %[[X:[^:]+]]: memref<?xf32>, %[[Y:[^:]+]]: memref<?xf32>, %[[N:[^:]+]]: index, %[[M:[^:]+]]: index,
// CHECK: %[[ROWS:.+]] = arith.muli %[[N]], %[[M]]
// CHECK: %[[SIZE:.+]] = arith.muli %[[ROWS]], %c16
// CHECK: scf.for %[[TILE:.+]] =
// CHECK: scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %c8
// CHECK: vector.load %[[X]][%[[I]]]
// CHECK: vector.store %{{.+}}, %[[Y]][%[[I]]]
// CHECK-NOT: scf.if
// CHECK: return
module {
  func.func @merged(%x: tensor<?x?x16xf32>, %n: index, %m: index) -> tensor<?x?x16xf32>
      attributes {graph.config = #graph.config<template = "pointwise",
        tiles = [affine_map<()[s0, s1] -> (((s0 * s1) * 16) ceildiv 8192)>],
        params = {lanes = 8 : i64, split = 0 : i64, chunk = 8192 : i64}>,
        graph.shapes = [affine_map<()[s0, s1] -> (s0, s1, 16)>, affine_map<()[s0, s1] -> (s0, s1, 16)>]} {
    %0 = graph.relu %x {graph.sizes = [affine_map<()[s0, s1] -> (s0, s1, 16)>]} : (tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    return %0 : tensor<?x?x16xf32>
  }
}

// -----

// The last vector of a range of unknown length holds what is left.

// CHECK-LABEL: func.func @tail(
// CHECK: %[[REST:.+]] = arith.remui %{{.+}}, %c8
// CHECK: scf.for
// CHECK: vector.load
// CHECK: %[[HAS:.+]] = arith.cmpi ne, %[[REST]], %c0
// CHECK: scf.if %[[HAS]]
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
module {
  func.func @tail(%x: tensor<?xf32>, %n: index) -> tensor<?xf32>
      attributes {graph.config = #graph.config<template = "pointwise",
        tiles = [affine_map<()[s0] -> (s0 ceildiv 8192)>],
        params = {lanes = 8 : i64, split = 0 : i64, chunk = 8192 : i64}>,
        graph.shapes = [affine_map<()[s0] -> (s0)>, affine_map<()[s0] -> (s0)>]} {
    %0 = graph.relu %x {graph.sizes = [affine_map<()[s0] -> (s0)>]} : (tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
