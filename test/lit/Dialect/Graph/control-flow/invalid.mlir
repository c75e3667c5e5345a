// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @if_c1_condition(%c: tensor<2xi1>) {
  // expected-error @below {{expects 'condition' of one element, got 'tensor<2xi1>'}}
  graph.if %c : (tensor<2xi1>) -> () {
    graph.yield
  } else {
    graph.yield
  }
  return
}

// -----

func.func @if_c2_yield(%c: tensor<i1>, %a: tensor<3xf32>, %b: tensor<3xi32>) {
  // expected-error @below {{expects both regions to yield the result types}}
  %r = graph.if %c : (tensor<i1>) -> tensor<3xf32> {
    graph.yield %a : tensor<3xf32>
  } else {
    // expected-note @below {{this yields 'tensor<3xi32>'}}
    graph.yield %b : tensor<3xi32>
  }
  return
}

// -----

func.func @if_c2_terminator(%c: tensor<i1>) {
  // expected-error @below {{expects regions without arguments that yield}}
  graph.if %c : (tensor<i1>) -> () {
    graph.yield
  } else {
  ^bb0(%x: tensor<f32>):
    graph.yield
  }
  return
}

// -----

func.func @loop_c1_count(%n: tensor<2xi64>, %c: tensor<i1>) {
  // expected-error @below {{expects 'trip_count' and 'condition' of one element}}
  graph.loop %n, %c : (tensor<2xi64>, tensor<i1>) -> () {
  ^bb0(%i: tensor<i64>):
    graph.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @loop_c2_arguments(%n: tensor<i64>, %c: tensor<i1>) {
  // expected-error @below {{expects 1 arguments of the body, got 2}}
  graph.loop %n, %c : (tensor<i64>, tensor<i1>) -> () {
  ^bb0(%i: tensor<i64>, %x: tensor<f32>):
    graph.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @loop_c2_number(%n: tensor<i64>, %c: tensor<i1>) {
  // expected-error @below {{expects the body's first argument to be a tensor<i64>, got 'tensor<i32>'}}
  graph.loop %n, %c : (tensor<i64>, tensor<i1>) -> () {
  ^bb0(%i: tensor<i32>):
    graph.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @loop_c3_count(%n: tensor<i64>, %c: tensor<i1>) {
  // expected-error @below {{expects the body to yield 1 values}}
  graph.loop %n, %c : (tensor<i64>, tensor<i1>) -> () {
  ^bb0(%i: tensor<i64>):
    graph.yield %c, %c : tensor<i1>, tensor<i1>
  }
  return
}

// -----

func.func @loop_c3_condition(%n: tensor<i64>, %c: tensor<i1>) {
  // expected-error @below {{expects the body to yield a condition first, got 'tensor<i64>'}}
  graph.loop %n, %c : (tensor<i64>, tensor<i1>) -> () {
  ^bb0(%i: tensor<i64>):
    graph.yield %i : tensor<i64>
  }
  return
}

// -----

func.func @loop_c4_carried(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @below {{expects carried value 0 to keep its element type, got 'tensor<i1>' as yield and 'tensor<f32>' at first}}
  %r = graph.loop %n, %c iter_args(%x) : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    graph.yield %c, %c : tensor<i1>, tensor<i1>
  }
  return
}

// -----

func.func @loop_c4_collected(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @below {{expects result 0 to stack what the body yields, got 'tensor<?xf32>' for 'tensor<2xf32>'}}
  %r = graph.loop %n, %c : (tensor<i64>, tensor<i1>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>):
    graph.yield %c, %x : tensor<i1>, tensor<2xf32>
  }
  return
}
