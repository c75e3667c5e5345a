// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @dim_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{expects 'axis' below rank 2, got 2}}
  %0 = graph.dim %x axis 2 : (tensor<2x3xf32>) -> index
  return
}

// -----

func.func @shape_of_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<2xi64>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.shape_of %x : (tensor<2x3xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @range_c1_rank(%a: tensor<1xi64>) {
  // expected-error @below {{expects operands of rank 0, got 'tensor<1xi64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.range %a, %a, %a : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_c2_element(%a: tensor<i64>, %b: tensor<i32>) {
  // expected-error @below {{expects equal element types, got 'i64' and 'i32'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.range %a, %b, %a : (tensor<i64>, tensor<i32>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_c3_delta(%a: tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  // expected-error @below {{expects 'delta' not to be 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.range %a, %a, %zero : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @pack_sizes_c1(%n: index) -> tensor<2xi64> {
  // expected-error @below {{expects a result of rank 0 or 1 with 1 elements, got 'tensor<2xi64>'}}
  %r = graph.pack_sizes %n : tensor<2xi64>
  return %r : tensor<2xi64>
}
