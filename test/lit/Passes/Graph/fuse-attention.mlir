// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-fuse-attention,canonicalize))' | FileCheck %s --enable-var-scope

// Scaling before the mask; k comes transposed, as exporters write it.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: (%[[Q:.+]]: tensor<2x4x8xf32>, %[[K:.+]]: tensor<2x4x8xf32>, %[[V:.+]]: tensor<2x4x8xf32>, %[[M:.+]]: tensor<1x4xf32>)
// CHECK-NEXT: graph.attention %[[Q]], %[[K]], %[[V]] mask %[[M]] scale 2.5{{0*}}e-01
// CHECK-NEXT: return
func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>,
                     %v: tensor<2x4x8xf32>, %m: tensor<1x4xf32>) -> tensor<2x4x8xf32> {
  %f = graph.constant dense<0.25> : tensor<f32>
  %kt = graph.transpose %k [0, 2, 1] : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
  %s = graph.matmul %q, %kt : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  %t = graph.mul %s, %f : (tensor<2x4x4xf32>, tensor<f32>) -> tensor<2x4x4xf32>
  %u = graph.add %t, %m : (tensor<2x4x4xf32>, tensor<1x4xf32>) -> tensor<2x4x4xf32>
  %p = graph.softmax %u axis 2 : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// -----

// The probabilities are a result of the model: nothing may hide them.
// CHECK-LABEL: func.func @probabilities_used
// CHECK-NOT: graph.attention
// CHECK: return
func.func @probabilities_used(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>,
                              %v: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x4xf32>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  %p = graph.softmax %s axis 2 : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %o = graph.matmul %p, %v : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o, %p : tensor<2x4x8xf32>, tensor<2x4x4xf32>
}

// -----

// Sums of attention are in single precision: double stays as it is.
// CHECK-LABEL: func.func @double
// CHECK-NOT: graph.attention
// CHECK: return
func.func @double(%q: tensor<2x4x8xf64>, %k: tensor<2x4x8xf64>,
                  %v: tensor<2x4x8xf64>) -> tensor<2x4x8xf64> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<2x4x8xf64>, tensor<2x4x8xf64>) -> tensor<2x4x4xf64>
  %p = graph.softmax %s axis 2 : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
  %o = graph.matmul %p, %v : (tensor<2x4x4xf64>, tensor<2x4x8xf64>) -> tensor<2x4x8xf64>
  return %o : tensor<2x4x8xf64>
}
