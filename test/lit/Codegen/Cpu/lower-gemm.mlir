// RUN: atc-opt %s -split-input-file -pass-pipeline='builtin.module(atc-cpu-lower-kernels,canonicalize,cse)' | FileCheck %s --enable-var-scope

// A batch of packed right operands: product p begins behind p panels, here of
// 2 x 8 elements each, whatever the logical sizes.

// CHECK-LABEL: func.func @batch(
// CHECK-SAME: %{{[^:]+}}: memref<?xf32>, %[[B:[^:]+]]: memref<?xf32>,
// CHECK-DAG: %[[PANEL:.+]] = arith.constant 16 : index
// CHECK: scf.for %[[P:.+]] =
// CHECK: %[[BASE:.+]] = arith.muli %[[P]], %[[PANEL]]
// CHECK: vector.load %[[B]][%{{.*}}]
module {
  func.func @batch(%a: tensor<2x3x2xf32>,
                   %b: tensor<2x2x3xf32, #graph.layout<perm = [0, 2, 1], tile = [[2, 8]]>>)
      -> tensor<2x3x3xf32>
      attributes {graph.config = #graph.config<template = "gemm",
        tiles = [affine_map<() -> (2)>],
        params = {block_tiles = 1 : i64, copy_left = 0 : i64, copy_right = 0 : i64,
                  depth = 2 : i64, depth_limit = 768 : i64, lanes = 8 : i64,
                  panel_tiles = 1 : i64, split_columns = 0 : i64,
                  tile_rows = 3 : i64, tile_vectors = 1 : i64}>} {
    %0 = graph.matmul %a, %b
      : (tensor<2x3x2xf32>, tensor<2x2x3xf32, #graph.layout<perm = [0, 2, 1], tile = [[2, 8]]>>)
      -> tensor<2x3x3xf32>
    return %0 : tensor<2x3x3xf32>
  }
}
