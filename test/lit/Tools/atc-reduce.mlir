// The smallest part of a model that a script still calls interesting: here,
// what holds a softmax. An exit status of 1 means interesting.
// RUN: printf '%%s\n' '#!/bin/sh' 'atc-opt $1 | grep -q graph.softmax && exit 1' 'exit 0' > %t.sh && chmod +x %t.sh
// RUN: atc-reduce %s --reduction-tree='traversal-mode=0 test=%t.sh' | FileCheck %s

// CHECK: graph.softmax
// CHECK-NOT: @unneeded
func.func @unneeded(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @needed(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.softmax %x axis 1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
