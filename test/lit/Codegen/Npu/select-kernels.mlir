// RUN: atc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(atc-fuse-kernels,atc-select-kernels))' | FileCheck %s --enable-var-scope

module attributes {graph.target = "TinyNpu"} {
// Bias, relu and cast join a product, in this order; the constant operand lies
// as fractals.
// CHECK-LABEL: func.func @epilogue
// CHECK: graph.relayout %{{.+}} -> tensor<32x64xf16, #graph.layout<perm = [0, 1], tile = {{\[\[}}1, 16], [0, 16]]>>
// CHECK: graph.kernel
// CHECK-SAME: template = "cube"
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.yield
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @epilogue(%x: tensor<8x32xf16>, %b: tensor<64xf16>) -> tensor<8x64xf32> {
  %w = graph.weight @w : tensor<32x64xf16>
  %0 = graph.matmul %x, %w : (tensor<8x32xf16>, tensor<32x64xf16>) -> tensor<8x64xf16>
  %1 = graph.add %0, %b : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %2 = graph.relu %1 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %3 = graph.cast %2 to f32 : (tensor<8x64xf16>) -> tensor<8x64xf32>
  return %3 : tensor<8x64xf32>
}
graph.weight_data @w : tensor<32x64xf16> source 0 offset 0 length 4096
}

// -----

module attributes {graph.target = "TinyNpu"} {
// What the hardware does not do behind a product is a kernel of its own: a
// bias behind relu, a second relu's reader, an operand of the result's shape.
// CHECK-LABEL: func.func @not_fused
// CHECK: template = "cube"
// CHECK: graph.matmul
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.yield
// CHECK: template = "vector"
// CHECK: graph.add
// CHECK: return
func.func @not_fused(%x: tensor<8x32xf16>, %y: tensor<32x64xf16>, %b: tensor<64xf16>, %r: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %0 = graph.matmul %x, %y : (tensor<8x32xf16>, tensor<32x64xf16>) -> tensor<8x64xf16>
  %1 = graph.relu %0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %2 = graph.add %1, %b : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %3 = graph.add %2, %r : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  return %3 : tensor<8x64xf16>
}
}

// -----

module attributes {graph.target = "TinyNpu"} {
func.func @unsupported(%x: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @+1 {{is not supported on TinyNpu: 'graph.sin' has no NPU kernel yet}}
  %0 = graph.sin %x : (tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}
}

// -----

module attributes {graph.target = "TinyNpu"} {
// A convolution wants its channels innermost and its filter as fractals; its
// bias joins. The layout of the filter is that with which it is configured.
// CHECK-LABEL: func.func @convolution
// CHECK: template = "vector"
// CHECK: graph.relayout
// CHECK: graph.relayout %{{.+}} -> tensor<32x16x3x3xf16, #graph.layout<perm = [1, 2, 3, 0], tile = {{\[\[}}0, 16], [1, 16]]>>
// CHECK: template = "cube"
// CHECK: graph.conv
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
func.func @convolution(%x: tensor<1x16x8x8xf16>, %b: tensor<32x1x1xf16>) -> tensor<1x32x8x8xf16> {
  %w = graph.weight @w : tensor<32x16x3x3xf16>
  %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16>) -> tensor<1x32x8x8xf16>
  %1 = graph.add %0, %b : (tensor<1x32x8x8xf16>, tensor<32x1x1xf16>) -> tensor<1x32x8x8xf16>
  return %1 : tensor<1x32x8x8xf16>
}
graph.weight_data @w : tensor<32x16x3x3xf16> source 0 offset 0 length 9216
}

// -----

module attributes {graph.target = "TinyNpu"} {
// All that the device cannot do is told, with its reason.
func.func @unsupported(%x: tensor<8x16xf32>, %y: tensor<16x8xf32>, %i: tensor<8xi32>, %f: tensor<4x4x3x3xf16>, %c: tensor<1x4x8x8xf16>) {
  // expected-error @+1 {{the cube of TinyNpu has no kernel for this element type yet}}
  %0 = graph.matmul %x, %y : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{elements of type i32 have no NPU kernel yet}}
  %1 = graph.add %i, %i : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  // expected-error @+1 {{a filter that is computed has no NPU kernel yet}}
  %2 = graph.conv %c, %f strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x4x8x8xf16>, tensor<4x4x3x3xf16>) -> tensor<1x4x8x8xf16>
  return
}
}
