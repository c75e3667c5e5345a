// RUN: atc-opt %s --split-input-file --canonicalize | FileCheck %s

// Constant bounds make a slice; they are clamped and count from the end.
// CHECK-LABEL: func.func @slice
// CHECK-NEXT: graph.slice %{{.+}} starts [7, 0] limits [10, 9] steps [1, 1] : (tensor<10x10xf32>) -> tensor<3x9xf32>
func.func @slice(%x: tensor<10x10xf32>) -> tensor<3x9xf32> {
  %s = graph.constant dense<[-3, -100]> : tensor<2xi64>
  %e = graph.constant dense<[100, -1]> : tensor<2xi64>
  %0 = graph.slice_dynamic %x starts %s ends %e axes [0, 1] : (tensor<10x10xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x9xf32>
  return %0 : tensor<3x9xf32>
}

// -----

// A negative step is a step through the reversed dim: 7, 5, 3 of 10.
// CHECK-LABEL: func.func @slice_backwards
// CHECK-NEXT: %[[R:.+]] = graph.reverse %{{.+}} axes [1]
// CHECK-NEXT: graph.slice %[[R]] starts [0, 2] limits [9223372036854775807, 7] steps [1, 2] : (tensor<4x10xf32>) -> tensor<4x3xf32>
func.func @slice_backwards(%x: tensor<4x10xf32>) -> tensor<4x3xf32> {
  %s = graph.constant dense<7> : tensor<1xi64>
  %e = graph.constant dense<2> : tensor<1xi64>
  %t = graph.constant dense<-2> : tensor<1xi64>
  %0 = graph.slice_dynamic %x starts %s ends %e steps %t axes [1] : (tensor<4x10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// The whole dim backwards, as exporters spell it.
// CHECK-LABEL: func.func @flip
// CHECK-NEXT: %[[R:.+]] = graph.reverse %{{.+}} axes [0]
// CHECK-NEXT: return %[[R]]
func.func @flip(%x: tensor<10xf32>) -> tensor<10xf32> {
  %s = graph.constant dense<-1> : tensor<1xi64>
  %e = graph.constant dense<-9223372036854775807> : tensor<1xi64>
  %t = graph.constant dense<-1> : tensor<1xi64>
  %0 = graph.slice_dynamic %x starts %s ends %e steps %t axes [0] : (tensor<10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// Bounds that count from the end of an unknown dim stay dynamic.
// CHECK-LABEL: func.func @slice_unknown_dim
// CHECK: graph.slice_dynamic
func.func @slice_unknown_dim(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = graph.constant dense<-2> : tensor<1xi64>
  %e = graph.constant dense<9223372036854775807> : tensor<1xi64>
  %0 = graph.slice_dynamic %x starts %s ends %e axes [0] : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Bounds from the start of an unknown dim do not.
// CHECK-LABEL: func.func @slice_from_start
// CHECK: graph.slice %{{.+}} starts [1] limits [5] steps [1]
func.func @slice_from_start(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = graph.constant dense<1> : tensor<1xi64>
  %e = graph.constant dense<5> : tensor<1xi64>
  %0 = graph.slice_dynamic %x starts %s ends %e axes [0] : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Constant amounts and counts.
// CHECK-LABEL: func.func @pad_and_tile
// CHECK-NEXT: graph.pad %{{.+}}, %{{.+}} low [0, 1] high [0, 2] mode edge
// CHECK-NEXT: graph.tile %{{.+}} [2, 1]
func.func @pad_and_tile(%x: tensor<2x6xf32>, %v: tensor<f32>) -> (tensor<2x9xf32>, tensor<4x6xf32>) {
  %p = graph.constant dense<[1, 2]> : tensor<2xi64>
  %n = graph.constant dense<[2, 1]> : tensor<2xi64>
  %0 = graph.pad_dynamic %x, %p, %v axes [1] mode edge : (tensor<2x6xf32>, tensor<2xi64>, tensor<f32>) -> tensor<2x9xf32>
  %1 = graph.tile_dynamic %x, %n : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<4x6xf32>
  return %0, %1 : tensor<2x9xf32>, tensor<4x6xf32>
}

// -----

// Constant sizes make a resize whose scale is their ratio.
// CHECK-LABEL: func.func @resize
// CHECK-NEXT: graph.resize %{{.+}} scales [1.000000e+00, 2.500000e+00] sizes [-1, 20]
func.func @resize(%x: tensor<?x8xf32>) -> tensor<?x20xf32> {
  %n = graph.constant dense<20> : tensor<1xi64>
  %0 = graph.resize_dynamic %x sizes %n axes [1] aspect_policy stretch mode linear coordinate_transform half_pixel nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<?x8xf32>, tensor<1xi64>) -> tensor<?x20xf32>
  return %0 : tensor<?x20xf32>
}

// -----

// Without the input's size there is no ratio yet.
// CHECK-LABEL: func.func @resize_unknown
// CHECK: graph.resize_dynamic
func.func @resize_unknown(%x: tensor<1x?xf32>) -> tensor<1x20xf32> {
  %n = graph.constant dense<20> : tensor<1xi64>
  %0 = graph.resize_dynamic %x sizes %n axes [1] aspect_policy stretch mode linear coordinate_transform half_pixel nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x?xf32>, tensor<1xi64>) -> tensor<1x20xf32>
  return %0 : tensor<1x20xf32>
}
