// RUN: atc-opt %s --split-input-file --atc-build-program --atc-place-buffers | FileCheck %s

#config = #graph.config<template = "t", tiles = [affine_map<()[s0, s1] -> ((s0 * s1) ceildiv 4)>], scratch = 256>

// Open dims of inputs are scalars of the program. Sizes, strides, bytes, tiles
// and estimates follow from them; a tensor of open size is placed when a shape
// is known, one of static size in the file.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[X:.+]] = plan.input 0 "x" : !plan.view<?x?xf32>
// CHECK-DAG: %[[M:.+]] = plan.dim %[[X]][0] "batch" from 0 to 2147483647
// CHECK-DAG: %[[N:.+]] = plan.dim %[[X]][1] "" from 0 to 2147483647
// CHECK: %[[MN:.+]] = arith.muli %[[M]], %[[N]]
// CHECK: %[[BYTES:.+]] = arith.muli %[[MN]], %c4
// CHECK: %[[TILES:.+]] = arith.ceildivsi %{{.+}}, %c4
// CHECK: %[[Y:.+]] = plan.output 0 "y" sizes(%[[M]], %[[N]]) : !plan.view<?x?xf32>
// CHECK: %[[VX:.+]] = plan.view %[[X]][0] sizes(%[[M]], %[[N]]) strides(%[[N]]) : !plan.buffer<input> -> !plan.view<?x?xf32, [?, 1]>
// CHECK: %[[A:.+]] = plan.arena shape %[[BYTES]]
// CHECK: %[[VA:.+]] = plan.view %[[A]][0] sizes(%[[M]], %[[N]]) strides(%[[N]])
// CHECK: plan.launch @k[0] (read %[[VX]] : {{.+}}, write %[[VA]] : !plan.view<?x?xf32, [?, 1]>) scalars(%[[M]], %[[N]]) tiles %[[TILES]] scratch 256 flops %{{.+}} traffic %{{.+}}
// CHECK: %[[B:.+]] = plan.arena fixed 16
// CHECK: plan.launch @static[0] ({{.+}}) tiles 1 scratch 0
module {
  module @k {
    func.func @k(%a: tensor<?x?xf32>, %d0: index, %d1: index) -> tensor<?x?xf32>
        attributes {graph.config = #config,
                    graph.shapes = [affine_map<()[s0, s1] -> (s0, s1)>, affine_map<()[s0, s1] -> (s0, s1)>]} {
      %0 = graph.relu %a {graph.sizes = [affine_map<()[s0, s1] -> (s0, s1)>]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }
  }
  module @static {
    func.func @static(%a: tensor<4xf32>) -> tensor<4xf32>
        attributes {graph.config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>} {
      return %a : tensor<4xf32>
    }
  }
  func.func @main(%x: tensor<?x?xf32> {graph.name = "x", graph.dims = ["batch", ""]}, %s: tensor<4xf32>)
      -> (tensor<?x?xf32> {graph.name = "y"}, tensor<4xf32>) {
    %m = graph.dim %x axis 0 : (tensor<?x?xf32>) -> index
    %n = graph.dim %x axis 1 : (tensor<?x?xf32>) -> index
    %0 = graph.launch @k(%x) dims(%m, %n) : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32>
    %1 = graph.launch @k(%0) dims(%m, %n) : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32>
    %2 = graph.launch @static(%s) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = graph.launch @static(%2) : (tensor<4xf32>) -> tensor<4xf32>
    return %1, %3 : tensor<?x?xf32>, tensor<4xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<()[s0] -> (s0)>], inplace = [[0, 0]]>
#broadcast = #graph.config<template = "t", tiles = [affine_map<()[s0, s1] -> (s0)>], inplace = [[0, 0]]>

// A result overwrites an operand whose size is the same expression, not one
// that may be larger or smaller at run time.
// CHECK-LABEL: plan.program @main.plan
// CHECK-COUNT-2: plan.arena shape
// CHECK-NOT: plan.arena
// CHECK-NOT: plan.copy
module {
  module @k {
    func.func @k(%a: tensor<?xf32>, %d0: index) -> tensor<?xf32>
        attributes {graph.config = #config, graph.shapes = [affine_map<()[s0] -> (s0)>, affine_map<()[s0] -> (s0)>]} {
      return %a : tensor<?xf32>
    }
  }
  module @b {
    func.func @b(%a: tensor<?xf32>, %c: tensor<?xf32>, %d0: index, %d1: index) -> tensor<?xf32>
        attributes {graph.config = #broadcast,
                    graph.shapes = [affine_map<()[s0, s1] -> (s0)>, affine_map<()[s0, s1] -> (s1)>, affine_map<()[s0, s1] -> (s0)>]} {
      return %a : tensor<?xf32>
    }
  }
  func.func @main(%x: tensor<?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
    %m = graph.dim %x axis 0 : (tensor<?xf32>) -> index
    %n = graph.dim %w axis 0 : (tensor<?xf32>) -> index
    %0 = graph.launch @k(%x) dims(%m) : (tensor<?xf32>, index) -> tensor<?xf32>
    %1 = graph.launch @k(%0) dims(%m) : (tensor<?xf32>, index) -> tensor<?xf32>
    %2 = graph.launch @b(%1, %w) dims(%n, %m) : (tensor<?xf32>, tensor<?xf32>, index, index) -> tensor<?xf32>
    %3 = graph.launch @k(%2) dims(%n) : (tensor<?xf32>, index) -> tensor<?xf32>
    %4 = graph.launch @b(%3, %x) dims(%m, %n) : (tensor<?xf32>, tensor<?xf32>, index, index) -> tensor<?xf32>
    return %4 : tensor<?xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<()[s0, s1] -> (s0)>]>
#nhwc = #graph.layout<perm = [0, 2, 3, 1], halo = [[2, 1, 1], [3, 1, 1]]>

// A halo around open sizes is zeroed by strides that follow from them.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[A:.+]] = plan.arena shape
// CHECK: %[[V:.+]] = plan.view %[[A]][%{{.+}}] sizes({{.+}}) strides({{.+}}) : !plan.buffer<arena> -> !plan.view<1x8x?x?xf32, [?, 1, ?, 8]>
// CHECK: plan.zero_halo %[[V]] low [0, 0, 1, 1] high [0, 0, 1, 1]
// CHECK: plan.launch @k[0] (read {{.+}}, write %[[V]]
module {
  module @k {
    func.func @k(%a: tensor<1x8x?x?xf32>, %d0: index, %d1: index) -> tensor<1x8x?x?xf32, #nhwc>
        attributes {graph.config = #config,
                    graph.shapes = [affine_map<()[s0, s1] -> (1, 8, s0, s1)>, affine_map<()[s0, s1] -> (1, 8, s0, s1)>]} {
      %0 = graph.relayout %a {graph.sizes = [affine_map<()[s0, s1] -> (1, 8, s0, s1)>]} : (tensor<1x8x?x?xf32>) -> tensor<1x8x?x?xf32, #nhwc>
      return %0 : tensor<1x8x?x?xf32, #nhwc>
    }
  }
  func.func @main(%x: tensor<1x8x?x?xf32>) -> tensor<1x8x?x?xf32> {
    %h = graph.dim %x axis 2 : (tensor<1x8x?x?xf32>) -> index
    %w = graph.dim %x axis 3 : (tensor<1x8x?x?xf32>) -> index
    %0 = graph.launch @k(%x) dims(%h, %w) : (tensor<1x8x?x?xf32>, index, index) -> tensor<1x8x?x?xf32, #nhwc>
    %1 = graph.relayout %0 : (tensor<1x8x?x?xf32, #nhwc>) -> tensor<1x8x?x?xf32>
    return %1 : tensor<1x8x?x?xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>
#nhwc = #graph.layout<perm = [0, 2, 3, 1], halo = [[2, 1, 1], [3, 1, 1]]>

// A single element has zeros around it by the strides of its layout, which no
// reader of the element needs.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[EXACT:.+]] = plan.view %[[A:.+]][128] : !plan.buffer<arena> -> !plan.view<1x8x1x1xf32, [72, 1, 24, 8]>
// CHECK: plan.zero_halo %[[EXACT]] low [0, 0, 1, 1] high [0, 0, 1, 1]
// CHECK: %[[V:.+]] = plan.view %[[A]][128] : !plan.buffer<arena> -> !plan.view<1x8x1x1xf32>
// CHECK: plan.launch @k[0] (read {{.+}}, write %[[V]]
module {
  module @k {
    func.func @k(%a: tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32, #nhwc> attributes {graph.config = #config} {
      %0 = graph.relayout %a : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32, #nhwc>
      return %0 : tensor<1x8x1x1xf32, #nhwc>
    }
  }
  module @c {
    func.func @c(%a: tensor<1x8x1x1xf32, #nhwc>) -> tensor<1x8x1x1xf32> attributes {graph.config = #config} {
      %0 = graph.relayout %a : (tensor<1x8x1x1xf32, #nhwc>) -> tensor<1x8x1x1xf32>
      return %0 : tensor<1x8x1x1xf32>
    }
  }
  func.func @main(%x: tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32> {
    %0 = graph.launch @k(%x) : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32, #nhwc>
    %1 = graph.launch @c(%0) : (tensor<1x8x1x1xf32, #nhwc>) -> tensor<1x8x1x1xf32>
    return %1 : tensor<1x8x1x1xf32>
  }
}
