// One model through the phases by name. Each checks its contract.
// RUN: atc-opt %s --atc-phase-shape --atc-phase-simplify --atc-phase-fuse | FileCheck %s --check-prefix=FUSE
// RUN: atc-opt %s --atc-pipeline='last=outline' | FileCheck %s --check-prefix=OUTLINE
// RUN: atc-opt %s --atc-pipeline='last=precision fp16=true' | FileCheck %s --check-prefix=HALF
// RUN: atc-opt %s --atc-pipeline | FileCheck %s --check-prefix=LOWER

// FUSE: graph.kernel
// FUSE-NOT: config
// FUSE: graph.matmul
// FUSE: graph.relu

// OUTLINE: func.func @gemm_0
// OUTLINE-SAME: graph.config = #graph.config<template = "gemm"
// OUTLINE: func.func @main
// OUTLINE: graph.launch @gemm_0

// HALF: func.func @main(%{{.+}}: tensor<4x8xf32>
// HALF: graph.matmul %{{.+}} -> tensor<4x16xf16>

// LOWER: llvm.func @gemm_0
// LOWER: plan.program
module attributes {graph.target = "CPU-x86-64-v3"} {
  func.func @main(%x: tensor<4x8xf32> {graph.name = "x"},
                  %w: tensor<8x16xf32> {graph.name = "w"})
      -> (tensor<4x16xf32> {graph.name = "y"}) {
    %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = graph.relu %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
    return %1 : tensor<4x16xf32>
  }
}
