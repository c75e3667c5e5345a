// RUN: atc-opt %s --split-input-file --verify-diagnostics --atc-verify-contract=phase=fuse
// RUN: atc-opt %s --split-input-file --atc-verify-contract=phase=shape | FileCheck %s

// CHECK: func.func @fused

// What sits in a kernel, and what only names elements, is as it should be.
func.func @fused(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = graph.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = graph.relu %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %s : tensor<4xf32>
  }
  %1 = graph.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// -----

func.func @computes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{breaks the contract of phase 'fuse': computes outside of a kernel}}
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
