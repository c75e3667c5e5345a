// RUN: atc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(atc-infer-shapes))' --verify-diagnostics | FileCheck %s --enable-var-scope

// A flatten that an exporter spelled with shape arithmetic: all of it folds.
// CHECK-LABEL: func.func @flatten
// CHECK-SAME: -> tensor<2x12xf32>
// CHECK-NOT: graph.shape_of
// CHECK: graph.reshape %{{.+}} -> tensor<2x12xf32>
func.func @flatten(%x: tensor<2x3x4xf32>) -> tensor<?x?xf32> {
  %shape = graph.shape_of %x : (tensor<2x3x4xf32>) -> tensor<3xi64>
  %n = graph.slice %shape starts [0] limits [1] steps [1] : (tensor<3xi64>) -> tensor<1xi64>
  %rest = graph.constant dense<-1> : tensor<1xi64>
  %sizes = graph.concat %n, %rest axis 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = graph.reshape %x shape %sizes : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Types that were declared stay where inference knows less.
// CHECK-LABEL: func.func @keeps_declared
// CHECK-SAME: -> tensor<3x4xf32>
func.func @keeps_declared(%x: tensor<?x4xf32>) -> tensor<3x4xf32> {
  %r = graph.neg %x : (tensor<?x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
