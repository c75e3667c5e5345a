// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-fuse-normalization,canonicalize))' | FileCheck %s --enable-var-scope

// CHECK-LABEL: func.func @layer_norm
// CHECK-NEXT: graph.layer_norm %{{.+}} axis 1 epsilon 9.99{{[0-9]+}}E-6
// CHECK-NEXT: return
func.func @layer_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %eps = graph.constant dense<1.0e-05> : tensor<f32>
  %m = graph.reduce mean, %x axes [1] keep_dims : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %c = graph.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %q = graph.pow %c, %two : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %v = graph.reduce mean, %q axes [1] keep_dims : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %s = graph.add %v, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %d = graph.sqrt %s : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %r = graph.div %c, %d : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// The variance of another tensor is no layer normalization.
// CHECK-LABEL: func.func @other_variance
// CHECK-NOT: graph.layer_norm
// CHECK: return
func.func @other_variance(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %eps = graph.constant dense<1.0e-05> : tensor<f32>
  %m = graph.reduce mean, %x axes [1] keep_dims : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %c = graph.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %q = graph.mul %y, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = graph.reduce mean, %q axes [1] keep_dims : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %s = graph.add %v, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %d = graph.sqrt %s : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %r = graph.div %c, %d : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
