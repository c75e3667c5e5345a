// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Attention keeps its text.

// With and without a mask.
// CHECK-LABEL: func.func @attention
// CHECK: graph.attention %{{.+}}, %{{.+}}, %{{.+}} scale 1.250000e-01 : (tensor<1x12x?x64xf32>, tensor<1x12x?x64xf32>, tensor<1x12x?x32xf32>) -> tensor<1x12x?x32xf32>
// CHECK: graph.attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} scale 1.250000e-01 : (tensor<1x12x?x64xf32>, tensor<1x12x?x64xf32>, tensor<1x12x?x32xf32>, tensor<1x1x1x?xf32>) -> tensor<1x12x?x32xf32>
func.func @attention(%q: tensor<1x12x?x64xf32>, %k: tensor<1x12x?x64xf32>, %v: tensor<1x12x?x32xf32>, %m: tensor<1x1x1x?xf32>) {
  %0 = graph.attention %q, %k, %v scale 1.250000e-01 : (tensor<1x12x?x64xf32>, tensor<1x12x?x64xf32>, tensor<1x12x?x32xf32>) -> tensor<1x12x?x32xf32>
  %1 = graph.attention %q, %k, %v mask %m scale 1.250000e-01 : (tensor<1x12x?x64xf32>, tensor<1x12x?x64xf32>, tensor<1x12x?x32xf32>, tensor<1x1x1x?xf32>) -> tensor<1x12x?x32xf32>
  return
}
