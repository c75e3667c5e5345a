// RUN: atc-opt %s --split-input-file --verify-diagnostics --atc-npu-lower-kernels | FileCheck %s --enable-var-scope

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

// -----

// A convolution reads the rows under its tile and lets img2col add the padding.
// CHECK-LABEL: func.func @cube_0
// CHECK: npu.nd2nz b16
// CHECK: npu.load3d_l0a
// CHECK: npu.mmad f16
// CHECK: npu.fixpipe_to_gm
#channelsLast = #graph.layout<perm = [0, 2, 3, 1]>
#fractals = #graph.layout<perm = [1, 2, 3, 0], tile = [[0, 16], [1, 16]]>
module @cube_0 {
func.func @cube_0(%x: tensor<1x16x8x8xf16, #channelsLast>, %w: tensor<16x16x3x3xf16, #fractals>) -> tensor<1x16x8x8xf16, #channelsLast> attributes {graph.config = #graph.config<template = "cube", tiles = [affine_map<() -> (2)>], params = {rows = 4 : i64, columns = 8 : i64, channels = 16 : i64, channel_blocks = 1 : i64, depth_blocks = 3 : i64, accumulators = 2 : i64}>} {
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x16x8x8xf16, #channelsLast>, tensor<16x16x3x3xf16, #fractals>) -> tensor<1x16x8x8xf16, #channelsLast>
  return %0 : tensor<1x16x8x8xf16, #channelsLast>
}
}

// -----

// A function without a configuration is none of this pass's business.
// CHECK-LABEL: func.func @no_kernel
// CHECK-NEXT: graph.relu
// CHECK-NOT: npu.
module {
func.func @no_kernel(%x: tensor<512xf16>) -> tensor<512xf16> {
  %0 = graph.relu %x : (tensor<512xf16>) -> tensor<512xf16>
  return %0 : tensor<512xf16>
}
}

// -----

module {
// expected-error @+1 {{has the unknown template 'gemv'}}
func.func @unknown_template(%x: tensor<512xf16>) -> tensor<512xf16> attributes {graph.config = #graph.config<template = "gemv", tiles = [affine_map<() -> (1)>]>} {
  %0 = graph.relu %x : (tensor<512xf16>) -> tensor<512xf16>
  return %0 : tensor<512xf16>
}
}

// -----

module {
// Lowering carries out a configuration; one that the buffers cannot hold is an
// error, not a reason to choose another.
// expected-error @+1 {{has a tiling that does not fit TinyNpu}}
func.func @too_large(%x: tensor<256x32xf16>, %y: tensor<32x64xf16>) -> tensor<256x64xf16> attributes {graph.config = #graph.config<template = "cube", tiles = [affine_map<() -> (1)>], params = {rows = 1 : i64, columns = 256 : i64, channels = 64 : i64, channel_blocks = 2 : i64, depth_blocks = 2 : i64, accumulators = 1 : i64}>} {
  %0 = graph.matmul %x, %y : (tensor<256x32xf16>, tensor<32x64xf16>) -> tensor<256x64xf16>
  return %0 : tensor<256x64xf16>
}
}
