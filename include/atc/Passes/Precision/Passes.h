// Passes of this room: declarations generated from Passes.td.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PASSES_PRECISION_PASSES_H
#define ATC_PASSES_PRECISION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::atc {

#define GEN_PASS_DECL
#include "atc/Passes/Precision/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "atc/Passes/Precision/Passes.h.inc"

} // namespace mlir::atc

#endif // ATC_PASSES_PRECISION_PASSES_H
