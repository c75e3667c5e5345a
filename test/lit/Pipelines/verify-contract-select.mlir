// RUN: atc-opt %s --verify-diagnostics --atc-verify-contract=phase=select

func.func @undecided(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{breaks the contract of phase 'select': has no configuration}}
  %0 = graph.kernel(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %s = graph.relu %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %s : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
