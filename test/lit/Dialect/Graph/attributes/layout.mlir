// RUN: atc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Every field, in one order whatever the input's.
// CHECK: @fields(tensor<4x8xf32, #graph.layout<perm = [1, 0], tile = {{\[\[}}0, 2], [0, 2]]>>)
func.func private @fields(tensor<4x8xf32, #graph.layout<tile = [[0, 2], [0, 2]], perm = [1, 0]>>)
// CHECK: @halo(tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1], halo = {{\[\[}}2, 1, 1], [3, 0, 2]]>>)
func.func private @halo(tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1], halo = [[2, 1, 1], [3, 0, 2]]>>)

// A scalar has a layout without dims.
// CHECK: @scalar(tensor<f32, #graph.layout<perm = []>>)
func.func private @scalar(tensor<f32, #graph.layout<perm = []>>)

// -----

// expected-error @below {{expects a permutation, positive tiles and non-negative halos}}
func.func private @layout_c1_permutation(tensor<4x8xf32, #graph.layout<perm = [1, 1]>>)

// -----

// expected-error @below {{expects a layout of rank 2, got rank 3}}
func.func private @layout_c1_rank(tensor<4x8xf32, #graph.layout<perm = [0, 1, 2]>>)

// -----

// expected-error @below {{expects a permutation, positive tiles}}
func.func private @layout_c2_tile(tensor<4x8xf32, #graph.layout<perm = [0, 1], tile = [[1, 0]]>>)

// -----

// expected-error @below {{expects a permutation, positive tiles}}
func.func private @layout_c2_dim(tensor<4x8xf32, #graph.layout<perm = [0, 1], tile = [[2, 4]]>>)

// -----

// expected-error @below {{expects a permutation, positive tiles and non-negative halos}}
func.func private @layout_c3_halo(tensor<4x8xf32, #graph.layout<perm = [0, 1], halo = [[1, -1, 0]]>>)

// -----

// expected-error @below {{and no dim with both}}
func.func private @layout_c4_both(tensor<4x8xf32, #graph.layout<perm = [0, 1], tile = [[1, 4]], halo = [[1, 1, 1]]>>)

// -----

// expected-error @below {{expects 3 integers, got 2}}
func.func private @layout_arity(tensor<4x8xf32, #graph.layout<perm = [0, 1], halo = [[1, 1]]>>)

// -----

// expected-error @below {{unknown field 'stride'}}
func.func private @layout_field(tensor<4x8xf32, #graph.layout<stride = [0, 1]>>)

// -----

// expected-error @below {{'perm' is given twice}}
func.func private @layout_twice(tensor<4x8xf32, #graph.layout<perm = [0, 1], perm = [1, 0]>>)

// -----

// expected-error @below {{expects dims that are not negative}}
func.func private @layout_negative(tensor<4x8xf32, #graph.layout<perm = [0, -1]>>)
