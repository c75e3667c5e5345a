// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @resize_c1_count(%x: tensor<1x8xf32>) {
  // expected-error @below {{expects 2 scales and sizes, got 1 and 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize %x scales [2.0] sizes [-1, -1] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_c2_scale(%x: tensor<1x8xf32>) {
  // expected-error @below {{expects scales that are finite and not negative, got -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize %x scales [1.0, -1.0] sizes [-1, -1] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_c3_size(%x: tensor<1x8xf32>) {
  // expected-error @below {{expects sizes of -1 or more, got -2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize %x scales [1.0, 2.0] sizes [-1, -2] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_c4_missing(%x: tensor<1x8xf32>) {
  // expected-error @below {{expects 'roi' of 4 entries exactly with tf_crop_and_resize}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize %x scales [1.0, 2.0] sizes [-1, -1] mode nearest coordinate_transform tf_crop_and_resize nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_c4_unused(%x: tensor<1x8xf32>) {
  // expected-error @below {{expects 'roi' of 4 entries exactly with tf_crop_and_resize}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize %x scales [1.0, 2.0] sizes [-1, -1] roi [0.0, 0.0, 1.0, 1.0] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_c5_empty(%x: tensor<1x0xf32>) {
  // expected-error @below {{expects dim 1 of 'x' not to be empty}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize %x scales [1.0, 2.0] sizes [-1, 4] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x0xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_dynamic_c1_none(%x: tensor<1x8xf32>) {
  // expected-error @below {{expects exactly one of 'scales' and 'sizes'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize_dynamic %x axes [1] aspect_policy stretch mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_dynamic_c1_both(%x: tensor<1x8xf32>, %s: tensor<1xf32>, %n: tensor<1xi64>) {
  // expected-error @below {{expects exactly one of 'scales' and 'sizes'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize_dynamic %x scales %s sizes %n axes [1] aspect_policy stretch mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>, tensor<1xf32>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_dynamic_c2_axes(%x: tensor<1x8xf32>, %s: tensor<1xf32>) {
  // expected-error @below {{expects distinct axes below the rank of 'x', got [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize_dynamic %x scales %s axes [2] aspect_policy stretch mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>, tensor<1xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_dynamic_c3_count(%x: tensor<1x8xf32>, %s: tensor<2xf32>) {
  // expected-error @below {{expects 1 scales or sizes and 2 entries in 'roi'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize_dynamic %x scales %s axes [1] aspect_policy stretch mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @resize_dynamic_c4_roi(%x: tensor<1x8xf32>, %s: tensor<1xf32>) {
  // expected-error @below {{expects 'roi' exactly with tf_crop_and_resize}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.resize_dynamic %x scales %s axes [1] aspect_policy stretch mode nearest coordinate_transform tf_crop_and_resize nearest_rounding floor cubic_coefficient -7.5e-01 extrapolation_value 0.0 : (tensor<1x8xf32>, tensor<1xf32>) -> tensor<*xf32>
  return
}
