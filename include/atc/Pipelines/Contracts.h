// What holds at the end of each phase, as a check that tests switch on.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PIPELINES_CONTRACTS_H
#define ATC_PIPELINES_CONTRACTS_H

#include "atc/Pipelines/Pipeline.h"

namespace mlir::atc {

/// Checks `PhaseInfo::contract` of `phase` on the model's module. Every op that
/// breaks it is an error.
LogicalResult verifyContract(Phase phase, ModuleOp module,
                             const PipelineOptions &options);

/// A pass that does so: `atc-verify-contract{phase=NAME}`.
std::unique_ptr<Pass> createVerifyContractPass(Phase phase,
                                               const PipelineOptions &options);

/// Makes the pass known to tools.
void registerContractPass();

} // namespace mlir::atc

#endif // ATC_PIPELINES_CONTRACTS_H
