// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Kernels and what stands beside them keep their text.

// A kernel before and after it is configured.
// CHECK-LABEL: func.func @kernel
// CHECK: graph.kernel(%{{.+}}, %{{.+}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32>):
// CHECK: graph.yield %{{.+}} : tensor<4xf32>
// CHECK: graph.kernel(%{{.+}}) dims(%{{.+}}) config <template = "map", tiles = [#{{.+}}], scratch = 64, workspace = [128], inplace = {{\[\[}}0, 0]], params = {width = 8 : i64}> shapes [#{{.+}}, #{{.+}}] : (tensor<?xf32>, index) -> tensor<?xf32> {
func.func @kernel(%a: tensor<4xf32>, %d: tensor<?xf32>, %n: index) {
  %0 = graph.kernel(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %s = graph.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %s : tensor<4xf32>
  }
  %1 = graph.kernel(%d) dims(%n)
      config <template = "map", tiles = [affine_map<()[s0] -> (s0 ceildiv 8)>],
              scratch = 64, workspace = [128], inplace = [[0, 0]],
              params = {width = 8 : i64}>
      shapes [affine_map<()[s0] -> (s0)>, affine_map<()[s0] -> (s0)>]
      : (tensor<?xf32>, index) -> tensor<?xf32> {
  ^bb0(%x: tensor<?xf32>, %dim: index):
    %s = graph.relu %x : (tensor<?xf32>) -> tensor<?xf32>
    graph.yield %s : tensor<?xf32>
  }
  return
}

module @kernel_0 {
  func.func @kernel_0(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}

// A call of an outlined kernel, of the host and of a custom op.
// CHECK-LABEL: func.func @calls
// CHECK: graph.launch @kernel_0(%{{.+}}) dims(%{{.+}}) : (tensor<?xf32>, index) -> tensor<?xf32>
// CHECK: graph.host_call "NonZero"(%{{.+}}) {mode = "all"} : (tensor<?xf32>) -> tensor<1x?xi64>
// CHECK: graph.custom "my_filter"(%{{.+}}) stateful {radius = 2 : i64} : (tensor<?xf32>) -> tensor<?xf32>
func.func @calls(%x: tensor<?xf32>, %n: index) {
  %0 = graph.launch @kernel_0(%x) dims(%n) : (tensor<?xf32>, index) -> tensor<?xf32>
  %1 = graph.host_call "NonZero"(%x) {mode = "all"} : (tensor<?xf32>) -> tensor<1x?xi64>
  %2 = graph.custom "my_filter"(%x) stateful {radius = 2 : i64} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// A sum of rows, written as loops around a scalar body.
// CHECK-LABEL: func.func @generic
// CHECK: graph.generic %{{.+}} maps [#{{.+}}, #{{.+}}] iterators [#graph.iterator<parallel>, #graph.iterator<reduction>] identities [0.000000e+00 : f32] : (tensor<4x8xf32>) -> tensor<4xf32> {
func.func @generic(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %r = graph.generic %x
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      iterators [#graph.iterator<parallel>, #graph.iterator<reduction>]
      identities [0.0 : f32] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    graph.yield %s : f32
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @relayout
// CHECK: graph.relayout %{{.+}} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1]>>
func.func @relayout(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1]>> {
  %r = graph.relayout %x : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1]>>
  return %r : tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1]>>
}
