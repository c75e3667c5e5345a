// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Movements keep their text.

// Order and shape.
// CHECK-LABEL: func.func @shapes
// CHECK: graph.transpose %{{.+}} [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
// CHECK: graph.reshape %{{.+}} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
// CHECK: graph.reshape %{{.+}} shape %{{.+}} allow_zero : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
// CHECK: graph.expand %{{.+}} : (tensor<2x!graph.string>) -> tensor<3x2x!graph.string>
// CHECK: graph.expand %{{.+}} shape %{{.+}} : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x3x4xf32>
func.func @shapes(%x: tensor<2x3x4xf32>, %d: tensor<?x3x4xf32>, %n: tensor<2xi64>, %s: tensor<2x!graph.string>) {
  %0 = graph.transpose %x [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = graph.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %2 = graph.reshape %d shape %n allow_zero : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %3 = graph.expand %s : (tensor<2x!graph.string>) -> tensor<3x2x!graph.string>
  %4 = graph.expand %d shape %n : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x3x4xf32>
  return
}

// Parts.
// CHECK-LABEL: func.func @parts
// CHECK: graph.concat %{{.+}}, %{{.+}} axis 1 : (tensor<2x6xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: graph.slice %{{.+}} starts [0, 1] limits [2, 9223372036854775807] steps [1, 2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
// CHECK: graph.slice_dynamic %{{.+}} starts %{{.+}} ends %{{.+}} axes [1] : (tensor<2x6xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x?xf32>
// CHECK: graph.slice_dynamic %{{.+}} starts %{{.+}} ends %{{.+}} steps %{{.+}} axes [0] : (tensor<2x6xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x6xf32>
// CHECK: graph.reverse %{{.+}} axes [0, 1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
func.func @parts(%x: tensor<2x6xf32>, %y: tensor<2x?xf32>, %i: tensor<1xi32>) {
  %0 = graph.concat %x, %y axis 1 : (tensor<2x6xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  %1 = graph.slice %x starts [0, 1] limits [2, 9223372036854775807] steps [1, 2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
  %2 = graph.slice_dynamic %x starts %i ends %i axes [1] : (tensor<2x6xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x?xf32>
  %3 = graph.slice_dynamic %x starts %i ends %i steps %i axes [0] : (tensor<2x6xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x6xf32>
  %4 = graph.reverse %x axes [0, 1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// Growth.
// CHECK-LABEL: func.func @growth
// CHECK: graph.pad %{{.+}}, %{{.+}} low [0, 1] high [0, -2] mode constant : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x5xf32>
// CHECK: graph.pad %{{.+}}, %{{.+}} low [1, 1] high [1, 1] mode reflect : (tensor<2x6xf32>, tensor<f32>) -> tensor<4x8xf32>
// CHECK: graph.pad_dynamic %{{.+}}, %{{.+}}, %{{.+}} axes [1] mode edge : (tensor<2x6xf32>, tensor<2xi64>, tensor<f32>) -> tensor<2x?xf32>
// CHECK: graph.tile %{{.+}} [1, 3] : (tensor<2x6xf32>) -> tensor<2x18xf32>
// CHECK: graph.tile_dynamic %{{.+}}, %{{.+}} : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
func.func @growth(%x: tensor<2x6xf32>, %v: tensor<f32>, %p: tensor<2xi64>) {
  %0 = graph.pad %x, %v low [0, 1] high [0, -2] mode constant : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x5xf32>
  %1 = graph.pad %x, %v low [1, 1] high [1, 1] mode reflect : (tensor<2x6xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = graph.pad_dynamic %x, %p, %v axes [1] mode edge : (tensor<2x6xf32>, tensor<2xi64>, tensor<f32>) -> tensor<2x?xf32>
  %3 = graph.tile %x [1, 3] : (tensor<2x6xf32>) -> tensor<2x18xf32>
  %4 = graph.tile_dynamic %x, %p : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// Resampling.
// CHECK-LABEL: func.func @resize
// CHECK: graph.resize %{{.+}} scales [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00] sizes [-1, -1, -1, 16] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.500000e-01 extrapolation_value 0.000000e+00 : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
// CHECK: graph.resize_dynamic %{{.+}} scales %{{.+}} roi %{{.+}} axes [2, 3] aspect_policy stretch mode linear coordinate_transform tf_crop_and_resize nearest_rounding round_prefer_floor cubic_coefficient -7.500000e-01 extrapolation_value 0.000000e+00 exclude_outside antialias : (tensor<1x3x8x8xf32>, tensor<2xf32>, tensor<4xf32>) -> tensor<1x3x?x?xf32>
func.func @resize(%x: tensor<1x3x8x8xf32>, %s: tensor<2xf32>, %r: tensor<4xf32>) {
  %0 = graph.resize %x scales [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00] sizes [-1, -1, -1, 16] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.500000e-01 extrapolation_value 0.000000e+00 : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
  %1 = graph.resize_dynamic %x scales %s roi %r axes [2, 3] aspect_policy stretch mode linear coordinate_transform tf_crop_and_resize nearest_rounding round_prefer_floor cubic_coefficient -7.500000e-01 extrapolation_value 0.000000e+00 exclude_outside antialias : (tensor<1x3x8x8xf32>, tensor<2xf32>, tensor<4xf32>) -> tensor<1x3x?x?xf32>
  return
}
