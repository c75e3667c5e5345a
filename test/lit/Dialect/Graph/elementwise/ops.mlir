// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Elementwise ops keep their text.

// Unary ops of floats.
// CHECK-LABEL: func.func @unary
// CHECK: graph.abs %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.neg %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.sign %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.floor %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.ceil %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.round %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.exp %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.log %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.sqrt %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.rsqrt %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.reciprocal %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.sin %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.cos %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.tan %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.asin %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.acos %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.atan %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.sinh %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.cosh %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.tanh %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.asinh %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.acosh %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.atanh %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.erf %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.sigmoid %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.softplus %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.softsign %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.relu %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.hard_swish %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.mish %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
func.func @unary(%x: tensor<2x?xf32>) {
  %0 = graph.abs %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = graph.neg %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %2 = graph.sign %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %3 = graph.floor %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %4 = graph.ceil %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %5 = graph.round %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %6 = graph.exp %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %7 = graph.log %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %8 = graph.sqrt %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %9 = graph.rsqrt %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %10 = graph.reciprocal %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %11 = graph.sin %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %12 = graph.cos %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %13 = graph.tan %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %14 = graph.asin %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %15 = graph.acos %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %16 = graph.atan %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %17 = graph.sinh %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %18 = graph.cosh %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %19 = graph.tanh %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %20 = graph.asinh %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %21 = graph.acosh %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %22 = graph.atanh %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %23 = graph.erf %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %24 = graph.sigmoid %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %25 = graph.softplus %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %26 = graph.softsign %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %27 = graph.relu %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %28 = graph.hard_swish %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %29 = graph.mish %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return
}

// Activations with numbers of their own.
// CHECK-LABEL: func.func @parameters
// CHECK: graph.gelu %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.gelu %{{.+}} approximate : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.elu %{{.+}} alpha 1.000000e+00 : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.leaky_relu %{{.+}} alpha 1.000000e-02 : (tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.hard_sigmoid %{{.+}} alpha 2.000000e-01 beta 5.000000e-01 : (tensor<2x?xf32>) -> tensor<2x?xf32>
func.func @parameters(%x: tensor<2x?xf32>) {
  %0 = graph.gelu %x : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = graph.gelu %x approximate : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %2 = graph.elu %x alpha 1.000000e+00 : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %3 = graph.leaky_relu %x alpha 1.000000e-02 : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %4 = graph.hard_sigmoid %x alpha 2.000000e-01 beta 5.000000e-01 : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return
}

// Predicates yield booleans.
// CHECK-LABEL: func.func @predicates
// CHECK: graph.is_inf %{{.+}} negative positive : (tensor<2x?xf32>) -> tensor<2x?xi1>
// CHECK: graph.is_inf %{{.+}} positive : (tensor<2x?xf32>) -> tensor<2x?xi1>
// CHECK: graph.is_nan %{{.+}} : (tensor<2x?xf32>) -> tensor<2x?xi1>
// CHECK: graph.not %{{.+}} : (tensor<4xi1>) -> tensor<4xi1>
func.func @predicates(%x: tensor<2x?xf32>, %b: tensor<4xi1>) {
  %0 = graph.is_inf %x negative positive : (tensor<2x?xf32>) -> tensor<2x?xi1>
  %1 = graph.is_inf %x positive : (tensor<2x?xf32>) -> tensor<2x?xi1>
  %2 = graph.is_nan %x : (tensor<2x?xf32>) -> tensor<2x?xi1>
  %3 = graph.not %b : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// Casts between all kinds of elements.
// CHECK-LABEL: func.func @cast
// CHECK: graph.cast %{{.+}} to i32 : (tensor<4xf32>) -> tensor<4xi32>
// CHECK: graph.cast %{{.+}} to f8E4M3FN saturate : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
// CHECK: graph.cast %{{.+}} to ui8 : (tensor<4xi64>) -> tensor<4xui8>
// CHECK: graph.cast %{{.+}} to f16 : (tensor<4xui8>) -> tensor<4xf16>
// CHECK: graph.cast %{{.+}} to i4 : (tensor<4xi1>) -> tensor<4xi4>
// CHECK: graph.cast %{{.+}} to i1 : (tensor<4xf32>) -> tensor<4xi1>
// CHECK: graph.cast %{{.+}} to complex<f64> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f64>>
func.func @cast(%f: tensor<4xf32>, %i: tensor<4xi64>, %u: tensor<4xui8>, %b: tensor<4xi1>, %c: tensor<4xcomplex<f32>>) {
  %0 = graph.cast %f to i32 : (tensor<4xf32>) -> tensor<4xi32>
  %1 = graph.cast %f to f8E4M3FN saturate : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %2 = graph.cast %i to ui8 : (tensor<4xi64>) -> tensor<4xui8>
  %3 = graph.cast %u to f16 : (tensor<4xui8>) -> tensor<4xf16>
  %4 = graph.cast %b to i4 : (tensor<4xi1>) -> tensor<4xi4>
  %5 = graph.cast %f to i1 : (tensor<4xf32>) -> tensor<4xi1>
  %6 = graph.cast %c to complex<f64> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f64>>
  return
}

// Binary ops of floats; the right operand broadcasts.
// CHECK-LABEL: func.func @binary
// CHECK: graph.add %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.sub %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.mul %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.div %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.mod %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.pow %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.max %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.min %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.prelu %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: graph.mod %{{.+}}, %{{.+}} fmod : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @binary(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = graph.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = graph.sub %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = graph.mul %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = graph.div %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = graph.mod %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %5 = graph.pow %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %6 = graph.max %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %7 = graph.min %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %8 = graph.prelu %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %9 = graph.mod %a, %b fmod : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// Booleans have logic, integers have bits.
// CHECK-LABEL: func.func @logic
// CHECK: graph.and %{{.+}}, %{{.+}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
// CHECK: graph.or %{{.+}}, %{{.+}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
// CHECK: graph.xor %{{.+}}, %{{.+}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
// CHECK: graph.bit_and %{{.+}}, %{{.+}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK: graph.bit_or %{{.+}}, %{{.+}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK: graph.bit_xor %{{.+}}, %{{.+}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK: graph.bit_not %{{.+}} : (tensor<4xui16>) -> tensor<4xui16>
// CHECK: graph.shift_left %{{.+}}, %{{.+}} : (tensor<4xui16>, tensor<4xui16>) -> tensor<4xui16>
// CHECK: graph.shift_right %{{.+}}, %{{.+}} : (tensor<4xui16>, tensor<4xui16>) -> tensor<4xui16>
func.func @logic(%p: tensor<4xi1>, %i: tensor<4xi32>, %u: tensor<4xui16>) {
  %0 = graph.and %p, %p : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = graph.or %p, %p : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = graph.xor %p, %p : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %b0 = graph.bit_and %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %b1 = graph.bit_or %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %b2 = graph.bit_xor %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %n = graph.bit_not %u : (tensor<4xui16>) -> tensor<4xui16>
  %s0 = graph.shift_left %u, %u : (tensor<4xui16>, tensor<4xui16>) -> tensor<4xui16>
  %s1 = graph.shift_right %u, %u : (tensor<4xui16>, tensor<4xui16>) -> tensor<4xui16>
  return
}

// Comparison of numbers, of booleans and of strings.
// CHECK-LABEL: func.func @compare
// CHECK: graph.compare eq, %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
// CHECK: graph.compare ne, %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
// CHECK: graph.compare lt, %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
// CHECK: graph.compare le, %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
// CHECK: graph.compare gt, %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
// CHECK: graph.compare ge, %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
// CHECK: graph.compare ne, %{{.+}}, %{{.+}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
// CHECK: graph.compare eq, %{{.+}}, %{{.+}} : (tensor<2x!graph.string>, tensor<2x!graph.string>) -> tensor<2xi1>
func.func @compare(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %p: tensor<4xi1>, %s: tensor<2x!graph.string>) {
  %eq = graph.compare eq, %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %ne = graph.compare ne, %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %lt = graph.compare lt, %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %le = graph.compare le, %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %gt = graph.compare gt, %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %ge = graph.compare ge, %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %x = graph.compare ne, %p, %p : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %y = graph.compare eq, %s, %s : (tensor<2x!graph.string>, tensor<2x!graph.string>) -> tensor<2xi1>
  return
}

// All three operands of a select broadcast.
// CHECK-LABEL: func.func @select
// CHECK: graph.select %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x1xi1>, tensor<i64>, tensor<3xi64>) -> tensor<2x3xi64>
func.func @select(%c: tensor<2x1xi1>, %a: tensor<i64>, %b: tensor<3xi64>) {
  %0 = graph.select %c, %a, %b : (tensor<2x1xi1>, tensor<i64>, tensor<3xi64>) -> tensor<2x3xi64>
  return
}

// An op of unknown rank, and one of a layout.
// CHECK-LABEL: func.func @types
// CHECK: graph.exp %{{.+}} : (tensor<*xf32>) -> tensor<*xf32>
// CHECK: graph.relu %{{.+}} : (tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1]>>) -> tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1], halo = {{\[\[}}2, 1, 1]]>>
func.func @types(%u: tensor<*xf32>, %n: tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1]>>) {
  %0 = graph.exp %u : (tensor<*xf32>) -> tensor<*xf32>
  %1 = graph.relu %n : (tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1]>>) -> tensor<1x8x4x4xf32, #graph.layout<perm = [0, 2, 3, 1], halo = [[2, 1, 1]]>>
  return
}
