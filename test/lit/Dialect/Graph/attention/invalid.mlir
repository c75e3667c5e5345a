// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1_rank(%q: tensor<1x12x128x64xf32>, %k: tensor<12x128x64xf32>, %v: tensor<1x12x128x64xf32>) {
  // expected-error @below {{expects equal ranks of at least 2, got 4, 3 and 4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.attention %q, %k, %v scale 1.0 : (tensor<1x12x128x64xf32>, tensor<12x128x64xf32>, tensor<1x12x128x64xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @attention_c2_heads(%q: tensor<1x12x128x64xf32>, %k: tensor<1x12x128x64xf32>, %v: tensor<1x4x128x64xf32>) {
  // expected-error @below {{expects dim 1 to agree, got 12, 12 and 4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.attention %q, %k, %v scale 1.0 : (tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>, tensor<1x4x128x64xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @attention_c3_depth(%q: tensor<1x12x128x64xf32>, %k: tensor<1x12x128x32xf32>, %v: tensor<1x12x128x64xf32>) {
  // expected-error @below {{expects the last dims of 'q' and 'k' to agree, got 64 and 32}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.attention %q, %k, %v scale 1.0 : (tensor<1x12x128x64xf32>, tensor<1x12x128x32xf32>, tensor<1x12x128x64xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @attention_c4_keys(%q: tensor<1x12x128x64xf32>, %k: tensor<1x12x128x64xf32>, %v: tensor<1x12x100x64xf32>) {
  // expected-error @below {{expects 'k' and 'v' to hold as many rows, got 128 and 100}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.attention %q, %k, %v scale 1.0 : (tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>, tensor<1x12x100x64xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @attention_c5_mask(%q: tensor<1x12x128x64xf32>, %k: tensor<1x12x128x64xf32>, %v: tensor<1x12x128x64xf32>, %m: tensor<1x1x1x64xf32>) {
  // expected-error @below {{expects 'mask' to broadcast to [1, 12, 128, 128], got [1, 1, 1, 64]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.attention %q, %k, %v mask %m scale 1.0 : (tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>, tensor<1x1x1x64xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @attention_c6_element(%q: tensor<1x12x128x64xf32>, %k: tensor<1x12x128x64xf32>, %v: tensor<1x12x128x64xf16>) {
  // expected-error @below {{expects equal element types, got 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.attention %q, %k, %v scale 1.0 : (tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>, tensor<1x12x128x64xf16>) -> tensor<*xf32>
  return
}
