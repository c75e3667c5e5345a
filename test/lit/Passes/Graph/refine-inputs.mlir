// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-refine-inputs,atc-infer-shapes))' --verify-diagnostics | FileCheck %s --enable-var-scope

// A filter reads 17 channels.
// CHECK-LABEL: func.func @channels
// CHECK-SAME: (%{{.+}}: tensor<?x17x?x?xf32>) -> tensor<?x8x?x?xf32>
func.func @channels(%x: tensor<?x?x?x?xf32>) -> tensor<?x8x?x?xf32> {
  %w = graph.constant dense<1.0> : tensor<8x17x1x1xf32>
  %r = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
      : (tensor<?x?x?x?xf32>, tensor<8x17x1x1xf32>) -> tensor<?x8x?x?xf32>
  return %r : tensor<?x8x?x?xf32>
}

// -----

// Four more than the size of the input are 12; the other input's dim has the
// same name.
// CHECK-LABEL: func.func @names
// CHECK-SAME: (%{{.+}}: tensor<?x8xf32> {{.*}}, %{{.+}}: tensor<8x3xf32>
// CHECK-SAME: -> (tensor<?x5xf32>, tensor<8x3xf32>)
func.func @names(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]},
                 %y: tensor<?x3xf32> {graph.dims = ["m", ""]},
                 %z: tensor<?x4xf32> {graph.dims = ["n", ""]})
    -> (tensor<?x5xf32>, tensor<?x3xf32>) {
  %w = graph.constant dense<1.0> : tensor<12x5xf32>
  %c = graph.concat %x, %z axis 1 : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
  %r = graph.matmul %c, %w : (tensor<?x?xf32>, tensor<12x5xf32>) -> tensor<?x5xf32>
  %s = graph.neg %y : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r, %s : tensor<?x5xf32>, tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func.func @result
// CHECK-SAME: (%{{.+}}: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x2xf32>)
func.func @result(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x2xf32>) {
  %w = graph.constant dense<1.0> : tensor<3x2xf32>
  %r = graph.matmul %x, %w : (tensor<?x?xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  return %x, %r : tensor<?x?xf32>, tensor<?x2xf32>
}

// -----

// What broadcasts may also be one; a product of two open sizes has many values.
// CHECK-LABEL: func.func @choices
// CHECK-SAME: (%{{.+}}: tensor<?xf32>, %{{.+}}: tensor<?x?xf32>)
func.func @choices(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> (tensor<7xf32>, tensor<3x4xf32>) {
  %w = graph.constant dense<1.0> : tensor<7xf32>
  %r = graph.add %x, %w : (tensor<?xf32>, tensor<7xf32>) -> tensor<7xf32>
  %s = graph.reshape %y : (tensor<?x?xf32>) -> tensor<3x4xf32>
  return %r, %s : tensor<7xf32>, tensor<3x4xf32>
}

// -----

func.func @contradiction(%x: tensor<?x?xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %w = graph.constant dense<1.0> : tensor<3x2xf32>
  %v = graph.constant dense<1.0> : tensor<4x2xf32>
  %r = graph.matmul %x, %w : (tensor<?x?xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  // expected-error @+1 {{inner sizes of the matrices demand a size of 4 of an input, of which other ops demand 3}}
  %s = graph.matmul %x, %v : (tensor<?x?xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  return %r, %s : tensor<?x2xf32>, tensor<?x2xf32>
}
