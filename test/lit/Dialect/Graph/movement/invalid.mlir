// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @transpose_c1_repeated(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects a permutation of the dims of 'x', got [0, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.transpose %x [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_c1_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects a permutation of the dims of 'x', got [0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.transpose %x [0] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reshape_c1_element(%x: tensor<4xf32>) {
  // expected-error @below {{expects equal element types, got 'f32' and 'i32'}}
  %0 = graph.reshape %x : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @reshape_c2_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects as many elements as 'x' has, got 'tensor<2x3xf32>' and 'tensor<5xf32>'}}
  %0 = graph.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reshape_c3_shape(%x: tensor<?xf32>, %s: tensor<3xi64>) {
  // expected-error @below {{expects 'shape' of 2 elements, got 'tensor<3xi64>'}}
  %0 = graph.reshape %x shape %s : (tensor<?xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_c4_dynamic(%x: tensor<?xf32>) {
  // expected-error @below {{expects at most one dynamic dim without 'shape', got 'tensor<?x?xf32>'}}
  %0 = graph.reshape %x : (tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @expand_c1_element(%x: tensor<4xf32>) {
  // expected-error @below {{expects equal element types, got 'f32' and 'i32'}}
  %0 = graph.expand %x : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @expand_c2_shape(%x: tensor<3xf32>) {
  // expected-error @below {{expects 'x' to broadcast to the result, got 'tensor<3xf32>' and 'tensor<2x4xf32>'}}
  %0 = graph.expand %x : (tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @expand_c3_shape(%x: tensor<3xf32>, %s: tensor<3xi64>) {
  // expected-error @below {{expects 'shape' of at most 2 elements, got 'tensor<3xi64>'}}
  %0 = graph.expand %x shape %s : (tensor<3xf32>, tensor<3xi64>) -> tensor<?x3xf32>
  return
}

// -----

func.func @expand_c4_dynamic(%x: tensor<3xf32>) {
  // expected-error @below {{expects 'shape' for dim 0 of 'tensor<?x3xf32>'}}
  %0 = graph.expand %x : (tensor<3xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @concat_c1_none() {
  // expected-error @below {{expects at least one operand}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat axis 0 : () -> tensor<0xf32>
  return
}

// -----

func.func @concat_c2_rank(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expects equal ranks above 'axis' 0, got 1 in operand 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %a, %b axis 0 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c2_axis(%a: tensor<2xf32>) {
  // expected-error @below {{expects equal ranks above 'axis' 1, got 1 in operand 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %a axis 1 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @concat_c3_size(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @below {{expects sizes to agree outside 'axis' 0, got 4 at dim 1 of operand 1 and 3 before it}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %a, %b axis 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c4_element(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{expects equal element types, got 'f16' in operand 1 and 'f32' in operand 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %a, %b axis 0 : (tensor<2xf32>, tensor<2xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_c1_count(%x: tensor<2x6xf32>) {
  // expected-error @below {{expects 2 starts, limits and steps, got 1, 2 and 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x starts [0] limits [2, 6] steps [1, 1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_c2_negative(%x: tensor<6xf32>) {
  // expected-error @below {{expects starts and limits that are not negative, got 0 and -1 at dim 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x starts [0] limits [-1] steps [1] : (tensor<6xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @slice_c3_step(%x: tensor<6xf32>) {
  // expected-error @below {{expects positive steps, got 0 at dim 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x starts [0] limits [6] steps [0] : (tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @slice_dynamic_c1_axes(%x: tensor<2x6xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{expects distinct axes, got [1, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice_dynamic %x starts %i ends %i axes [1, 1] : (tensor<2x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x?xf32>
  return
}

// -----

func.func @slice_dynamic_c1_rank(%x: tensor<2x6xf32>, %i: tensor<1xi64>) {
  // expected-error @below {{expects axes below rank 2, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice_dynamic %x starts %i ends %i axes [2] : (tensor<2x6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  return
}

// -----

func.func @slice_dynamic_c2_count(%x: tensor<2x6xf32>, %i: tensor<1xi64>, %j: tensor<2xi64>) {
  // expected-error @below {{expects 'ends' to have shape [1], got [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice_dynamic %x starts %i ends %j axes [1] : (tensor<2x6xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<2x?xf32>
  return
}

// -----

func.func @pad_c1_count(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @below {{expects 2 entries in 'low' and 'high', got 1 and 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pad %x, %v low [0] high [0, 0] mode constant : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c2_size(%x: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error @below {{expects a size of dim 0 that is not negative and fits, got 3 padded by -2 and -2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pad %x, %v low [-2] high [-2] mode constant : (tensor<3xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

func.func @pad_c3_element(%x: tensor<3xf32>, %v: tensor<f16>) {
  // expected-error @below {{expects 'value' to be one 'f32', got 'tensor<f16>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pad %x, %v low [0] high [1] mode constant : (tensor<3xf32>, tensor<f16>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_c3_count(%x: tensor<3xf32>, %v: tensor<2xf32>) {
  // expected-error @below {{expects 'value' to be one 'f32', got 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pad %x, %v low [0] high [1] mode constant : (tensor<3xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_c4_empty(%x: tensor<0xf32>, %v: tensor<f32>) {
  // expected-error @below {{expects dim 0 not to be empty for mode edge}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pad %x, %v low [0] high [1] mode edge : (tensor<0xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_dynamic_c2_count(%x: tensor<3xf32>, %v: tensor<f32>, %p: tensor<1xi64>) {
  // expected-error @below {{expects 'pads' to have shape [2], got [1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.pad_dynamic %x, %p, %v axes [0] mode constant : (tensor<3xf32>, tensor<1xi64>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @tile_c1_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects 2 repeats, got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.tile %x [2] : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @tile_c2_negative(%x: tensor<3xf32>) {
  // expected-error @below {{expects repeats that are not negative, got -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.tile %x [-1] : (tensor<3xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @tile_dynamic_c1_count(%x: tensor<3xf32>, %n: tensor<2xi64>) {
  // expected-error @below {{expects 'repeats' to have shape [1], got [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.tile_dynamic %x, %n : (tensor<3xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @reverse_c1_order(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects axes to ascend, got [1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reverse %x axes [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reverse_c1_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects axes below rank 2, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reverse %x axes [2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
