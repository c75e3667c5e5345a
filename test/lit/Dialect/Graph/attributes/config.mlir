// RUN: atc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Fields that say nothing are not printed.
// CHECK: config = #graph.config<template = "copy">
module attributes {test.config = #graph.config<template = "copy", tiles = [], scratch = 0, workspace = [], inplace = [], params = {}>} {}

// -----

// CHECK: config = #graph.config<template = "gemm", tiles = [#map, #map1], scratch = 64, workspace = [1, 2], inplace = {{\[\[}}0, 1]], params = {mr = 6 : i64}>
module attributes {test.config = #graph.config<template = "gemm", tiles = [affine_map<() -> (42)>, affine_map<()[s0] -> (s0 ceildiv 4)>], scratch = 64, workspace = [1, 2], inplace = [[0, 1]], params = {mr = 6 : i64}>} {}

// -----

// expected-error @below {{expects tile maps of one result and no dims, got affine_map<(d0) -> (d0)>}}
module attributes {test.config = #graph.config<template = "gemm", tiles = [affine_map<(d0) -> (d0)>]>} {}

// -----

// expected-error @below {{expects sizes in bytes that are not negative}}
module attributes {test.config = #graph.config<template = "gemm", workspace = [-1]>} {}

// -----

// expected-error @below {{expects inplace to hold pairs of a result and an operand}}
module attributes {test.config = #graph.config<template = "gemm", inplace = [[0, -1]]>} {}

// -----

// expected-error @below {{expects a template}}
module attributes {test.config = #graph.config<scratch = 1>} {}

// -----

// The module attribute that names the target is a string.
// expected-error @below {{expects 'graph.target' to be a string on a module}}
module attributes {graph.target = 3 : i64} {}
