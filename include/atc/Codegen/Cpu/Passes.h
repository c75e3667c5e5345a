// The passes of the CPU's lowering, and the pipeline made of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_PASSES_H
#define ATC_CODEGEN_CPU_PASSES_H

#include "atc/Target/CpuDescription.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::atc::cpu {

#define GEN_PASS_DECL
#include "atc/Codegen/Cpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "atc/Codegen/Cpu/Passes.h.inc"

/// Adds the passes that turn an outlined kernel module into what emitCode
/// takes.
void buildKernelLowering(OpPassManager &kernelModule,
                         const CpuDescription &cpu);

/// The same from launches on (functions over memrefs), for code that does not
/// come from a template.
void buildLaunchLowering(OpPassManager &kernelModule);

/// Registers the passes and the pipelines `atc-cpu-kernel-lowering` and
/// `atc-cpu-launch-lowering` with command-line tools.
void registerPasses();

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_PASSES_H
