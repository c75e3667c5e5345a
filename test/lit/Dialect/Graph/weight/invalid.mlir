// RUN: atc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects length 24 for 'tensor<2x3xf32>', got 20}}
graph.weight_data @weight_data_c1_length : tensor<2x3xf32> source 0 offset 0 length 20

// -----

// expected-error @below {{expects a type whose size fits}}
graph.weight_data @weight_data_c1_overflow : tensor<4611686018427387904x4xf32> source 0 offset 0 length 0

// -----

// expected-error @below {{expects an offset whose end fits}}
graph.weight_data @weight_data_c1_end : tensor<4xf32> source 0 offset 9223372036854775800 length 16

// -----

// expected-error @below {{expects elements of a fixed size and no layout, got 'tensor<2x!graph.string>'}}
graph.weight_data @weight_data_c2_string : tensor<2x!graph.string> source 0 offset 0 length 2

// -----

// expected-error @below {{expects elements of a fixed size and no layout}}
graph.weight_data @weight_data_c2_layout : tensor<2x2xf32, #graph.layout<perm = [1, 0]>> source 0 offset 0 length 16

// -----

// expected-error @below {{attribute 'type' failed to satisfy constraint: type attribute of statically shaped tensor of any type values}}
graph.weight_data @weight_data_dynamic : tensor<?xf32> source 0 offset 0 length 16

// -----

// expected-error @below {{expects a region without arguments}}
graph.recipe @recipe_c1_arguments : tensor<f32> {
^bb0(%x: tensor<f32>):
  graph.yield %x : tensor<f32>
}

// -----

// expected-error @below {{expects the region to yield one value}}
graph.recipe @recipe_c1_count : tensor<f32> {
  graph.yield
}

// -----

// expected-error @below {{expects the region to yield 'tensor<f32>'}}
graph.recipe @recipe_c1_type : tensor<f32> {
  %c = graph.constant dense<1.0> : tensor<1xf32>
  // expected-note @below {{it yields 'tensor<1xf32>'}}
  graph.yield %c : tensor<1xf32>
}

// -----

graph.variable @state : tensor<f32>
// Reading a variable is no constant computation.
// expected-error @below {{expects ops of the graph dialect without effects}}
graph.recipe @recipe_c2_effect : tensor<f32> {
  // expected-note @below {{this is graph.read}}
  %v = graph.read @state : tensor<f32>
  graph.yield %v : tensor<f32>
}

// -----

// expected-error @below {{expects ops of the graph dialect without effects}}
graph.recipe @recipe_c2_dialect : tensor<f32> {
  // expected-note @below {{this is arith.constant}}
  %v = arith.constant dense<1.0> : tensor<f32>
  graph.yield %v : tensor<f32>
}
