// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' | FileCheck %s

// A size that is not given is floor(size * scale).
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: -> tensor<1x10xf32>
func.func @scales(%x: tensor<1x7xf32>) -> tensor<*xf32> {
  %r = graph.resize %x scales [1.0, 1.5] sizes [-1, -1] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x7xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The product is one in single precision: 0.7 * 10 is 7.
// CHECK-LABEL: func.func @single_precision(
// CHECK-SAME: -> tensor<1x7xf32>
func.func @single_precision(%x: tensor<1x10xf32>) -> tensor<*xf32> {
  %r = graph.resize %x scales [1.0, 0.699999988079071] sizes [-1, -1] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x10xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// A given size counts; an unknown dim of scale 1 stays.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: -> tensor<?x11xf32>
func.func @sizes(%x: tensor<?x7xf32>) -> tensor<*xf32> {
  %r = graph.resize %x scales [1.0, 1.5] sizes [-1, 11] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<?x7xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Constant scales of listed axes.
// CHECK-LABEL: func.func @dynamic_scales(
// CHECK-SAME: -> tensor<1x16xf32>
func.func @dynamic_scales(%x: tensor<1x8xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<2.0> : tensor<1xf32>
  %r = graph.resize_dynamic %x scales %s axes [1] aspect_policy stretch mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>, tensor<1xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Constant sizes of listed axes.
// CHECK-LABEL: func.func @dynamic_sizes(
// CHECK-SAME: -> tensor<1x5xf32>
func.func @dynamic_sizes(%x: tensor<1x8xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<5> : tensor<1xi64>
  %r = graph.resize_dynamic %x sizes %s axes [1] aspect_policy stretch mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>, tensor<1xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The smaller ratio binds both axes.
// CHECK-LABEL: func.func @not_larger(
// CHECK-SAME: -> tensor<6x12xf32>
func.func @not_larger(%x: tensor<4x8xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<[6, 16]> : tensor<2xi64>
  %r = graph.resize_dynamic %x sizes %s axes [0, 1] aspect_policy not_larger mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The larger ratio binds both axes.
// CHECK-LABEL: func.func @not_smaller(
// CHECK-SAME: -> tensor<8x16xf32>
func.func @not_smaller(%x: tensor<4x8xf32>) -> tensor<*xf32> {
  %s = graph.constant dense<[6, 16]> : tensor<2xi64>
  %r = graph.resize_dynamic %x sizes %s axes [0, 1] aspect_policy not_smaller mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Unknown scales leave listed axes unknown.
// CHECK-LABEL: func.func @unknown(
// CHECK-SAME: -> tensor<1x?xf32>
func.func @unknown(%x: tensor<1x8xf32>, %s: tensor<1xf32>) -> tensor<*xf32> {
  %r = graph.resize_dynamic %x scales %s axes [1] aspect_policy stretch mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>, tensor<1xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
