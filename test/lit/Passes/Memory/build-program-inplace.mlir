// RUN: atc-opt %s --split-input-file --atc-build-program | FileCheck %s

#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>], inplace = [[0, 0]]>

// Nobody reads the first result after the second kernel: they share the memory
// of the output.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[Y:.+]] = plan.output 0
// CHECK: %[[V:.+]] = plan.view %[[Y]][0]
// CHECK: plan.launch @k[0] (read %{{.+}}, write %[[V]]
// CHECK: plan.launch @k[0] (read %[[V]] : {{.+}}, write %[[V]]
// CHECK-NOT: plan.arena
module {
  module @k {
    func.func @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {graph.config = #config} {
      return %a : tensor<8xf32>
    }
  }
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = graph.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = graph.launch @k(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>], inplace = [[0, 0]]>
#config2 = #graph.config<template = "t", tiles = [affine_map<() -> (1)>], inplace = [[0, 0]]>

// A later reader of the operand keeps it alive, also one that reads a view of
// it. That reader is the last: it may overwrite it.
// CHECK-LABEL: plan.program @main.plan
// CHECK-DAG: %[[FIRST:.+]] = plan.output 0
// CHECK-DAG: %[[SECOND:.+]] = plan.output 1
// CHECK: %[[V:.+]] = plan.view %[[SECOND]][0] : !plan.buffer<output> -> !plan.view<8xf32>
// CHECK: plan.launch @k[0] (read %{{.+}}, write %[[V]]
// CHECK: %[[W:.+]] = plan.view %[[FIRST]][0] : !plan.buffer<output> -> !plan.view<8xf32>
// CHECK: plan.launch @k[0] (read %[[V]] : {{.+}}, write %[[W]]
// CHECK: %[[R:.+]] = plan.view %[[SECOND]][0] : !plan.buffer<output> -> !plan.view<2x4xf32>
// CHECK: plan.launch @k2[0] (read %[[R]] : {{.+}}, write %[[R]]
module {
  module @k {
    func.func @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {graph.config = #config} {
      return %a : tensor<8xf32>
    }
  }
  module @k2 {
    func.func @k2(%a: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {graph.config = #config2} {
      return %a : tensor<2x4xf32>
    }
  }
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<2x4xf32>) {
    %0 = graph.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %view = graph.reshape %0 : (tensor<8xf32>) -> tensor<2x4xf32>
    %1 = graph.launch @k(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = graph.launch @k2(%view) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %1, %2 : tensor<8xf32>, tensor<2x4xf32>
  }
}

// -----

#config = #graph.config<template = "t", tiles = [affine_map<() -> (1)>], inplace = [[0, 0]]>
#plain = #graph.config<template = "t", tiles = [affine_map<() -> (1)>]>

// A slice of the concat's result is read after the result is overwritten: the
// operand must not be computed in that slice.
// CHECK-LABEL: plan.program @main.plan
// CHECK: plan.launch @half[0] (read %{{.+}}, write %[[LEFT:[^ ]+]] :
// CHECK: plan.launch @half_pitched[0]
// CHECK: plan.copy %[[LEFT]] to
// CHECK: plan.launch @over[0] (read %[[V:.+]] : {{.+}}, write %[[V]] :
// CHECK: plan.launch @half[0] (read %[[LEFT]]
module {
  module @half {
    func.func @half(%a: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {graph.config = #plain} {
      return %a : tensor<2x4xf32>
    }
  }
  module @over {
    func.func @over(%a: tensor<2x8xf32>) -> tensor<2x8xf32> attributes {graph.config = #config} {
      return %a : tensor<2x8xf32>
    }
  }
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>) {
    %0 = graph.launch @half(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = graph.launch @half(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = graph.concat %0, %1 axis 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    %3 = graph.launch @over(%2) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %4 = graph.launch @half(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %3, %4 : tensor<2x8xf32>, tensor<2x4xf32>
  }
}

// -----

// An output that is an input, and a tensor that leaves twice, are copied.
// CHECK-LABEL: plan.program @main.plan
// CHECK-COUNT-2: plan.copy
module {
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    return %x, %x : tensor<8xf32>, tensor<8xf32>
  }
}
