// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1_axis(%x: tensor<2x8xf32>) {
  // expected-error @below {{expects 'x' of a rank above axis 2, got rank 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.softmax %x axis 2 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @softmax_negative_axis(%x: tensor<2x8xf32>) {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint}}
  %0 = graph.log_softmax %x axis -1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @layer_norm_c1_axis(%x: tensor<2x8xf32>) {
  // expected-error @below {{expects 'x' of a rank above axis 2, got rank 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.layer_norm %x axis 2 epsilon 1.0e-05 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @layer_norm_c2_scale(%x: tensor<2x8xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{expects 'scale' to broadcast to [2, 8], got [4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.layer_norm %x scale %s axis 1 epsilon 1.0e-05 : (tensor<2x8xf32>, tensor<4xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @layer_norm_c2_bias(%x: tensor<2x8xf32>, %s: tensor<3x2x8xf32>) {
  // expected-error @below {{expects 'bias' to broadcast to [2, 8], got [3, 2, 8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.layer_norm %x bias %s axis 1 epsilon 1.0e-05 : (tensor<2x8xf32>, tensor<3x2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @layer_norm_c3_element(%x: tensor<2x8xf32>, %s: tensor<8xf16>) {
  // expected-error @below {{expects equal element types, got 'f32' in 'x' and 'f16' in 'scale'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.layer_norm %x scale %s axis 1 epsilon 1.0e-05 : (tensor<2x8xf32>, tensor<8xf16>) -> tensor<2x8xf32>
  return
}

// -----

func.func @rms_norm_c2_scale(%x: tensor<2x8xf32>, %s: tensor<2xf32>) {
  // expected-error @below {{expects 'scale' to broadcast to [2, 8], got [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.rms_norm %x scale %s axis 1 epsilon 1.0e-05 : (tensor<2x8xf32>, tensor<2xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @batch_norm_c1_rank(%x: tensor<8xf32>, %c: tensor<8xf32>) {
  // expected-error @below {{expects 'x' of rank 2 or more, got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-05 : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @batch_norm_c2_size(%x: tensor<2x8x4x4xf32>, %c: tensor<8xf32>, %d: tensor<4xf32>) {
  // expected-error @below {{expects operand 3 to have shape [8], got [4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.batch_norm %x, %c, %c, %d, %c epsilon 1.0e-05 : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  return
}

// -----

func.func @instance_norm_c1_rank(%x: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error @below {{expects 'x' of rank 3 or more, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.instance_norm %x, %c, %c epsilon 1.0e-05 : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @instance_norm_c3_element(%x: tensor<2x8x4x4xf32>, %c: tensor<8xf16>) {
  // expected-error @below {{expects equal element types, got 'f32' in 'x' and 'f16' in operand 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.instance_norm %x, %c, %c epsilon 1.0e-05 : (tensor<2x8x4x4xf32>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x8x4x4xf32>
  return
}

// -----

func.func @group_norm_c4_groups(%x: tensor<2x8x4x4xf32>, %c: tensor<8xf32>) {
  // expected-error @below {{expects channels to be a multiple of groups 3, got 8}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.group_norm %x, %c, %c groups 3 epsilon 1.0e-05 : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  return
}

// -----

func.func @lrn_c1_rank(%x: tensor<8xf32>) {
  // expected-error @below {{expects 'x' of a rank above axis 1, got rank 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.lrn %x size 3 alpha 1.0 beta 1.0 bias 1.0 : (tensor<8xf32>) -> tensor<8xf32>
  return
}
