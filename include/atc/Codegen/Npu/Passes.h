// Passes and pipelines of the NPU's code generator.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_NPU_PASSES_H
#define ATC_CODEGEN_NPU_PASSES_H

#include "atc/Dialect/Npu/IR/Npu.h"
#include "atc/Isa/Device.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace mlir::atc::npu {

#define GEN_PASS_DECL
#include "atc/Codegen/Npu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "atc/Codegen/Npu/Passes.h.inc"

/// From an outlined kernel to what emission takes.
void buildKernelLowering(OpPassManager &kernelModule,
                         const ::atc::isa::DeviceRecord &device);

/// Makes the passes and the pipeline `atc-npu-kernel-lowering` known to tools.
void registerPasses();

} // namespace mlir::atc::npu

#endif // ATC_CODEGEN_NPU_PASSES_H
