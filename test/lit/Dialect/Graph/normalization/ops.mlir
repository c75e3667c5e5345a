// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Normalizations keep their text.

// Softmax and its logarithm.
// CHECK-LABEL: func.func @softmax
// CHECK: graph.softmax %{{.+}} axis 1 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
// CHECK: graph.log_softmax %{{.+}} axis 3 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
func.func @softmax(%x: tensor<2x8x4x4xf32>) {
  %0 = graph.softmax %x axis 1 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %1 = graph.log_softmax %x axis 3 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  return
}

// Scale and bias may be absent.
// CHECK-LABEL: func.func @layer_norm
// CHECK: graph.layer_norm %{{.+}} axis 3 epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
// CHECK: graph.layer_norm %{{.+}} scale %{{.+}} bias %{{.+}} axis 3 epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8x4x4xf32>
// CHECK: graph.rms_norm %{{.+}} scale %{{.+}} axis 3 epsilon 1.250000e-01 : (tensor<2x8x4x4xf32>, tensor<4xf32>) -> tensor<2x8x4x4xf32>
// CHECK: graph.rms_norm %{{.+}} axis 3 epsilon 1.250000e-01 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
func.func @layer_norm(%x: tensor<2x8x4x4xf32>, %s: tensor<4xf32>) {
  %0 = graph.layer_norm %x axis 3 epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %1 = graph.layer_norm %x scale %s bias %s axis 3 epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8x4x4xf32>
  %2 = graph.rms_norm %x scale %s axis 3 epsilon 1.250000e-01 : (tensor<2x8x4x4xf32>, tensor<4xf32>) -> tensor<2x8x4x4xf32>
  %3 = graph.rms_norm %x axis 3 epsilon 1.250000e-01 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  return
}

// Parameters by channel.
// CHECK-LABEL: func.func @channels
// CHECK: graph.batch_norm %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
// CHECK: graph.instance_norm %{{.+}}, %{{.+}}, %{{.+}} epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
// CHECK: graph.group_norm %{{.+}}, %{{.+}}, %{{.+}} groups 4 epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
// CHECK: graph.lrn %{{.+}} size 5 alpha 1.000000e-04 beta 7.500000e-01 bias 1.000000e+00 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
func.func @channels(%x: tensor<2x8x4x4xf32>, %c: tensor<8xf32>) {
  %0 = graph.batch_norm %x, %c, %c, %c, %c epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  %1 = graph.instance_norm %x, %c, %c epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  %2 = graph.group_norm %x, %c, %c groups 4 epsilon 1.000000e-05 : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
  %3 = graph.lrn %x size 5 alpha 1.000000e-04 beta 7.500000e-01 bias 1.000000e+00 : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  return
}
