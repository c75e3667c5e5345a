// RUN: atc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(atc-check-tensors))'

// Known sizes pass, an empty one too.
module attributes {graph.target = "TinyNpu"} {
func.func @static(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = graph.relu %x : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}
}

// -----

// A target whose kernels take sizes at run time takes open inputs.
module attributes {graph.target = "CPU-x86-64-v3"} {
func.func @open(%x: tensor<?x3xf32> {graph.name = "x"}) -> tensor<?x3xf32> {
  %y = graph.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
}

// -----

// The others do not. All open inputs are told; what follows from them is not.
module attributes {graph.target = "TinyNpu"} {
// expected-error @below {{input 'image' is [?, 3, 48, ?], and kernels are made for known sizes}}
// expected-error @below {{input 'mask' is [?], and kernels are made for known sizes}}
func.func @inputs(%x: tensor<?x3x48x?xf32> {graph.name = "image"},
                  %fixed: tensor<2xf32> {graph.name = "fixed"},
                  %mask: tensor<?xf32> {graph.name = "mask"})
    -> tensor<?x3x48x?xf32> {
  %y = graph.relu %x : (tensor<?x3x48x?xf32>) -> tensor<?x3x48x?xf32>
  return %y : tensor<?x3x48x?xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// expected-error @below {{input 'x' is of unknown rank, and kernels are made for known ranks}}
func.func @unranked(%x: tensor<*xf32> {graph.name = "x"}) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}
}

// -----

// A size that depends on data is told where it arises.
module attributes {graph.target = "CPU-x86-64-v3"} {
func.func @data(%x: tensor<6xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  // expected-error @below {{the result is [?, ?]: its size depends on the data}}
  %y = graph.reshape %x shape %shape : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %z = graph.relu %y : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
// expected-error @below {{input 'text' has elements of type '!graph.string', and kernels take numbers only}}
func.func @strings(%x: tensor<2x!graph.string> {graph.name = "text"}) -> tensor<2x!graph.string> {
  return %x : tensor<2x!graph.string>
}
}

// -----

// The plan and the runtime count 32 dims; the last that pass...
module attributes {graph.target = "TinyNpu"} {
func.func @largest_rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32> {
  %y = graph.relu %x : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
  return %y : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
}
}

// -----

// ... and the first that do not.
module attributes {graph.target = "CPU-x86-64-v3"} {
// expected-error @below {{input 'x' is [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], 33 dims, and tensors have at most 32}}
func.func @rank_of_input(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32> {graph.name = "x"}) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32> {
  %y = graph.relu %x : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
  return %y : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
}
}

// -----

module attributes {graph.target = "CPU-x86-64-v3"} {
func.func @rank_of_result(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{the result is [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], 33 dims, and tensors have at most 32}}
  %y = graph.reshape %x : (tensor<2xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
  %z = graph.reshape %y : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
}
