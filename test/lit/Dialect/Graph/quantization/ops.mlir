// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Quantization keeps its text.

// For the tensor, by axis and by block.
// CHECK-LABEL: func.func @quantize
// CHECK: graph.quantize %{{.+}}, %{{.+}}, %{{.+}} axis 0 block 0 : (tensor<4x64xf32>, tensor<f32>, tensor<ui8>) -> tensor<4x64xui8>
// CHECK: graph.quantize %{{.+}}, %{{.+}}, %{{.+}} axis 0 block 0 saturate : (tensor<4x64xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<4x64xi8>
// CHECK: graph.dequantize %{{.+}}, %{{.+}}, %{{.+}} axis 1 block 32 : (tensor<4x64xi4>, tensor<4x2xf16>, tensor<4x2xi4>) -> tensor<4x64xf16>
func.func @quantize(%x: tensor<4x64xf32>, %s: tensor<f32>, %z: tensor<ui8>, %sa: tensor<4xf32>, %za: tensor<4xi8>, %sb: tensor<4x2xf16>, %zb: tensor<4x2xi4>, %q: tensor<4x64xi4>) {
  %0 = graph.quantize %x, %s, %z axis 0 block 0 : (tensor<4x64xf32>, tensor<f32>, tensor<ui8>) -> tensor<4x64xui8>
  %1 = graph.quantize %x, %sa, %za axis 0 block 0 saturate : (tensor<4x64xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<4x64xi8>
  %2 = graph.dequantize %q, %sb, %zb axis 1 block 32 : (tensor<4x64xi4>, tensor<4x2xf16>, tensor<4x2xi4>) -> tensor<4x64xf16>
  return
}
