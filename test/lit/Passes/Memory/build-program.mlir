// RUN: atc-opt %s --split-input-file --atc-build-program | FileCheck %s

#config = #graph.config<template = "t", tiles = [affine_map<() -> (3)>, affine_map<() -> (5)>], scratch = 256, workspace = [1024]>

// One instruction per launch of a kernel; workspaces come last and live for all
// of its launches. Inputs are read and outputs written where they are.
// CHECK-LABEL: plan.program @main.plan
// CHECK-DAG: %[[X:.+]] = plan.input 0 "x" : !plan.view<4x8xf32>
// CHECK-DAG: %[[Y:.+]] = plan.output 0 "y" : !plan.view<4x8xf32>
// CHECK: %[[VX:.+]] = plan.view %[[X]][0]
// CHECK: %[[VW:.+]] = plan.view %{{.+}}[0] : !plan.buffer<weights>
// CHECK: %[[VY:.+]] = plan.view %[[Y]][0]
// CHECK: %[[S:.+]] = plan.arena fixed 1024
// CHECK: %[[VS:.+]] = plan.view %[[S]][0]
// CHECK: plan.launch @k[0] (read %[[VX]] : {{.+}}, read %[[VW]] : {{.+}}, write %[[VY]] : {{.+}}, update %[[VS]] : !plan.view<1024xi8>) tiles 3 scratch 256
// CHECK: plan.launch @k[1] (read %[[VX]] : {{.+}}, read %[[VW]] : {{.+}}, write %[[VY]] : {{.+}}, update %[[VS]] : !plan.view<1024xi8>) tiles 5 scratch 256
module {
  module @k {
    func.func @k(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> attributes {graph.config = #config} {
      return %a : tensor<4x8xf32>
    }
  }
  graph.weight_data @w : tensor<8xf32> source 0 offset 0 length 32
  func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<4x8xf32> {graph.name = "y"}) {
    %w = graph.weight @w : tensor<8xf32>
    %0 = graph.launch @k(%x, %w) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>

// The operands of a concat are computed in slices of its result, by a clone of
// the kernel that knows the pitch. Both have the same strides: one clone.
// CHECK: module @k_pitched
// CHECK: func.func @k_pitched(%{{.+}}: tensor<2x4xf32>) -> (tensor<2x4xf32> {plan.strides = array<i64: 8, 1>})
// CHECK-NOT: module @k {
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[Y:.+]] = plan.output 0
// CHECK: %[[LEFT:.+]] = plan.view %[[Y]][0] : !plan.buffer<output> -> !plan.view<2x4xf32, [8, 1]>
// CHECK: plan.launch @k_pitched[0] (read %{{.+}}, write %[[LEFT]]
// CHECK: %[[RIGHT:.+]] = plan.view %[[Y]][16] : !plan.buffer<output> -> !plan.view<2x4xf32, [8, 1]>
// CHECK: plan.launch @k_pitched[0] (read %{{.+}}, write %[[RIGHT]]
// CHECK-NOT: plan.copy
module {
  module @k {
    func.func @k(%a: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {graph.config = #config} {
      return %a : tensor<2x4xf32>
    }
  }
  func.func @main(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x8xf32> {
    %0 = graph.launch @k(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = graph.launch @k(%y) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = graph.concat %0, %1 axis 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    return %2 : tensor<2x8xf32>
  }
}

// -----

// An input cannot be computed elsewhere, and a tensor has one place: both are
// copied.
// CHECK-LABEL: plan.program @main.plan
// CHECK: plan.copy %{{.+}} to %{{.+}} : !plan.view<2x4xf32>, !plan.view<2x4xf32, [8, 1]>
// CHECK: plan.copy %{{.+}} to %{{.+}} : !plan.view<2x4xf32>, !plan.view<2x4xf32, [8, 1]>
module {
  func.func @main(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
    %0 = graph.concat %x, %x axis 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>

// A kernel that only takes its own strides keeps its place; the concat copies.
// CHECK-LABEL: plan.program @main.plan
// CHECK: plan.launch @exact[0]
// CHECK: plan.copy
module {
  module @exact {
    func.func @exact(%a: tensor<2x4xf32>) -> (tensor<2x4xf32> {plan.exact}) attributes {graph.config = #config} {
      return %a : tensor<2x4xf32>
    }
  }
  module @k {
    func.func @k(%a: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {graph.config = #config} {
      return %a : tensor<2x4xf32>
    }
  }
  func.func @main(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
    %0 = graph.launch @exact(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = graph.launch @k(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = graph.concat %0, %1 axis 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    return %2 : tensor<2x8xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>

// A slice is a view with the pitch of the whole.
// CHECK: func.func @k_pitched(%{{.+}}: tensor<2x4xf32> {plan.strides = array<i64: 8, 1>})
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[PART:.+]] = plan.view %{{.+}}[16] : !plan.buffer<input> -> !plan.view<2x4xf32, [8, 1]>
// CHECK: plan.launch @k_pitched[0] (read %[[PART]]
// CHECK-NOT: plan.copy
module {
  module @k {
    func.func @k(%a: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {graph.config = #config} {
      return %a : tensor<2x4xf32>
    }
  }
  func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
    %0 = graph.slice %x starts [0, 4] limits [2, 8] steps [1, 1] : (tensor<2x8xf32>) -> tensor<2x4xf32>
    %1 = graph.launch @k(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}

// -----

// Every second element has no stride of one: a copy.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[PART:.+]] = plan.view %{{.+}}[0] : !plan.buffer<input> -> !plan.view<2x4xf32, [8, 2]>
// CHECK: plan.copy %[[PART]] to
module {
  func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
    %0 = graph.slice %x starts [0, 0] limits [2, 8] steps [1, 2] : (tensor<2x8xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<() -> (2)>]>

// What a launch computes: 4 * 16 elements of 8 multiply-adds, and a relu each.
// CHECK-LABEL: plan.program @main.plan
// CHECK: plan.launch @matmul[0]
// CHECK-SAME: flops 1088 traffic 896
module {
  module @matmul {
    func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> attributes {graph.config = #config} {
      %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
      %1 = graph.relu %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
      return %1 : tensor<4x16xf32>
    }
  }
  func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}, %w: tensor<8x16xf32> {graph.name = "w"}) -> (tensor<4x16xf32> {graph.name = "y"}) {
    %0 = graph.launch @matmul(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
}
