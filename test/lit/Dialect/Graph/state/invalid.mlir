// RUN: atc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{type attribute of statically shaped tensor}}
graph.variable @variable_c1_dynamic : tensor<?xf32>

// -----

graph.weight_data @w : tensor<2xf32> source 0 offset 0 length 8
// expected-error @below {{expects 'initial' to be a constant of type 'tensor<3xf32>'}}
graph.variable @variable_c2_type : tensor<3xf32> initial @w

// -----

// expected-error @below {{expects 'initial' to be a constant of type 'tensor<3xf32>'}}
graph.variable @variable_c2_unknown : tensor<3xf32> initial @w

// -----

func.func @read_c1_unknown() {
  // expected-error @below {{expects 'v' to be a variable}}
  %0 = graph.read @v : tensor<2xf32>
  return
}

// -----

// expected-note @below {{its type is 'tensor<2xf32>'}}
graph.variable @v : tensor<2xf32>
func.func @read_c1_type() {
  // expected-error @below {{expects the variable's type, got 'tensor<3xf32>'}}
  %0 = graph.read @v : tensor<3xf32>
  return
}

// -----

// expected-note @below {{its type is 'tensor<2xf32>'}}
graph.variable @v : tensor<2xf32>
func.func @assign_c1_element(%x: tensor<2xf16>) {
  // expected-error @below {{expects the variable's type, got 'tensor<2xf16>'}}
  graph.assign @v, %x : tensor<2xf16>
  return
}

// -----

graph.variable @v : tensor<2x4xf32>
func.func @assign_slice_c1_rank(%x: tensor<2xf32>, %at: tensor<2xi64>) {
  // expected-error @below {{expects a value of the variable's element type and rank, got 'tensor<2xf32>' for 'tensor<2x4xf32>'}}
  graph.assign_slice @v, %x at %at : tensor<2xf32>, tensor<2xi64>
  return
}

// -----

graph.variable @v : tensor<2x4xf32>
func.func @assign_slice_c2_size(%x: tensor<2x5xf32>, %at: tensor<2xi64>) {
  // expected-error @below {{expects no size above the variable's, got 5 above 4}}
  graph.assign_slice @v, %x at %at : tensor<2x5xf32>, tensor<2xi64>
  return
}

// -----

graph.variable @v : tensor<2x4xf32>
func.func @assign_slice_c3_starts(%x: tensor<2x1xf32>, %at: tensor<3xi64>) {
  // expected-error @below {{expects 2 starts, got 'tensor<3xi64>'}}
  graph.assign_slice @v, %x at %at : tensor<2x1xf32>, tensor<3xi64>
  return
}
