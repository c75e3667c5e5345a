// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Constants keep their text.

// Numbers, booleans, strings, an empty tensor and one without dims.
// CHECK-LABEL: func.func @constant
func.func @constant() {
  // CHECK: graph.constant dense<[1, 2]> : tensor<2xi64>
  %0 = graph.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: graph.constant dense<2.500000e-01> : tensor<f32>
  %1 = graph.constant dense<0.25> : tensor<f32>
  // CHECK: graph.constant dense<[true, false]> : tensor<2xi1>
  %2 = graph.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: graph.constant dense<[255, 0]> : tensor<2xui8>
  %3 = graph.constant dense<[255, 0]> : tensor<2xui8>
  // CHECK: graph.constant dense<> : tensor<0x3xf16>
  %4 = graph.constant dense<> : tensor<0x3xf16>
  // CHECK: graph.constant dense<["a", "b"]> : tensor<2x!graph.string>
  %5 = graph.constant dense<["a", "b"]> : tensor<2x!graph.string>
  return
}

// A splat may be of any size.
// CHECK-LABEL: func.func @splat
func.func @splat() {
  // CHECK: graph.constant dense<0.000000e+00> : tensor<1000x1000xf32>
  %0 = graph.constant dense<0.0> : tensor<1000x1000xf32>
  return
}

// The result's type may say less than the value, or carry a layout.
// CHECK-LABEL: func.func @result_type
func.func @result_type() {
  // CHECK: graph.constant dense<[1, 2]> : tensor<2xi64> -> tensor<?xi64>
  %0 = graph.constant dense<[1, 2]> : tensor<2xi64> -> tensor<?xi64>
  // CHECK: graph.constant dense<1.000000e+00> : tensor<2x2xf32> -> tensor<2x2xf32, #graph.layout<perm = [1, 0]>>
  %1 = graph.constant dense<1.0> : tensor<2x2xf32> -> tensor<2x2xf32, #graph.layout<perm = [1, 0]>>
  return
}
