// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-force-float16))' | FileCheck %s --enable-var-scope

// Inputs and outputs keep their types; what lies between is float16. Casts, and
// numbers known here, end at the largest of float16.
// CHECK-LABEL: func.func @narrows
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-SAME: graph.saturates_float16
// CHECK-NEXT: %[[XH:.+]] = graph.cast %[[X]] to f16 saturate
// CHECK: %[[W:.+]] = graph.constant
// CHECK: %[[WH:.+]] = graph.cast %[[W]] to f16 saturate
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

// -----

// Numbers that are not zero do not become zero; infinity stays.
// CHECK-LABEL: func.func @numbers
// CHECK-DAG: graph.constant dense<5.960460e-08> : tensor<f16>
// CHECK-DAG: graph.constant dense<-6.550400e+04> : tensor<f16>
// CHECK-DAG: graph.constant dense<0xFC00> : tensor<f16>
func.func @numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %tiny = graph.constant dense<1.0e-12> : tensor<f32>
  %huge = graph.constant dense<-1.0e+09> : tensor<f32>
  %infinity = graph.constant dense<0xFF800000> : tensor<f32>
  %a = graph.add %x, %tiny : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = graph.max %a, %huge : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = graph.max %b, %infinity : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// Without keep-wide, sums are narrowed as all else.
// CHECK-LABEL: func.func @sum
// CHECK: graph.reduce sum, %{{.+}} : (tensor<4x8xf16>) -> tensor<4xf16>
func.func @sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %r = graph.reduce sum, %x axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
