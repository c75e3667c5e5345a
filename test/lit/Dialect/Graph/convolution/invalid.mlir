// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @conv_c1_rank(%x: tensor<1x4x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects equal ranks of at least 3, got 3 in 'x' and 4 in 'w'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1] pads [0, 0] dilations [1] groups 1 : (tensor<1x4x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7xf32>
  return
}

// -----

func.func @conv_c2_count(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects 2 strides, got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1] pads [0, 0] dilations [1] groups 1 : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_c2_stride(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects positive 'strides', got [1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 0] pads [0, 0, 0, 0] dilations [1, 1] groups 1 : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_c2_dilations(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects 2 entries in 'dilations', got 3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1, 1] groups 1 : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_c3_count(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects 4 entries in 'pads', got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] pads [0, 0] dilations [1, 1] groups 1 : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_c3_negative(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects 'pads' that are not negative, got [0, 0, -1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] pads [0, 0, -1, 0] dilations [1, 1] groups 1 : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_c4_channels(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects channels of 'x' to be those of 'w' times groups 2, got 4 and 4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 2 : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_c5_outputs(%x: tensor<1x12x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expects output channels to be a multiple of groups 3, got 8}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 3 : (tensor<1x12x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_c6_element(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf16>) {
  // expected-error @below {{expects equal element types or 8-bit integers, got 'f32' in 'x' and 'f16' in 'w'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1 : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf16>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{attribute 'groups' failed to satisfy constraint}}
  %0 = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 0 : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_transpose_c1_rank(%x: tensor<1x8xf32>, %w: tensor<8x2xf32>) {
  // expected-error @below {{expects equal ranks of at least 3, got 2 in 'x' and 2 in 'w'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [] pads [] output_padding [] dilations [] groups 1 : (tensor<1x8xf32>, tensor<8x2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @conv_transpose_c3_pads(%x: tensor<1x8x10xf32>, %w: tensor<8x2x3xf32>) {
  // expected-error @below {{expects 2 pads, got [0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [2] pads [0] output_padding [0] dilations [1] groups 1 : (tensor<1x8x10xf32>, tensor<8x2x3xf32>) -> tensor<1x2x?xf32>
  return
}

// -----

func.func @conv_transpose_c4_padding(%x: tensor<1x8x10xf32>, %w: tensor<8x2x3xf32>) {
  // expected-error @below {{expects output padding in [0, 2), got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [2] pads [0, 0] output_padding [2] dilations [1] groups 1 : (tensor<1x8x10xf32>, tensor<8x2x3xf32>) -> tensor<1x2x?xf32>
  return
}

// -----

func.func @conv_transpose_c5_channels(%x: tensor<1x8x10xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @below {{expects channels of 'x' and 'w' to agree, got 8 and 6}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [2] pads [0, 0] output_padding [0] dilations [1] groups 1 : (tensor<1x8x10xf32>, tensor<6x2x3xf32>) -> tensor<1x2x?xf32>
  return
}

// -----

func.func @conv_transpose_c5_groups(%x: tensor<1x8x10xf32>, %w: tensor<8x2x3xf32>) {
  // expected-error @below {{expects channels to be a multiple of groups 3, got 8}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [2] pads [0, 0] output_padding [0] dilations [1] groups 3 : (tensor<1x8x10xf32>, tensor<8x2x3xf32>) -> tensor<1x2x?xf32>
  return
}

// -----

func.func @conv_transpose_c6_element(%x: tensor<1x8x10xf32>, %w: tensor<8x2x3xf16>) {
  // expected-error @below {{expects equal element types, got 'f32' in 'x' and 'f16' in 'w'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [2] pads [0, 0] output_padding [0] dilations [1] groups 1 : (tensor<1x8x10xf32>, tensor<8x2x3xf16>) -> tensor<1x2x?xf32>
  return
}

// -----

func.func @conv_transpose_c7_size(%x: tensor<1x8x10xf32>, %w: tensor<8x2x3xf32>) {
  // expected-error @below {{expects a result size that is not negative and fits, in spatial dim 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_transpose %x, %w strides [2] pads [20, 20] output_padding [0] dilations [1] groups 1 : (tensor<1x8x10xf32>, tensor<8x2x3xf32>) -> tensor<1x2x?xf32>
  return
}

// -----

func.func @winograd_filter_c1_kernel(%w: tensor<16x8x5x5xf32>) {
  // expected-error @below {{expects 'w' of rank 4 with a 3x3 kernel}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.winograd_filter %w tile 4 : (tensor<16x8x5x5xf32>) -> tensor<36x16x8xf32>
  return
}

// -----

func.func @winograd_filter_c2_tile(%w: tensor<16x8x3x3xf32>) {
  // expected-error @below {{expects 'tile' 2, 4 or 6, got 3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.winograd_filter %w tile 3 : (tensor<16x8x3x3xf32>) -> tensor<25x16x8xf32>
  return
}

// -----

func.func @conv_winograd_c2_planes(%x: tensor<1x8x9x9xf32>, %u: tensor<16x4x8xf32>) {
  // expected-error @below {{expects 'tile' 2, 4 or 6 and (tile + 2)^2 planes in 'u', got 4 and 16}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_winograd %x, %u tile 4 pads [0, 0, 0, 0] : (tensor<1x8x9x9xf32>, tensor<16x4x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @conv_winograd_c3_pads(%x: tensor<1x8x9x9xf32>, %u: tensor<36x4x8xf32>) {
  // expected-error @below {{expects 4 entries in 'pads', got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_winograd %x, %u tile 4 pads [0, 0] : (tensor<1x8x9x9xf32>, tensor<36x4x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @conv_winograd_c4_channels(%x: tensor<1x6x9x9xf32>, %u: tensor<36x4x8xf32>) {
  // expected-error @below {{expects channels to agree, got 6 in 'x' and 8 in 'u'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.conv_winograd %x, %u tile 4 pads [0, 0, 0, 0] : (tensor<1x6x9x9xf32>, tensor<36x4x8xf32>) -> tensor<1x4x7x7xf32>
  return
}
