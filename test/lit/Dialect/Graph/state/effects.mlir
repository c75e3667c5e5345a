// RUN: atc-opt %s --split-input-file --cse --canonicalize | FileCheck %s

// Two reads without a write between them are one.
graph.variable @v : tensor<2xf32>
// CHECK-LABEL: func.func @reads_merge
// CHECK-COUNT-1: graph.read
// CHECK-NOT: graph.read
func.func @reads_merge() -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = graph.read @v : tensor<2xf32>
  %1 = graph.read @v : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// A write between them keeps both.
graph.variable @v : tensor<2xf32>
// CHECK-LABEL: func.func @write_separates
// CHECK: graph.read
// CHECK: graph.assign
// CHECK: graph.read
func.func @write_separates(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = graph.read @v : tensor<2xf32>
  graph.assign @v, %x : tensor<2xf32>
  %1 = graph.read @v : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// An unused read goes, a write stays.
graph.variable @v : tensor<2xf32>
// CHECK-LABEL: func.func @unused
// CHECK-NOT: graph.read
// CHECK: graph.assign
func.func @unused(%x: tensor<2xf32>) {
  %0 = graph.read @v : tensor<2xf32>
  graph.assign @v, %x : tensor<2xf32>
  return
}

// -----

// Custom ops and host calls merge unless they are stateful.
// CHECK-LABEL: func.func @calls
// CHECK-COUNT-1: graph.host_call "NonZero"
// CHECK-COUNT-2: graph.host_call "RandomNormal"
// CHECK-NOT: graph.custom "pure"
// CHECK: graph.custom "print"
func.func @calls(%x: tensor<2xf32>) -> (tensor<1x?xi64>, tensor<1x?xi64>, tensor<2xf32>, tensor<2xf32>) {
  %0 = graph.host_call "NonZero"(%x) {} : (tensor<2xf32>) -> tensor<1x?xi64>
  %1 = graph.host_call "NonZero"(%x) {} : (tensor<2xf32>) -> tensor<1x?xi64>
  %2 = graph.host_call "RandomNormal"() stateful {} : () -> tensor<2xf32>
  %3 = graph.host_call "RandomNormal"() stateful {} : () -> tensor<2xf32>
  %4 = graph.custom "pure"(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  %5 = graph.custom "print"(%x) stateful {} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<1x?xi64>, tensor<1x?xi64>, tensor<2xf32>, tensor<2xf32>
}
