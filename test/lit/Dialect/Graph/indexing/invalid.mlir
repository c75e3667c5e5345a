// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1_axis(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{expects 'axis' below rank 1, got 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather %x, %i axis 1 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_index_type(%x: tensor<4xf32>, %i: tensor<2xi8>) {
  // expected-error @below {{operand #1 must be tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<2xi8>'}}
  %0 = graph.gather %x, %i axis 0 : (tensor<4xf32>, tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_elements_c1_rank(%x: tensor<4x5xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{expects equal ranks above 'axis' 0, got 'tensor<4x5xf32>' and 'tensor<2xi64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather_elements %x, %i axis 0 : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_elements_c2_size(%x: tensor<4x5xf32>, %i: tensor<9x6xi64>) {
  // expected-error @below {{expects 'indices' not to exceed 'x' outside 'axis' 0, got 6 above 5 at dim 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather_elements %x, %i axis 0 : (tensor<4x5xf32>, tensor<9x6xi64>) -> tensor<9x6xf32>
  return
}

// -----

func.func @gather_nd_c1_rank(%x: tensor<4xf32>, %i: tensor<4x1xi64>) {
  // expected-error @below {{expects ranks above 'batch_dims' 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather_nd %x, %i batch_dims 1 : (tensor<4xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_nd_c2_batch(%x: tensor<4x5xf32>, %i: tensor<3x1xi64>) {
  // expected-error @below {{expects batch dims to agree, got 4 and 3 at dim 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather_nd %x, %i batch_dims 1 : (tensor<4x5xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c3_tuple(%x: tensor<4x5xf32>, %i: tensor<3x3xi64>) {
  // expected-error @below {{expects index tuples of at most 2 entries, got [3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather_nd %x, %i batch_dims 0 : (tensor<4x5xf32>, tensor<3x3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c3_dynamic(%x: tensor<4x5xf32>, %i: tensor<3x?xi64>) {
  // expected-error @below {{expects index tuples of at most 2 entries, got [?]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather_nd %x, %i batch_dims 0 : (tensor<4x5xf32>, tensor<3x?xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @scatter_elements_c1_rank(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @below {{expects equal ranks above 'axis' 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.scatter_elements %x, %i, %u axis 0 reduction none : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scatter_elements_c2_shape(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<3xf32>) {
  // expected-error @below {{expects one shape of 'indices' and 'updates', got 'tensor<2xi64>' and 'tensor<3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.scatter_elements %x, %i, %u axis 0 reduction none : (tensor<4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_c3_element(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf16>) {
  // expected-error @below {{expects equal element types, got 'f32' in 'x' and 'f16' in 'updates'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.scatter_elements %x, %i, %u axis 0 reduction none : (tensor<4xf32>, tensor<2xi64>, tensor<2xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_c1_rank(%x: tensor<f32>, %i: tensor<1xi64>, %u: tensor<f32>) {
  // expected-error @below {{expects ranks of at least 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.scatter_nd %x, %i, %u reduction none : (tensor<f32>, tensor<1xi64>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @scatter_nd_c2_tuple(%x: tensor<4xf32>, %i: tensor<3x2xi64>, %u: tensor<3xf32>) {
  // expected-error @below {{expects index tuples of at most 1 entries, got [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.scatter_nd %x, %i, %u reduction none : (tensor<4xf32>, tensor<3x2xi64>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_c3_updates(%x: tensor<4x5xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expects 'updates' of shape [3, 5], got 'tensor<3x4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.scatter_nd %x, %i, %u reduction none : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @one_hot_c1_axis(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>) {
  // expected-error @below {{expects 'axis' of at most 1, got 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.one_hot %i, %d, %v, %v axis 2 : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<3x?xf32>
  return
}

// -----

func.func @one_hot_c2_rank(%i: tensor<3xi64>, %d: tensor<1xi64>, %v: tensor<f32>) {
  // expected-error @below {{expects 'depth', 'on' and 'off' of rank 0, got 'tensor<1xi64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.one_hot %i, %d, %v, %v axis 1 : (tensor<3xi64>, tensor<1xi64>, tensor<f32>, tensor<f32>) -> tensor<3x?xf32>
  return
}

// -----

func.func @one_hot_c3_element(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>, %w: tensor<i32>) {
  // expected-error @below {{expects one element type of 'on' and 'off', got 'f32' and 'i32'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.one_hot %i, %d, %v, %w axis 1 : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<i32>) -> tensor<3x?xf32>
  return
}
