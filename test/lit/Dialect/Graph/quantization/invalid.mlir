// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @quantize_c1_axis(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %z: tensor<8xi8>) {
  // expected-error @below {{expects 'axis' below rank 2, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.quantize %x, %s, %z axis 2 block 0 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xi8>) -> tensor<4x8xi8>
  return
}

// -----

func.func @quantize_c2_shape(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %z: tensor<i8>) {
  // expected-error @below {{expects one shape of 'scale' and 'zero_point', got 'tensor<8xf32>' and 'tensor<i8>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.quantize %x, %s, %z axis 1 block 0 : (tensor<4x8xf32>, tensor<8xf32>, tensor<i8>) -> tensor<4x8xi8>
  return
}

// -----

func.func @quantize_c3_axis_size(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %z: tensor<4xi8>) {
  // expected-error @below {{expects 'scale' for the tensor, for axis 1 or for blocks of 0 of [4, 8], got [4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.quantize %x, %s, %z axis 1 block 0 : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<4x8xi8>
  return
}

// -----

func.func @dequantize_c3_blocks(%x: tensor<4x10xi8>, %s: tensor<4x2xf32>, %z: tensor<4x2xi8>) {
  // expected-error @below {{expects 'scale' for the tensor, for axis 1 or for blocks of 4 of [4, 10], got [4, 2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.dequantize %x, %s, %z axis 1 block 4 : (tensor<4x10xi8>, tensor<4x2xf32>, tensor<4x2xi8>) -> tensor<4x10xf32>
  return
}

// -----

func.func @dequantize_c4_element(%x: tensor<4xi8>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @below {{expects equal element types, got 'i8' in 'x' and 'ui8' in 'zero_point'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.dequantize %x, %s, %z axis 0 block 0 : (tensor<4xi8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  return
}
