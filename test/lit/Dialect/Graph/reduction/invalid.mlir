// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects axes below rank 2, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce sum, %x axes [2] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c1_order(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects axes to ascend, got [1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce sum, %x axes [1, 0] : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c1_negative(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects axes to ascend, got [-1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce sum, %x axes [-1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c2_bool(%x: tensor<2x3xi1>) {
  // expected-error @below {{expects kind max or min for booleans, got sum}}
  %0 = graph.reduce sum, %x axes [1] : (tensor<2x3xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @arg_reduce_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects 'axis' below rank 2, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.arg_reduce max, %x axis 2 : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_c2_empty(%x: tensor<2x0xf32>) {
  // expected-error @below {{expects dim 1 of 'x' not to be empty}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.arg_reduce max, %x axis 1 : (tensor<2x0xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @cumulative_sum_c1_axis(%x: tensor<5xf32>) {
  // expected-error @below {{expects 'x' of a rank above axis 1, got rank 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.cumulative_sum %x axis 1 : (tensor<5xf32>) -> tensor<5xf32>
  return
}
