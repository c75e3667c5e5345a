// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @generic_c1_maps(%x: tensor<4xf32>) {
  // expected-error @below {{expects 2 maps, got 1}}
  %0 = graph.generic %x maps [affine_map<(d0) -> (d0)>]
      iterators [#graph.iterator<parallel>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @generic_c1_iterators(%x: tensor<4xf32>) {
  // expected-error @below {{expects maps of 2 dims and no symbols, got affine_map<(d0) -> (d0)>}}
  %0 = graph.generic %x maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      iterators [#graph.iterator<parallel>, #graph.iterator<parallel>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @generic_c2_rank(%x: tensor<4x4xf32>) {
  // expected-error @below {{expects a map of the tensor's rank, got affine_map<(d0) -> (d0)> for 'tensor<4x4xf32>'}}
  %0 = graph.generic %x maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      iterators [#graph.iterator<parallel>] : (tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @generic_c3_result_map(%x: tensor<4xf32>) {
  // expected-error @below {{expects the map of a result to pick parallel iterators, got affine_map<(d0) -> (d0 * 2)>}}
  %0 = graph.generic %x maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0 * 2)>]
      iterators [#graph.iterator<parallel>] : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func @generic_c4_arguments(%x: tensor<4xui8>) {
  // expected-error @below {{expects body arguments 'i8', got 'ui8'}}
  %0 = graph.generic %x maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      iterators [#graph.iterator<parallel>] : (tensor<4xui8>) -> tensor<4xui8> {
  ^bb0(%a: ui8):
    graph.yield %a : ui8
  }
  return
}

// -----

func.func @generic_c4_yield(%x: tensor<4xf32>) {
  // expected-error @below {{expects the body to yield 'f32'}}
  %0 = graph.generic %x maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      iterators [#graph.iterator<parallel>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    graph.yield
  }
  return
}

// -----

func.func @generic_c5_identity(%x: tensor<4xf32>) {
  // expected-error @below {{expects one identity per result exactly when an iterator is a reduction, got 0}}
  %0 = graph.generic %x maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]
      iterators [#graph.iterator<reduction>] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %s: f32):
    graph.yield %a : f32
  }
  return
}

// -----

func.func private @effect(f32)
func.func @generic_c6_effect(%x: tensor<4xf32>) {
  // expected-error @below {{expects a body without effects, got func.call}}
  %0 = graph.generic %x maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      iterators [#graph.iterator<parallel>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    func.call @effect(%a) : (f32) -> ()
    graph.yield %a : f32
  }
  return
}
