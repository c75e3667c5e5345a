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

// Floats of eight bits: fields move to those of an f32, a product puts the
// exponent right; on the way back rounding is an addition.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: %[[BITS:.+]] = arith.bitcast %{{.+}} : vector<8xf8E4M3FN> to vector<8xi8>
// CHECK: arith.extui %[[BITS]] : vector<8xi8> to vector<8xi32>
// CHECK: %[[SCALED:.+]] = arith.mulf
// CHECK: arith.bitcast %[[SCALED]] : vector<8xf32> to vector<8xi32>
// CHECK: %[[CODE:.+]] = arith.trunci %{{.+}} : vector<8xi32> to vector<8xi8>
// CHECK: arith.bitcast %[[CODE]] : vector<8xi8> to vector<8xf8E5M2>
func.func @narrow(%x: vector<8xf8E4M3FN>) -> vector<8xf8E5M2> {
  %a = arith.extf %x : vector<8xf8E4M3FN> to vector<8xf32>
  %b = arith.truncf %a : vector<8xf32> to vector<8xf8E5M2>
  return %b : vector<8xf8E5M2>
}

// A double rounds once: to odd on the way through single precision.
// CHECK-LABEL: func.func @double_to_narrow
// CHECK: %[[NEAREST:.+]] = arith.truncf %{{.+}} : f64 to f32
// CHECK: arith.extf %[[NEAREST]] : f32 to f64
// CHECK: arith.bitcast %{{.+}} : i4 to f4E2M1FN
func.func @double_to_narrow(%x: f64) -> f4E2M1FN {
  %y = arith.truncf %x : f64 to f4E2M1FN
  return %y : f4E2M1FN
}
