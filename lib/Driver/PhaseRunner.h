// Runs the phases of the pipeline one by one.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_PHASERUNNER_H
#define ATC_LIB_DRIVER_PHASERUNNER_H

#include "atc/Pipelines/Pipeline.h"
#include "atc/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::atc {

/// Around one phase: called with the phase's name and what runs it.
using PhaseScope = llvm::function_ref<LogicalResult(
    const PhaseInfo &phase, llvm::function_ref<LogicalResult()> run)>;

/// Runs the phases from `first` to `options.last`, each in a pass manager of
/// its own, within `scope`. The first failure ends it. Notes the current work
/// of each thread; a pass that fails without an error gets one (Internal), with
/// a reproducer in the file `reproducerPath` unless that is empty.
LogicalResult runPhases(ModuleOp module, const Target &target, Phase first,
                        const PipelineOptions &options, PhaseScope scope,
                        StringRef reproducerPath = {});

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_PHASERUNNER_H
