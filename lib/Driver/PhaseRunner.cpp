// Runs the phases of the pipeline one by one.
// SPDX-License-Identifier: Apache-2.0
#include "PhaseRunner.h"
#include "WorkRecorder.h"
#include "atc/Driver/Reproducer.h"
#include "atc/Passes/CodedError.h"

using namespace mlir;
using namespace mlir::atc;

/// A pass that fails without a word is a fault of the compiler; `work` is what
/// it worked on.
static void reportSilentFailure(ModuleOp module, const PhaseInfo &info,
                                const CurrentWork &work,
                                StringRef reproducerPath) {
  InFlightDiagnostic error =
      withCode(module.emitError("phase '"), ::atc::ErrorCode::Internal);
  error << info.name << "' failed without a message";
  if (!work.kernel.empty())
    error << " at kernel '" << work.kernel << "'";
  if (reproducerPath.empty() || !work.input)
    return;
  CurrentWorkScope scope(work);
  if (::atc::writeReproducer(reproducerPath.str()).ok())
    error << "; '" << reproducerPath << "' reproduces it";
}

static LogicalResult runPhase(ModuleOp module, const Target &target,
                              const PhaseInfo &info,
                              const PipelineOptions &options,
                              StringRef reproducerPath) {
  PassManager manager(module->getName());
  manager.enableVerifier(options.verifyContracts);
  buildPhase(info.phase, manager, target, options);
  // Lowering works on kernels alone.
  WorkRecorder recorder(manager, module,
                        /*keepsModule=*/info.phase != Phase::Lower);
  CurrentWorkScope work{CurrentWork()};
  bool hasError = false;
  ScopedDiagnosticHandler listener(
      module.getContext(), [&](Diagnostic &diagnostic) {
        hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
        return failure(); // for the next handler
      });
  if (succeeded(manager.run(module)))
    return success();
  if (!hasError)
    reportSilentFailure(module, info, recorder.getFailedWork(), reproducerPath);
  return failure();
}

LogicalResult mlir::atc::runPhases(ModuleOp module, const Target &target,
                                   Phase first, const PipelineOptions &options,
                                   PhaseScope scope, StringRef reproducerPath) {
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase < first || info.phase > options.last)
      continue;
    auto run = [&] {
      return runPhase(module, target, info, options, reproducerPath);
    };
    if (failed(scope(info, run)))
      return failure();
  }
  return success();
}
