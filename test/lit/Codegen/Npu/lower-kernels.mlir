// RUN: atc-opt %s --split-input-file --atc-npu-lower-kernels | FileCheck %s --enable-var-scope

// A matrix product with bias and relu: rows and fractals to L1, to L0, products
// on top of the bias, and out through conversion and activation.
// CHECK-LABEL: func.func @cube_0
// CHECK-SAME: (%[[X:.+]]: memref<?xi8, #npu.space<gm>>, %[[W:.+]]: memref<?xi8, #npu.space<gm>>, %[[B:.+]]: memref<?xi8, #npu.space<gm>>, %[[Y:.+]]: memref<?xi8, #npu.space<gm>>)
// CHECK-SAME: npu.core = "fused"
// CHECK: scf.for
// CHECK: npu.copy_gm_to_l1
// CHECK: npu.load_bias f16
// CHECK: scf.for
// CHECK: npu.nd2nz b16 off
// CHECK: npu.copy_gm_to_l1
// CHECK: scf.for
// CHECK: npu.load3d_l0a
// CHECK: npu.load2d_l0b off
// CHECK: scf.if
// CHECK: npu.mmad f16 bias
// CHECK: npu.mmad f16 accumulate
// CHECK: npu.fixpipe_to_gm f32 f16 relu nd
#fractals = #graph.layout<perm = [0, 1], tile = [[1, 16], [0, 16]]>
#config = #graph.config<template = "cube", tiles = [affine_map<() -> (2)>], params = {rows = 1 : i64, columns = 16 : i64, channels = 32 : i64, channel_blocks = 2 : i64, depth_blocks = 1 : i64, accumulators = 2 : i64}>
module @cube_0 {
func.func @cube_0(%x: tensor<16x32xf16>, %w: tensor<32x64xf16, #fractals>, %b: tensor<64xf16>) -> tensor<16x64xf16> attributes {graph.config = #config} {
  %0 = graph.matmul %x, %w : (tensor<16x32xf16>, tensor<32x64xf16, #fractals>) -> tensor<16x64xf16>
  %1 = graph.add %0, %b : (tensor<16x64xf16>, tensor<64xf16>) -> tensor<16x64xf16>
  %2 = graph.relu %1 : (tensor<16x64xf16>) -> tensor<16x64xf16>
  return %2 : tensor<16x64xf16>
}
}

// -----

// An elementwise op: rows to UB, one instruction on the tile, rows back.
// CHECK-LABEL: func.func @vector_0
// CHECK: scf.for
// CHECK: npu.copy_gm_to_ub
// CHECK: npu.copy_gm_to_ub
// CHECK: npu.vbinary add f16
// CHECK: npu.copy_ub_to_gm
module @vector_0 {
func.func @vector_0(%x: tensor<512xf16>, %y: tensor<512xf16>) -> tensor<512xf16> attributes {graph.config = #graph.config<template = "vector", tiles = [affine_map<() -> (2)>]>} {
  %0 = graph.add %x, %y : (tensor<512xf16>, tensor<512xf16>) -> tensor<512xf16>
  return %0 : tensor<512xf16>
}
}
