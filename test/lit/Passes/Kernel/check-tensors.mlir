// RUN: atc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(atc-check-tensors))'

// Known sizes pass, an empty one too.
func.func @static(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = graph.relu %x : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// -----

// All open inputs are told; what follows from them is not.
// expected-error @below {{input 'image' is [?, 3, 48, ?], and kernels are made for known sizes}}
// expected-error @below {{input 'mask' is [?], and kernels are made for known sizes}}
func.func @inputs(%x: tensor<?x3x48x?xf32> {graph.name = "image"},
                  %fixed: tensor<2xf32> {graph.name = "fixed"},
                  %mask: tensor<?xf32> {graph.name = "mask"})
    -> tensor<?x3x48x?xf32> {
  %y = graph.relu %x : (tensor<?x3x48x?xf32>) -> tensor<?x3x48x?xf32>
  return %y : tensor<?x3x48x?xf32>
}

// -----

// A size that depends on data is told where it arises.
func.func @data(%x: tensor<6xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  // expected-error @below {{the result is [?, ?]: its size depends on the data}}
  %y = graph.reshape %x shape %shape : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %z = graph.relu %y : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// expected-error @below {{input 'text' has elements of type '!graph.string', and kernels take numbers only}}
func.func @strings(%x: tensor<2x!graph.string> {graph.name = "text"}) -> tensor<2x!graph.string> {
  return %x : tensor<2x!graph.string>
}
