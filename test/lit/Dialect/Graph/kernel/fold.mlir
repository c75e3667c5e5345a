// RUN: atc-opt %s --canonicalize | FileCheck %s

#nhwc = #graph.layout<perm = [0, 2, 3, 1]>
#halo = #graph.layout<perm = [0, 2, 3, 1], halo = [[2, 1, 1]]>

// A relayout to the same layout is nothing.
// CHECK-LABEL: func.func @same
// CHECK-SAME: (%[[X:.+]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @same(%x: tensor<1x8x4x4xf32, #nhwc>) -> tensor<1x8x4x4xf32, #nhwc> {
  %0 = graph.relayout %x : (tensor<1x8x4x4xf32, #nhwc>) -> tensor<1x8x4x4xf32, #nhwc>
  return %0 : tensor<1x8x4x4xf32, #nhwc>
}

// There and back again is nothing.
// CHECK-LABEL: func.func @pair
// CHECK-SAME: (%[[X:.+]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @pair(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %0 = graph.relayout %x : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc>
  %1 = graph.relayout %0 : (tensor<1x8x4x4xf32, #nhwc>) -> tensor<1x8x4x4xf32>
  return %1 : tensor<1x8x4x4xf32>
}

// Two steps that end elsewhere are one.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.+]]: tensor
// CHECK-NEXT: graph.relayout %[[X]]
// CHECK-NEXT: return
func.func @chain(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #halo> {
  %0 = graph.relayout %x : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc>
  %1 = graph.relayout %0 : (tensor<1x8x4x4xf32, #nhwc>) -> tensor<1x8x4x4xf32, #halo>
  return %1 : tensor<1x8x4x4xf32, #halo>
}

// A layout that others use, too, is a good place to start from.
// CHECK-LABEL: func.func @shared
// CHECK: %[[NHWC:.+]] = graph.relayout
// CHECK-NEXT: graph.relayout %[[NHWC]]
func.func @shared(%x: tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32, #nhwc>, tensor<1x8x4x4xf32, #halo>) {
  %0 = graph.relayout %x : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #nhwc>
  %1 = graph.relayout %0 : (tensor<1x8x4x4xf32, #nhwc>) -> tensor<1x8x4x4xf32, #halo>
  return %0, %1 : tensor<1x8x4x4xf32, #nhwc>, tensor<1x8x4x4xf32, #halo>
}
