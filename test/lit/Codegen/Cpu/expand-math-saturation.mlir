// RUN: atc-opt %s --split-input-file -atc-cpu-expand-math | FileCheck %s --enable-var-scope

// In a kernel of a narrowed model, numbers beyond float16 become its largest;
// infinity stays.
// CHECK-LABEL: module @narrowed
// CHECK: %[[HIGH:.+]] = arith.constant 6.550400e+04 : f32
// CHECK: arith.cmpf ogt, %{{.+}}, %[[HIGH]]
// CHECK: %[[LOW:.+]] = arith.constant -6.550400e+04 : f32
// CHECK: arith.cmpf olt, %{{.+}}, %[[LOW]]
// CHECK: arith.cmpf oeq
// CHECK: arith.truncf
module @narrowed attributes {graph.saturates_float16} {
  func.func @store(%x: f32) -> f16 {
    %0 = arith.truncf %x : f32 to f16
    return %0 : f16
  }
}

// -----

// Elsewhere they become infinite.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: arith.cmpf
// CHECK: arith.truncf
func.func @plain(%x: f32) -> f16 {
  %0 = arith.truncf %x : f32 to f16
  return %0 : f16
}
