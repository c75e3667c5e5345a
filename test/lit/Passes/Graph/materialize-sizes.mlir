// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-materialize-sizes))' | FileCheck %s

// Where all is static nothing happens.
// CHECK-LABEL: func @static
// CHECK-NEXT:    graph.shape_of
func.func @static(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %s = graph.shape_of %x : (tensor<2x3xf32>) -> tensor<2xi64>
  return %s : tensor<2xi64>
}

// -----

// Sizes become index values; tensors of sizes are packed of them.
// CHECK-LABEL: func @sizes
// CHECK:         %[[N:.+]] = graph.dim %{{.+}} axis 0
// CHECK:         %[[TWO:.+]] = arith.constant 2 : index
// CHECK:         %[[DOUBLE:.+]] = arith.muli %[[N]], %[[TWO]]
// CHECK:         %[[PACK:.+]] = graph.pack_sizes %[[DOUBLE]] : tensor<1xi64>
// CHECK-NOT:     graph.shape_of
// CHECK:         return %[[PACK]]
func.func @sizes(%x: tensor<?x3xf32>) -> tensor<1xi64> {
  %s = graph.shape_of %x : (tensor<?x3xf32>) -> tensor<2xi64>
  %n = graph.slice %s starts [0] limits [1] steps [1] : (tensor<2xi64>) -> tensor<1xi64>
  %two = graph.constant dense<2> : tensor<1xi64>
  %r = graph.mul %n, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %r : tensor<1xi64>
}

// -----

// Dims of one name are equal: nothing is left to check.
// CHECK-LABEL: func @named
// CHECK-NOT:     cf.assert
func.func @named(%x: tensor<?xf32> {graph.dims = ["n"]},
                 %y: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %r = graph.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Others may broadcast, which is checked when the sizes are known.
// CHECK-LABEL: func @unnamed
// CHECK:         cf.assert %{{.+}}, "sizes of the operands do not match in 'add'"
// CHECK:         cf.assert %{{.+}}, "sizes of the operands do not match in 'add'"
// CHECK-NOT:     cf.assert
func.func @unnamed(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = graph.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// What a reshape merges and what it splits again are the same elements.
// CHECK-LABEL: func @reshape
// CHECK-NOT:     cf.assert
// CHECK:         graph.add
func.func @reshape(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %m1 = graph.constant dense<[-1, 8]> : tensor<2xi64>
  %flat = graph.reshape %x shape %m1 : (tensor<?x?x8xf32>, tensor<2xi64>) -> tensor<?x8xf32>
  %r = graph.relu %flat : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = graph.shape_of %x : (tensor<?x?x8xf32>) -> tensor<3xi64>
  %back = graph.reshape %r shape %s : (tensor<?x8xf32>, tensor<3xi64>) -> tensor<?x?x8xf32>
  %sum = graph.add %back, %x : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %sum : tensor<?x?x8xf32>
}

// -----

// The inner sizes of a product must agree.
// CHECK-LABEL: func @matmul
// CHECK:         cf.assert %{{.+}}, "inner sizes of the matrices do not match in 'matmul'"
func.func @matmul(%x: tensor<2x?xf32>, %y: tensor<?x4xf32>) -> tensor<2x4xf32> {
  %r = graph.matmul %x, %y : (tensor<2x?xf32>, tensor<?x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

// A class token is repeated for every image: a broadcast.
// CHECK-LABEL: func @tile
// CHECK:         graph.expand %{{.+}} shape %{{.+}} : (tensor<1x1x8xf32>, tensor<3xi64>) -> tensor<?x1x8xf32>
// CHECK-NOT:     graph.tile_dynamic
func.func @tile(%x: tensor<?x3xf32>, %token: tensor<1x1x8xf32>) -> tensor<?x1x8xf32> {
  %s = graph.shape_of %x : (tensor<?x3xf32>) -> tensor<2xi64>
  %n = graph.slice %s starts [0] limits [1] steps [1] : (tensor<2xi64>) -> tensor<1xi64>
  %ones = graph.constant dense<1> : tensor<2xi64>
  %repeats = graph.concat %n, %ones axis 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %r = graph.tile_dynamic %token, %repeats : (tensor<1x1x8xf32>, tensor<3xi64>) -> tensor<?x1x8xf32>
  return %r : tensor<?x1x8xf32>
}

// -----

// An input shorter than a window is refused when its size is known.
// CHECK-LABEL: func @pool
// CHECK:         cf.assert %{{.+}}, "the window and the padded size are out of order in 'max_pool'"
func.func @pool(%x: tensor<1x3x?x8xf32>) -> tensor<1x3x?x4xf32> {
  %r = graph.max_pool %x kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1]
      : (tensor<1x3x?x8xf32>) -> tensor<1x3x?x4xf32>
  return %r : tensor<1x3x?x4xf32>
}

// -----

// Nothing can be picked from an empty dim; rows of a table are always there.
// CHECK-LABEL: func @gather
// CHECK:         cf.assert %{{.+}}, "indices and the size that they pick from are out of order in 'gather'"
// CHECK-NOT:     cf.assert
func.func @gather(%x: tensor<?x8xf32>, %table: tensor<9x8xf32>, %i: tensor<?xi64>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %r = graph.gather %x, %i axis 0 : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  %s = graph.gather %table, %i axis 0 : (tensor<9x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  return %r, %s : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// The first two of at least two elements are two.
// CHECK-LABEL: func.func @number
// CHECK-SAME: -> (tensor<2x?xf32>, tensor<?x?xf32>)
func.func @number(%x: tensor<?x?xf32>, %v: tensor<f32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %p = graph.pad %x, %v low [2, 0] high [0, 0] mode constant : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %r = graph.slice %p starts [0, 0] limits [2, 9223372036854775807] steps [1, 1] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = graph.slice %p starts [0, 0] limits [3, 9223372036854775807] steps [1, 1] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r, %s : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A float that counts to a size is that size, as long as floats count so far.
// CHECK-LABEL: func @float_range
// CHECK:         %[[N:.+]] = graph.dim %{{.+}} axis 0
// CHECK:         cf.assert %{{.+}}, "a bound and what its float type counts up to are out of order in 'range'"
// CHECK-NOT:     cf.assert
// CHECK:         graph.add %{{.+}}, %{{.+}} : (tensor<?xf32>, tensor<?xf32>)
func.func @float_range(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %s = graph.shape_of %x : (tensor<?xf32>) -> tensor<1xi64>
  %n = graph.reshape %s : (tensor<1xi64>) -> tensor<i64>
  %limit = graph.cast %n to f32 : (tensor<i64>) -> tensor<f32>
  %points = graph.range %zero, %limit, %one : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %r = graph.add %x, %points : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Halves are no sizes: how many there are is not known.
// CHECK-LABEL: func @halves
// CHECK-NOT:     cf.assert
// CHECK:         graph.range %{{.+}} -> tensor<?xf32>
func.func @halves(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %s = graph.shape_of %x : (tensor<?xf32>) -> tensor<1xi64>
  %n = graph.reshape %s : (tensor<1xi64>) -> tensor<i64>
  %limit = graph.cast %n to f32 : (tensor<i64>) -> tensor<f32>
  %points = graph.range %zero, %limit, %half : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %points : tensor<?xf32>
}
