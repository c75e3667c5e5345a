// RUN: atc-opt %s -atc-cpu-expand-math | FileCheck %s --enable-var-scope

// Hot functions of f32 become arithmetic.
// CHECK-LABEL: func.func @exponential
// CHECK-NOT: math.exp
// CHECK: math.fma
func.func @exponential(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// Rare ones are called for each lane.
// CHECK-LABEL: func.func @sine
// CHECK-COUNT-4: call @atc_import_sinf
// CHECK: vector.from_elements
func.func @sine(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.sin %x : vector<4xf32>
  return %y : vector<4xf32>
}

// CHECK-LABEL: func.func @double
// CHECK: call @atc_import_exp
func.func @double(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}

// A square needs no power function.
// CHECK-LABEL: func.func @square
// CHECK-SAME: %[[X:.+]]: f32
// CHECK: arith.mulf %[[X]], %[[X]]
// CHECK-NOT: call
func.func @square(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %y = math.powf %x, %two : f32
  return %y : f32
}

// Index arithmetic divides by sizes, which are not zero; data may be.
// CHECK-LABEL: func.func @division
// CHECK-SAME: %[[I:.+]]: index, %[[X:.+]]: i32, %[[Y:.+]]: i32
// CHECK: arith.divui %[[I]], %[[I]] : index
// CHECK: %[[ISZERO:.+]] = arith.cmpi eq, %[[Y]]
// CHECK: arith.select %[[ISZERO]]
func.func @division(%i: index, %x: i32, %y: i32) -> (index, i32) {
  %a = arith.divui %i, %i : index
  %b = arith.divsi %x, %y : i32
  return %a, %b : index, i32
}

// What the processor has stays.
// CHECK-LABEL: func.func @kept
// CHECK: math.sqrt
// CHECK: math.floor
// CHECK: arith.truncf %{{.+}} : f32 to f16
func.func @kept(%x: f32) -> f16 {
  %a = math.sqrt %x : f32
  %b = math.floor %a : f32
  %c = arith.truncf %b : f32 to f16
  return %c : f16
}
