// RUN: atc-opt %s --split-input-file --atc-build-program | FileCheck %s

#nhwc = #graph.layout<perm = [0, 2, 3, 1]>
#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>

// A transposition that is the difference of two layouts moves nothing, and the
// producer behind it writes the output directly.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[Y:.+]] = plan.output 0 "output0" : !plan.view<1x4x4x8xf32>
// CHECK: %[[V:.+]] = plan.view %[[Y]][0] : !plan.buffer<output> -> !plan.view<1x8x4x4xf32, [128, 1, 32, 8]>
// CHECK: plan.launch @k[0] (read %{{.+}}, write %[[V]]
// CHECK-NOT: plan.copy
module {
  module @k {
    func.func @k(%a: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc> attributes {graph.config = #config} {
      %0 = graph.relayout %a : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc>
      return %0 : tensor<1x8x4x4xf32, #nhwc>
    }
  }
  func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32> {
    %0 = graph.launch @k(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc>
    %1 = graph.transpose %0 [0, 2, 3, 1] : (tensor<1x8x4x4xf32, #nhwc>) -> tensor<1x4x4x8xf32>
    return %1 : tensor<1x4x4x8xf32>
  }
}

// -----

// A transposition of a row-major input moves elements.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[V:.+]] = plan.view %{{.+}}[0] : !plan.buffer<input> -> !plan.view<4x2xf32, [1, 4]>
// CHECK: plan.copy %[[V]] to
module {
  func.func @main(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
    %0 = graph.transpose %x [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>

// Reshapes of dense tensors are views, also one behind the other.
// CHECK-LABEL: plan.program @main.plan
// CHECK: plan.launch @k[0] (read %{{.+}} : !plan.view<2x12xf32>, write %{{.+}} : !plan.view<2x12xf32>)
// CHECK-NOT: plan.copy
module {
  module @k {
    func.func @k(%a: tensor<2x12xf32>) -> tensor<2x12xf32> attributes {graph.config = #config} {
      return %a : tensor<2x12xf32>
    }
  }
  func.func @main(%x: tensor<2x3x4xf32>) -> tensor<24x1xf32> {
    %0 = graph.reshape %x : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
    %1 = graph.launch @k(%0) : (tensor<2x12xf32>) -> tensor<2x12xf32>
    %2 = graph.reshape %1 : (tensor<2x12xf32>) -> tensor<24xf32>
    %3 = graph.reshape %2 : (tensor<24xf32>) -> tensor<24x1xf32>
    return %3 : tensor<24x1xf32>
  }
}

// -----

#nhwc = #graph.layout<perm = [0, 2, 3, 1]>
#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>

// Merging dims that do not lie in order takes a copy, straight to the output.
// CHECK-LABEL: plan.program @main.plan
// CHECK: plan.launch @k[0]
// CHECK: plan.copy %{{.+}} to %{{.+}} : !plan.view<1x8x4x4xf32, [128, 1, 32, 8]>, !plan.view<1x8x4x4xf32>
// CHECK-NOT: plan.copy
module {
  module @k {
    func.func @k(%a: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc> attributes {graph.config = #config} {
      %0 = graph.relayout %a : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc>
      return %0 : tensor<1x8x4x4xf32, #nhwc>
    }
  }
  func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x128xf32> {
    %0 = graph.launch @k(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc>
    %1 = graph.reshape %0 : (tensor<1x8x4x4xf32, #nhwc>) -> tensor<1x128xf32>
    return %1 : tensor<1x128xf32>
  }
}

// -----

#halo = #graph.layout<perm = [0, 2, 3, 1], halo = [[2, 1, 1], [3, 1, 1]]>
#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>

// Channels concatenated inside one halo: it is zeroed once, before the first
// slice is written, and serves the reader of a slice too.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[B:.+]] = plan.arena fixed 2304
// CHECK: %[[ALL:.+]] = plan.view %[[B]][448] : !plan.buffer<arena> -> !plan.view<1x16x4x4xf32, [576, 1, 96, 16]>
// CHECK: plan.zero_halo %[[ALL]] low [0, 0, 1, 1] high [0, 0, 1, 1]
// CHECK: %[[LEFT:.+]] = plan.view %[[B]][448] : !plan.buffer<arena> -> !plan.view<1x8x4x4xf32, [576, 1, 96, 16]>
// CHECK: plan.launch @k_pitched[0] (read %{{.+}}, write %[[LEFT]]
// CHECK: %[[RIGHT:.+]] = plan.view %[[B]][480]
// CHECK: plan.launch @k_pitched[0] (read %{{.+}}, write %[[RIGHT]]
// CHECK-NOT: plan.zero_halo
// CHECK: plan.launch @use_pitched[0] (read %[[LEFT]]
// CHECK: plan.launch @use_all[0] (read %[[ALL]]
module {
  module @k {
    func.func @k(%a: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #halo> attributes {graph.config = #config} {
      %0 = graph.relayout %a : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #halo>
      return %0 : tensor<1x8x4x4xf32, #halo>
    }
  }
  module @use {
    func.func @use(%a: tensor<1x8x4x4xf32, #halo>) -> tensor<1x8x4x4xf32> attributes {graph.config = #config} {
      %0 = graph.relayout %a : (tensor<1x8x4x4xf32, #halo>) -> tensor<1x8x4x4xf32>
      return %0 : tensor<1x8x4x4xf32>
    }
  }
  module @use_all {
    func.func @use_all(%a: tensor<1x16x4x4xf32, #halo>) -> tensor<1x16x4x4xf32> attributes {graph.config = #config} {
      %0 = graph.relayout %a : (tensor<1x16x4x4xf32, #halo>) -> tensor<1x16x4x4xf32>
      return %0 : tensor<1x16x4x4xf32>
    }
  }
  func.func @main(%x: tensor<1x8x4x4xf32>, %y: tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x16x4x4xf32>) {
    %0 = graph.launch @k(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #halo>
    %1 = graph.launch @k(%y) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #halo>
    %2 = graph.launch @use(%0) : (tensor<1x8x4x4xf32, #halo>) -> tensor<1x8x4x4xf32>
    %3 = graph.concat %0, %1 axis 1 : (tensor<1x8x4x4xf32, #halo>, tensor<1x8x4x4xf32, #halo>) -> tensor<1x16x4x4xf32, #halo>
    %4 = graph.launch @use_all(%3) : (tensor<1x16x4x4xf32, #halo>) -> tensor<1x16x4x4xf32>
    return %2, %4 : tensor<1x8x4x4xf32>, tensor<1x16x4x4xf32>
  }
}
