// The passes that turn an outlined kernel into the LLVM dialect.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_PASSES_TD
#define ATC_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

// All of them work on one kernel module, so that kernels are compiled in
// parallel. They stand here in the order in which they run.

def LowerKernelsPass : Pass<"atc-cpu-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Build a kernel's loops from its template";
  let description = [{
    Replaces each function that carries a `graph.config` by one function per
    launch. The launch works on flat buffers: operands, results, workspaces,
    then the kernel's dims, scratch memory and the range of tiles.

    ```mlir
    func.func @kernel_0(%x: tensor<100xf32>) -> tensor<100xf32>
        attributes {graph.config = #graph.config<template = "pointwise", ...>} {
      %0 = graph.relu %x : tensor<100xf32>
      return %0 : tensor<100xf32>
    }
    ```

    becomes

    ```mlir
    func.func @kernel_0(%x: memref<?xf32>, %y: memref<?xf32>,
                        %scratch: memref<?xi8>, %begin: index, %end: index) {
      scf.for %tile = %begin to %end step %c1 {
        ...
      }
      return
    }
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"CPU-x86-64-v3\"",
           "the CPU record to generate code for">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandMathPass : Pass<"atc-cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math that the processor lacks by what it has";
  let description = [{
    Elementary functions of f32 become polynomials; rarely used ones and those
    of f64 become calls of functions that the kernel's context brings
    (`@atc_import_<name>`, see KernelAbi.h). Conversions from and to bf16 are
    spelled out. Integer division does not trap: a quotient by zero is zero, the
    quotient of the smallest integer by -1 is that integer.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def KernelAbiPass : Pass<"atc-cpu-kernel-abi", "::mlir::ModuleOp"> {
  let summary = "Give launches the signature that the runtime calls";
  let description = [{
    The launch becomes a private function over pointers, `@kernel_0.body`, with
    `noalias` on buffers that overlap no other. A function with the signature
    `atc_kernel` of KernelAbi.h unpacks the arrays of buffers and scalars and
    calls it. Calls of imported functions go through the context.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertToLlvmPass : Pass<"atc-cpu-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert scf, vector, memref, arith and math to LLVM";
  let description = [{
    Loops become branches; then one conversion has the patterns of all dialects
    that templates use, instead of a pass for each.
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // ATC_CODEGEN_CPU_PASSES_TD
