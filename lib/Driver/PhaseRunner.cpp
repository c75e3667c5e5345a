// Runs the phases of the pipeline one by one.
// SPDX-License-Identifier: Apache-2.0
#include "PhaseRunner.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::atc;

LogicalResult mlir::atc::runPhases(ModuleOp module, const Target &target,
                                   Phase first, const PipelineOptions &options,
                                   PhaseScope scope) {
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase < first || info.phase > options.last)
      continue;
    auto run = [&]() -> LogicalResult {
      PassManager manager(module->getName());
      manager.enableVerifier(options.verifyContracts);
      buildPhase(info.phase, manager, target, options);
      return manager.run(module);
    };
    if (failed(scope(info, run)))
      return failure();
  }
  return success();
}
