// RUN: atc-opt %s --split-input-file --verify-diagnostics

func.func @kernel_c1_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{expects block arguments 'tensor<4xf32>', got 'tensor<?xf32>'}}
  %0 = graph.kernel(%x) : (tensor<4xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    graph.yield %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_c2_dialect(%x: tensor<4xf32>) {
  // expected-error @below {{expects computing ops of the graph dialect}}
  %0 = graph.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @below {{this is arith.addf}}
    %b = arith.addf %a, %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_c2_nested(%x: tensor<4xf32>) {
  // expected-error @below {{expects computing ops of the graph dialect}}
  %0 = graph.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @below {{this is graph.host_call}}
    %b = graph.host_call "Sort"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_c2_yield(%x: tensor<4xf32>) {
  // expected-error @below {{expects the region to yield the result types}}
  %0 = graph.kernel(%x) : (tensor<4xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

// A region uses nothing from outside.
func.func @kernel_isolated(%x: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = graph.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{using value defined outside the region}}
    %b = graph.add %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_c3_count(%x: tensor<?xf32>, %n: index) {
  // expected-error @below {{expects 2 shapes, got 1}}
  %0 = graph.kernel(%x) dims(%n) shapes [affine_map<()[s0] -> (s0)>] : (tensor<?xf32>, index) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %d: index):
    graph.yield %a : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_c3_static(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expects shape affine_map<()[s0] -> (s0)> to agree with 'tensor<4xf32>'}}
  %0 = graph.kernel(%x) dims(%n) shapes [affine_map<()[s0] -> (s0)>, affine_map<()[s0] -> (s0)>] : (tensor<4xf32>, index) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %d: index):
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_c4_inplace(%x: tensor<4xf32>) {
  // expected-error @below {{expects inplace pairs of an existing result and operand, got [0, 1]}}
  %0 = graph.kernel(%x) config <template = "map", inplace = [[0, 1]]> : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_c4_tiles(%x: tensor<4xf32>) {
  // expected-error @below {{expects tile maps of 0 symbols, got affine_map<()[s0] -> (s0)>}}
  %0 = graph.kernel(%x) config <template = "map", tiles = [affine_map<()[s0] -> (s0)>]> : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @launch_c1_symbol(%x: tensor<4xf32>) {
  // expected-error @below {{expects 'kernel_0' to be a module with a function of that name}}
  %0 = graph.launch @kernel_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

module @kernel_0 {
  // expected-note @below {{they are '(tensor<4xf32>) -> tensor<4xf32>'}}
  func.func private @kernel_0(tensor<4xf32>) -> tensor<4xf32>
}
func.func @launch_c2_types(%x: tensor<5xf32>) {
  // expected-error @below {{expects the kernel's types}}
  %0 = graph.launch @kernel_0(%x) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @host_call_c1_name(%x: tensor<4xf32>) {
  // expected-error @below {{expects 'name' not to be empty}}
  %0 = graph.host_call ""(%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_c1_name(%x: tensor<4xf32>) {
  // expected-error @below {{expects 'name' not to be empty}}
  %0 = graph.custom ""(%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @relayout_c1_type(%x: tensor<4xf32>) {
  // expected-error @below {{expects types that differ in the layout only, got 'tensor<4xf32>' and 'tensor<4xf16>'}}
  %0 = graph.relayout %x : (tensor<4xf32>) -> tensor<4xf16>
  return
}
