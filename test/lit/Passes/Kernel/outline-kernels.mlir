// RUN: atc-opt %s --split-input-file --atc-outline-kernels | FileCheck %s --enable-var-scope

// Two kernels that compute the same share one module, although their locations
// and names differ; a kernel of another shape gets its own.
// CHECK-LABEL: module {
// CHECK-DAG: module @pointwise_0
// CHECK-DAG: module @pointwise_1
// CHECK-NOT: module @
// CHECK: func.func @main(%[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<8xf32>)
// CHECK: %[[A:.+]] = graph.launch @[[FIRST:.+]](%[[X]])
// CHECK: graph.launch @[[FIRST]](%[[A]])
// CHECK-NOT: graph.launch @[[FIRST]]
// CHECK: return
module {
func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %a = graph.kernel(%x) config <template = "pointwise", tiles = [affine_map<() -> (1)>]> : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %r = graph.relu %p : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %r : tensor<4xf32>
  }
  %b = graph.kernel(%a) config <template = "pointwise", tiles = [affine_map<() -> (1)>]> : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%q: tensor<4xf32>):
    %s = graph.relu %q : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %s : tensor<4xf32>
  }
  %c = graph.kernel(%y) config <template = "pointwise", tiles = [affine_map<() -> (1)>]> : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%p: tensor<8xf32>):
    %r = graph.relu %p : (tensor<8xf32>) -> tensor<8xf32>
    graph.yield %r : tensor<8xf32>
  }
  return %b, %c : tensor<4xf32>, tensor<8xf32>
}
}

// -----

// Where tensors share memory by parts, kernels whose code goes by the layout's
// own strides say so.
// CHECK-DAG: func.func @pointwise_{{[01]}}(%{{.+}}: tensor<1x4xf32> {plan.exact}) -> (tensor<1x4xf32> {plan.exact})
// CHECK-DAG: func.func @pooling_{{[01]}}(%{{.+}}: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
module attributes {graph.target = "CPU-x86-64-v3"} {
func.func @main(%x: tensor<1x4xf32>, %y: tensor<1x4x6x6xf32>) -> (tensor<1x2xf32>, tensor<1x4x6x6xf32>) {
  %a = graph.kernel(%x) config <template = "pointwise", tiles = [affine_map<() -> (1)>]> : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%p: tensor<1x4xf32>):
    %r = graph.relu %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    graph.yield %r : tensor<1x4xf32>
  }
  %s = graph.slice %a starts [0, 0] limits [1, 2] steps [1, 1] : (tensor<1x4xf32>) -> tensor<1x2xf32>
  %b = graph.kernel(%y) config <template = "pooling", tiles = [affine_map<() -> (1)>]> : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%p: tensor<1x4x6x6xf32>):
    %m = graph.max_pool %p kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
    graph.yield %m : tensor<1x4x6x6xf32>
  }
  return %s, %b : tensor<1x2xf32>, tensor<1x4x6x6xf32>
}
}
