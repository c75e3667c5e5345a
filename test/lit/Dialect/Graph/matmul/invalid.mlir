// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @matmul_c1_rank(%a: tensor<4xf32>, %b: tensor<4x2xf32>) {
  // expected-error @below {{expects ranks of at least 2, got 1 in 'lhs' and 2 in 'rhs'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @matmul_c2_inner(%a: tensor<3x4xf32>, %b: tensor<5x2xf32>) {
  // expected-error @below {{expects one inner size, got 4 in 'lhs' and 5 in 'rhs'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<3x4xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @matmul_c2_transposed(%a: tensor<3x4xf32>, %b: tensor<4x2xf32>) {
  // expected-error @below {{expects one inner size, got 4 in 'lhs' and 2 in 'rhs'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b transpose_rhs : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @matmul_c3_batch(%a: tensor<2x3x4xf32>, %b: tensor<5x4x2xf32>) {
  // expected-error @below {{expects leading dims that broadcast, got [2] in 'lhs' and [5] in 'rhs'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<2x3x4xf32>, tensor<5x4x2xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @matmul_c4_element(%a: tensor<3x4xf32>, %b: tensor<4x2xf16>) {
  // expected-error @below {{expects equal element types or 8-bit integers, got 'f32' in 'lhs' and 'f16' in 'rhs'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<3x4xf32>, tensor<4x2xf16>) -> tensor<3x2xf32>
  return
}
