// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @elementwise_c1_shape(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{'graph.add' op expects shapes that broadcast, got [2] in operand 1 and [2, 3] before it}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.add %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @elementwise_c1_ternary(%c: tensor<2xi1>, %a: tensor<3xf32>) {
  // expected-error @below {{expects shapes that broadcast, got [3] in operand 1 and [2] before it}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.select %c, %a, %a : (tensor<2xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @elementwise_c2_element(%a: tensor<3xf32>, %b: tensor<3xf16>) {
  // expected-error @below {{expects operands of one element type, got 'f16' in operand 1 and 'f32' in operand 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.mul %a, %b : (tensor<3xf32>, tensor<3xf16>) -> tensor<3xf32>
  return
}

// -----

func.func @elementwise_c2_signedness(%a: tensor<3xi8>, %b: tensor<3xui8>) {
  // expected-error @below {{expects operands of one element type, got 'ui8' in operand 1 and 'i8' in operand 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.max %a, %b : (tensor<3xi8>, tensor<3xui8>) -> tensor<3xi8>
  return
}

// -----

func.func @elementwise_c2_select(%c: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xi32>) {
  // expected-error @below {{expects operands of one element type, got 'i32' in operand 2 and 'f32' in operand 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.select %c, %a, %b : (tensor<3xi1>, tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

// The result's text may say less than what is inferred, not something else.
func.func @result_shape(%a: tensor<2x3xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.exp %a : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @result_element(%a: tensor<2x3xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<2x3xi1>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.is_nan %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @float_only(%a: tensor<3xi32>) {
  // expected-error @below {{operand #0 must be tensor of floating-point values, but got 'tensor<3xi32>'}}
  %0 = graph.exp %a : (tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @no_bool_arithmetic(%a: tensor<3xi1>) {
  // expected-error @below {{operand #0 must be tensor of floating-point or integer of 2, 4, 8, 16, 32 or 64 bits, signless or unsigned values, but got 'tensor<3xi1>'}}
  %0 = graph.add %a, %a : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

// Signed integers are spelled without a sign.
func.func @signed_spelling(%a: tensor<3xsi8>) {
  // expected-error @below {{operand #0 must be tensor of}}
  %0 = graph.neg %a : (tensor<3xsi8>) -> tensor<3xsi8>
  return
}

// -----

func.func @cast_c1_complex(%a: tensor<3xcomplex<f32>>) {
  // expected-error @below {{expects no cast between complex and other numbers, got 'complex<f32>' to 'f32'}}
  %0 = graph.cast %a to f32 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

func.func @cast_c2_target(%a: tensor<3xf32>) {
  // expected-error @below {{result #0 must be tensor of}}
  %0 = graph.cast %a to i7 : (tensor<3xf32>) -> tensor<3xi7>
  return
}

// -----

func.func @compare_c1_bool(%a: tensor<3xi1>) {
  // expected-error @below {{expects predicate eq or ne for 'i1', got lt}}
  %0 = graph.compare lt, %a, %a : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @compare_c1_string(%a: tensor<3x!graph.string>) {
  // expected-error @below {{expects predicate eq or ne for '!graph.string', got ge}}
  %0 = graph.compare ge, %a, %a : (tensor<3x!graph.string>, tensor<3x!graph.string>) -> tensor<3xi1>
  return
}
