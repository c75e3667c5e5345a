// RUN: atc-opt %s -split-input-file -pass-pipeline='builtin.module(atc-cpu-lower-kernels,canonicalize,cse)' | FileCheck %s --enable-var-scope

// One index for a whole row is read and checked once per row: a negative one
// counts from the end, another one outside is clamped and reported.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:[^:]+]]: memref<?xf32>, %[[I:[^:]+]]: memref<?xi64>,
// CHECK: scf.for
// CHECK: %[[INDEX:.+]] = memref.load %[[I]]
// CHECK: %[[POSITION:.+]] = arith.index_cast %[[INDEX]]
// CHECK: %[[NEGATIVE:.+]] = arith.cmpi slt, %[[POSITION]], %c0
// CHECK: %[[END:.+]] = arith.addi %[[POSITION]], %c10
// CHECK: %[[WANTED:.+]] = arith.select %[[NEGATIVE]], %[[END]], %[[POSITION]]
// CHECK: %[[LOW:.+]] = arith.minsi %[[WANTED]], %c9
// CHECK: %[[TAKEN:.+]] = arith.maxsi %[[LOW]], %c0
// CHECK: %[[FAULT:.+]] = arith.cmpi ne, %[[WANTED]], %[[TAKEN]]
// CHECK: scf.if %[[FAULT]] {
// CHECK-NEXT: func.call @atc_import_report_fault(%c0_i32) : (i32) -> ()
// CHECK-NEXT: }
// CHECK: vector.load %[[X]]
// CHECK: func.func private @atc_import_report_fault(i32)
module {
  func.func @rows(%x: tensor<10x16xf32>, %i: tensor<3xi64>) -> tensor<3x16xf32>
      attributes {graph.config = #graph.config<template = "pointwise",
        tiles = [affine_map<() -> (1)>],
        params = {lanes = 8 : i64, split = 0 : i64, chunk = 3 : i64}>} {
    %0 = graph.gather %x, %i axis 0 : (tensor<10x16xf32>, tensor<3xi64>) -> tensor<3x16xf32>
    return %0 : tensor<3x16xf32>
  }
}

// -----

// Of several indices in a vector any may be outside; lanes behind the end of a
// row that is shorter than the vector mean nothing.

// CHECK-LABEL: func.func @elements(
// CHECK: %[[FAULTS:.+]] = arith.cmpi ne, %{{.+}}, %{{.+}} : vector<8xindex>
// CHECK: %[[REAL:.+]] = arith.andi %[[FAULTS]], %{{.+}} : vector<8xi1>
// CHECK: %[[ANY:.+]] = vector.reduction <or>, %[[REAL]]
// CHECK: scf.if %[[ANY]] {
module {
  func.func @elements(%x: tensor<4x10xf32>, %i: tensor<4x5xi64>, %j: tensor<2x3xi64>,
                      %u: tensor<2x3xf32>) -> tensor<4x5xf32>
      attributes {graph.config = #graph.config<template = "scatter",
        tiles = [affine_map<() -> (1)>, affine_map<() -> (1)>],
        params = {chunk = 4 : i64, lanes = 8 : i64, split = 0 : i64}>} {
    %0 = graph.gather_elements %x, %i axis 1 : (tensor<4x10xf32>, tensor<4x5xi64>) -> tensor<4x5xf32>
    %1 = graph.scatter_elements %0, %j, %u axis 0 reduction none
      : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
    return %1 : tensor<4x5xf32>
  }
}
