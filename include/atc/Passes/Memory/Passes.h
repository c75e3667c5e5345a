// Passes of this room: declarations generated from Passes.td.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PASSES_MEMORY_PASSES_H
#define ATC_PASSES_MEMORY_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::atc {

#define GEN_PASS_DECL
#include "atc/Passes/Memory/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "atc/Passes/Memory/Passes.h.inc"

/// The phase `plan`: from outlined kernels to a program with placed buffers.
void buildPlanPasses(OpPassManager &pm);

} // namespace mlir::atc

#endif // ATC_PASSES_MEMORY_PASSES_H
