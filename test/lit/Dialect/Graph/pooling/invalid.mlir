// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @pool_c1_rank(%x: tensor<4x9xf32>) {
  // expected-error @below {{expects 'x' of rank 3 or more, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.max_pool %x kernel [] strides [] pads [] dilations [] : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return
}

// -----

func.func @pool_c2_count(%x: tensor<1x4x9x9xf32>) {
  // expected-error @below {{expects 2 kernel sizes, got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.max_pool %x kernel [2] strides [2] pads [0, 0] dilations [1] : (tensor<1x4x9x9xf32>) -> tensor<1x4x?x?xf32>
  return
}

// -----

func.func @pool_c2_strides(%x: tensor<1x4x9x9xf32>) {
  // expected-error @below {{expects 2 entries in 'strides', got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.max_pool %x kernel [2, 2] strides [2] pads [0, 0, 0, 0] dilations [1, 1] : (tensor<1x4x9x9xf32>) -> tensor<1x4x?x?xf32>
  return
}

// -----

func.func @pool_c2_kernel(%x: tensor<1x4x9x9xf32>) {
  // expected-error @below {{expects positive 'kernel', got [2, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.max_pool %x kernel [2, 0] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : (tensor<1x4x9x9xf32>) -> tensor<1x4x?x?xf32>
  return
}

// -----

func.func @pool_c3_count(%x: tensor<1x4x9x9xf32>) {
  // expected-error @below {{expects 4 entries in 'pads', got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.max_pool %x kernel [2, 2] strides [2, 2] pads [0, 0] dilations [1, 1] : (tensor<1x4x9x9xf32>) -> tensor<1x4x?x?xf32>
  return
}

// -----

func.func @pool_c3_window(%x: tensor<1x4x9x9xf32>) {
  // expected-error @below {{expects pads smaller than the window of 2, got 2 in spatial dim 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.avg_pool %x kernel [2, 2] strides [2, 2] pads [0, 0, 2, 0] dilations [1, 1] : (tensor<1x4x9x9xf32>) -> tensor<1x4x?x?xf32>
  return
}
