// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Weights and recipes keep their text.

// CHECK: graph.weight_data @w0 : tensor<64x3x7x7xf32> source 0 offset 128 length 37632
graph.weight_data @w0 : tensor<64x3x7x7xf32> source 0 offset 128 length 37632

// A boolean takes a byte; nine 4-bit integers take five.
// CHECK: graph.weight_data @bools : tensor<3xi1> source 1 offset 0 length 3
graph.weight_data @bools : tensor<3xi1> source 1 offset 0 length 3
// CHECK: graph.weight_data @nibbles : tensor<9xui4> source 1 offset 3 length 5
graph.weight_data @nibbles : tensor<9xui4> source 1 offset 3 length 5

// A recipe computes over other constants and may end in another layout.
// CHECK: graph.recipe @w1 : tensor<64x3x7x7xf16, #graph.layout<perm = [0, 2, 3, 1]>> {
// CHECK: graph.weight @w0 : tensor<64x3x7x7xf32>
// CHECK: graph.cast
// CHECK: graph.relayout
// CHECK: graph.yield
graph.recipe @w1 : tensor<64x3x7x7xf16, #graph.layout<perm = [0, 2, 3, 1]>> {
  %w = graph.weight @w0 : tensor<64x3x7x7xf32>
  %h = graph.cast %w to f16 : (tensor<64x3x7x7xf32>) -> tensor<64x3x7x7xf16>
  %r = graph.relayout %h : (tensor<64x3x7x7xf16>) -> tensor<64x3x7x7xf16, #graph.layout<perm = [0, 2, 3, 1]>>
  graph.yield %r : tensor<64x3x7x7xf16, #graph.layout<perm = [0, 2, 3, 1]>>
}

// CHECK-LABEL: func.func @use
// CHECK: graph.weight @w1
func.func @use() -> tensor<64x3x7x7xf16, #graph.layout<perm = [0, 2, 3, 1]>> {
  %w = graph.weight @w1 : tensor<64x3x7x7xf16, #graph.layout<perm = [0, 2, 3, 1]>>
  return %w : tensor<64x3x7x7xf16, #graph.layout<perm = [0, 2, 3, 1]>>
}
