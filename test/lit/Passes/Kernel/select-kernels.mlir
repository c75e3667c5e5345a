// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-fuse-kernels,atc-select-kernels))' | FileCheck %s --enable-var-scope

module attributes {graph.target = "CPU-x86-64-v3"} {
// The image is brought into channels-last order once, with the border that the
// first convolution needs; the result between the two has it from its producer.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:[^:]+]]: tensor<1x3x16x16xf32>
// CHECK: %[[IMAGE:.+]] = graph.kernel(%[[X]])
// CHECK-SAME: -> tensor<1x3x16x16xf32, #graph.layout<perm = [0, 2, 3, 1], halo = {{\[}}[2, 1, 1], [3, 1, 1]]>>
// CHECK: graph.relayout
// CHECK: %[[A:.+]] = graph.kernel(%[[IMAGE]]
// CHECK-SAME: -> tensor<1x16x16x16xf32, #graph.layout<perm = [0, 2, 3, 1], halo = {{\[}}[2, 1, 1], [3, 1, 1]]>>
// CHECK: %[[B:.+]] = graph.kernel(%[[A]]
// CHECK: return
func.func @chain(%x: tensor<1x3x16x16xf32>) -> tensor<1x16x16x16xf32> {
  %w0 = graph.constant dense<1.0> : tensor<16x3x3x3xf32>
  %w1 = graph.constant dense<1.0> : tensor<16x16x3x3xf32>
  %a = graph.conv %x, %w0 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
      : (tensor<1x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x16x16xf32>
  %b = graph.conv %a, %w1 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
      : (tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x16x16xf32>
  return %b : tensor<1x16x16x16xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// Nothing wants another order: no relayout appears.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: graph.relayout
// CHECK: graph.kernel(%{{.+}}) config <template = "pointwise"
// CHECK-NOT: graph.relayout
// CHECK: return
func.func @plain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}
}

// -----

// The filter that Winograd's method transforms is a constant still: packing it
// is no kernel, but joins its recipe.
// CHECK-LABEL: func.func @winograd
// CHECK: %[[W:.+]] = graph.weight @w
// CHECK: %[[U:.+]] = graph.winograd_filter %[[W]] tile 4
// CHECK: %[[P:.+]] = graph.relayout %[[U]] : (tensor<36x64x64xf32>) -> tensor<36x64x64xf32, #graph.layout<
// CHECK: graph.kernel(%{{.+}}, %[[P]]) config <template = "winograd"
module attributes {graph.target = "CPU-x86-64-v3"} {
  graph.weight_data @w : tensor<64x64x3x3xf32> source 0 offset 0 length 147456
  func.func @winograd(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
    %w = graph.weight @w : tensor<64x64x3x3xf32>
    %0 = graph.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
    return %0 : tensor<1x64x56x56xf32>
  }
}

// -----

// The whole and its parts have one layout: the border that a reader of the
// whole needs, its parts have too.
// CHECK-LABEL: func.func @parts
// CHECK: %[[A:.+]] = graph.kernel(%{{.+}}) config <template = "convolution"
// CHECK-SAME: -> tensor<1x8x6x6xf32, #graph.layout<perm = [0, 2, 3, 1], halo = {{\[}}[2, 1, 1], [3, 1, 1]]>>
// CHECK: %[[B:.+]] = graph.kernel(%[[A]]) config <template = "pooling"
// CHECK-SAME: -> tensor<1x8x6x6xf32, #graph.layout<perm = [0, 2, 3, 1], halo = {{\[}}[2, 1, 1], [3, 1, 1]]>>
// CHECK: graph.concat %[[A]], %[[B]] axis 1
// CHECK-SAME: -> tensor<1x16x6x6xf32, #graph.layout<perm = [0, 2, 3, 1], halo = {{\[}}[2, 1, 1], [3, 1, 1]]>>
module attributes {graph.target = "CPU-x86-64-v3"} {
  func.func @parts(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x1x1xf32>, %v: tensor<8x16x3x3xf32>) -> tensor<1x8x6x6xf32> {
    %a = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
        : (tensor<1x4x6x6xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x6x6xf32>
    %b = graph.max_pool %a kernel [1, 1] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    %c = graph.concat %a, %b axis 1 : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x16x6x6xf32>
    %d = graph.conv %c, %v strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
        : (tensor<1x16x6x6xf32>, tensor<8x16x3x3xf32>) -> tensor<1x8x6x6xf32>
    return %d : tensor<1x8x6x6xf32>
  }
}

// -----

// What a convolution wishes of a concatenation, the enlarged maps that it is
// made of lie in as well, though their sizes are others.
// CHECK-LABEL: func.func @pyramid
// CHECK: %[[A:.+]] = graph.kernel(%{{.+}}) config <template = "convolution"
// CHECK-SAME: -> tensor<1x8x6x6xf32, #graph.layout<perm = [0, 2, 3, 1]>>
// CHECK: %[[B:.+]] = graph.kernel(%[[A]]) config <template = "pointwise"
// CHECK: graph.resize
// CHECK-SAME: -> tensor<1x8x12x12xf32, #graph.layout<perm = [0, 2, 3, 1]>>
// CHECK: graph.concat %{{.+}}, %{{.+}} axis 1
// CHECK-SAME: -> tensor<1x12x12x12xf32, #graph.layout<perm = [0, 2, 3, 1], halo = {{\[}}[2, 1, 1], [3, 1, 1]]>>
module attributes {graph.target = "CPU-x86-64-v3"} {
  func.func @pyramid(%x: tensor<1x4x6x6xf32>, %y: tensor<1x4x12x12xf32>, %w: tensor<8x4x1x1xf32>, %v: tensor<8x12x3x3xf32>) -> tensor<1x8x12x12xf32> {
    %a = graph.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
        : (tensor<1x4x6x6xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x6x6xf32>
    %b = graph.resize %a scales [1.0, 1.0, 2.0, 2.0] sizes [1, 8, 12, 12] mode nearest coordinate_transform asymmetric nearest_rounding floor cubic_coefficient -0.75 extrapolation_value 0.0 : (tensor<1x8x6x6xf32>) -> tensor<1x8x12x12xf32>
    %c = graph.concat %b, %y axis 1 : (tensor<1x8x12x12xf32>, tensor<1x4x12x12xf32>) -> tensor<1x12x12x12xf32>
    %d = graph.conv %c, %v strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
        : (tensor<1x12x12x12xf32>, tensor<8x12x3x3xf32>) -> tensor<1x8x12x12xf32>
    return %d : tensor<1x8x12x12xf32>
  }
}

// -----

// Windows of a transposed convolution that lie side by side are columns of one
// product; others stay what they are.
// CHECK-LABEL: func.func @patches
// CHECK: graph.transpose %{{.+}} [2, 3, 1, 0] : (tensor<8x5x2x3xf32>) -> tensor<2x3x5x8xf32>
// CHECK: graph.reshape %{{.+}} : (tensor<2x3x5x8xf32>) -> tensor<30x8x1x1xf32>
// CHECK: config <template = "convolution"
// CHECK: graph.conv %{{.+}} -> tensor<1x30x4x6xf32>
// CHECK: graph.transpose %{{.+}} [0, 3, 4, 1, 5, 2]
// CHECK: config <template = "convolution_transpose"
module attributes {graph.target = "CPU-x86-64-v3"} {
  func.func @patches(%x: tensor<1x8x4x6xf32>) -> (tensor<1x5x8x18xf32>, tensor<1x5x9x18xf32>) {
    %w = graph.weight @w : tensor<8x5x2x3xf32>
    %v = graph.weight @v : tensor<8x5x3x3xf32>
    %a = graph.conv_transpose %x, %w strides [2, 3] pads [0, 0, 0, 0] output_padding [0, 0] dilations [1, 1] groups 1
        : (tensor<1x8x4x6xf32>, tensor<8x5x2x3xf32>) -> tensor<1x5x8x18xf32>
    %b = graph.conv_transpose %x, %v strides [2, 3] pads [0, 0, 0, 0] output_padding [0, 0] dilations [1, 1] groups 1
        : (tensor<1x8x4x6xf32>, tensor<8x5x3x3xf32>) -> tensor<1x5x9x18xf32>
    return %a, %b : tensor<1x5x8x18xf32>, tensor<1x5x9x18xf32>
  }
  graph.weight_data @w : tensor<8x5x2x3xf32> source 0 offset 0 length 960
  graph.weight_data @v : tensor<8x5x3x3xf32> source 0 offset 960 length 1440
}
