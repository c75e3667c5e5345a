// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// The zero point tells the quantized type.
// CHECK-LABEL: func.func @quantize(
// CHECK-SAME: -> tensor<?x8xui8>
func.func @quantize(%x: tensor<?x8xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<*xui8> {
  %r = graph.quantize %x, %s, %z axis 0 block 0 : (tensor<?x8xf32>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  return %r : tensor<*xui8>
}

// -----

// The scale tells the real type; a last block may be short.
// CHECK-LABEL: func.func @dequantize(
// CHECK-SAME: -> tensor<4x10xf16>
func.func @dequantize(%x: tensor<4x10xi4>, %s: tensor<4x3xf16>, %z: tensor<4x3xi4>) -> tensor<*xf16> {
  %r = graph.dequantize %x, %s, %z axis 1 block 4 : (tensor<4x10xi4>, tensor<4x3xf16>, tensor<4x3xi4>) -> tensor<*xf16>
  return %r : tensor<*xf16>
}
