// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-force-float16))' | FileCheck %s --enable-var-scope

// Inputs and outputs keep their types; what lies between is float16, and a
// constant is clamped before it is narrowed.
// CHECK-LABEL: func.func @narrows
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[XH:.+]] = graph.cast %[[X]] to f16
// CHECK: %[[W:.+]] = graph.constant
// CHECK: graph.max %[[W]]
// CHECK: %[[CLAMPED:.+]] = graph.min
// CHECK: %[[WH:.+]] = graph.cast %[[CLAMPED]] to f16
// CHECK: %[[R:.+]] = graph.add %[[XH]], %[[WH]] : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
// CHECK: %[[Y:.+]] = graph.cast %[[R]] to f32
// CHECK: return %[[Y]]
func.func @narrows(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = graph.constant dense<[1.0, 2.0, 3.0, 1.0e+06]> : tensor<4xf32>
  %r = graph.add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Integers are left alone.
// CHECK-LABEL: func.func @integers
// CHECK-NOT: graph.cast
// CHECK: return
func.func @integers(%x: tensor<4xi64>) -> tensor<4xi64> {
  %r = graph.add %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}
