// RUN: atc-opt %s --split-input-file --canonicalize | FileCheck %s

// Integer arithmetic on small constants: division truncates, the remainder has
// the divisor's sign, with fmod the dividend's.
// CHECK-LABEL: func.func @integers
// CHECK-DAG: %[[DIV:.+]] = graph.constant dense<[-3, 3]> : tensor<2xi64>
// CHECK-DAG: %[[MOD:.+]] = graph.constant dense<[1, -1]> : tensor<2xi64>
// CHECK-DAG: %[[FMOD:.+]] = graph.constant dense<[-1, 1]> : tensor<2xi64>
// CHECK: return %[[DIV]], %[[MOD]], %[[FMOD]]
func.func @integers() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %a = graph.constant dense<[-7, 7]> : tensor<2xi64>
  %two = graph.constant dense<2> : tensor<i64>
  %b = graph.constant dense<[2, -2]> : tensor<2xi64>
  %0 = graph.div %a, %two : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %1 = graph.mod %a, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %2 = graph.mod %a, %b fmod : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0, %1, %2 : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}

// -----

// Division by zero is defined; unsigned numbers compare as such.
// CHECK-LABEL: func.func @edges
// CHECK-DAG: %[[ZERO:.+]] = graph.constant dense<0> : tensor<i32>
// CHECK-DAG: %[[LESS:.+]] = graph.constant dense<false> : tensor<i1>
// CHECK: return %[[ZERO]], %[[LESS]]
func.func @edges() -> (tensor<i32>, tensor<i1>) {
  %a = graph.constant dense<5> : tensor<i32>
  %z = graph.constant dense<0> : tensor<i32>
  %u = graph.constant dense<255> : tensor<ui8>
  %v = graph.constant dense<1> : tensor<ui8>
  %0 = graph.div %a, %z : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %1 = graph.compare lt, %u, %v : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
  return %0, %1 : tensor<i32>, tensor<i1>
}

// -----

// What the scales of a resize need: cast, mul, floor, cast back.
// CHECK-LABEL: func.func @scales
// CHECK: graph.constant dense<[10, 16]> : tensor<2xi64>
// CHECK-NEXT: return
func.func @scales() -> tensor<2xi64> {
  %n = graph.constant dense<[7, 8]> : tensor<2xi64>
  %s = graph.constant dense<[1.5, 2.0]> : tensor<2xf32>
  %f = graph.cast %n to f32 : (tensor<2xi64>) -> tensor<2xf32>
  %m = graph.mul %f, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %d = graph.floor %m : (tensor<2xf32>) -> tensor<2xf32>
  %i = graph.cast %d to i64 : (tensor<2xf32>) -> tensor<2xi64>
  return %i : tensor<2xi64>
}

// -----

// A cast saturates; NaN becomes 0, and is true as a boolean.
// CHECK-LABEL: func.func @casts
// CHECK-DAG: %[[BYTE:.+]] = graph.constant dense<[-128, 127, 0, -1]> : tensor<4xi8>
// CHECK-DAG: %[[BOOL:.+]] = graph.constant dense<true> : tensor<4xi1>
// CHECK: return %[[BYTE]], %[[BOOL]]
func.func @casts() -> (tensor<4xi8>, tensor<4xi1>) {
  %x = graph.constant dense<[-300.0, 300.0, 0x7FC00000, -1.9]> : tensor<4xf32>
  %0 = graph.cast %x to i8 : (tensor<4xf32>) -> tensor<4xi8>
  %1 = graph.cast %x to i1 : (tensor<4xf32>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi8>, tensor<4xi1>
}

// -----

// Splats fold at any size.
// CHECK-LABEL: func.func @splat
// CHECK: graph.constant dense<3> : tensor<1000x1000xi32>
func.func @splat() -> tensor<1000x1000xi32> {
  %a = graph.constant dense<1> : tensor<1000x1000xi32>
  %b = graph.constant dense<2> : tensor<i32>
  %0 = graph.add %a, %b : (tensor<1000x1000xi32>, tensor<i32>) -> tensor<1000x1000xi32>
  return %0 : tensor<1000x1000xi32>
}

// -----

// More than 64 elements are left to compiled code.
// CHECK-LABEL: func.func @large
// CHECK: graph.add
func.func @large() -> tensor<65xi64> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<[1]> : tensor<1xi64>
  %n = graph.constant dense<65> : tensor<i64>
  %step = graph.constant dense<1> : tensor<i64>
  %r = graph.range %zero, %n, %step : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<65xi64>
  %0 = graph.add %r, %one : (tensor<65xi64>, tensor<1xi64>) -> tensor<65xi64>
  return %0 : tensor<65xi64>
}

// -----

// Identities that hold for every value.
// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>, %[[P:.+]]: tensor<4xi1>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[P]]
func.func @identities(%x: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %minus = graph.constant dense<-0.0> : tensor<f32>
  %0 = graph.mul %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = graph.div %0, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = graph.sub %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = graph.add %minus, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.max %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = graph.cast %x to f32 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = graph.not %p : (tensor<4xi1>) -> tensor<4xi1>
  %7 = graph.not %6 : (tensor<4xi1>) -> tensor<4xi1>
  return %1, %2, %3, %4, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// -----

// x + 0 turns -0 into 0, so it stays.
// CHECK-LABEL: func.func @positive_zero
// CHECK: graph.add
func.func @positive_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A one that broadcasts the other operand is no identity.
// CHECK-LABEL: func.func @broadcasting_one
// CHECK: graph.mul
func.func @broadcasting_one(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %one = graph.constant dense<1.0> : tensor<2x1xf32>
  %0 = graph.mul %x, %one : (tensor<4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A known condition picks its branch.
// CHECK-LABEL: func.func @select
// CHECK-SAME: (%[[A:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<4xf32>)
// CHECK-NEXT: return %[[B]]
func.func @select(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %no = graph.constant dense<false> : tensor<i1>
  %0 = graph.select %no, %a, %b : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Numbers of 4 bits keep the low bits, or saturate on request.
// CHECK-LABEL: func.func @nibbles
// CHECK-DAG: %[[LOW:.+]] = graph.constant dense<[-7, 7, 0]> : tensor<3xi4>
// CHECK-DAG: %[[NEAREST:.+]] = graph.constant dense<[7, -8, 0]> : tensor<3xi4>
// CHECK: return %[[LOW]], %[[NEAREST]]
func.func @nibbles() -> (tensor<3xi4>, tensor<3xi4>) {
  %x = graph.constant dense<[9.0, -9.0, 0x7FC00000]> : tensor<3xf32>
  %0 = graph.cast %x to i4 : (tensor<3xf32>) -> tensor<3xi4>
  %1 = graph.cast %x to i4 saturate : (tensor<3xf32>) -> tensor<3xi4>
  return %0, %1 : tensor<3xi4>, tensor<3xi4>
}
