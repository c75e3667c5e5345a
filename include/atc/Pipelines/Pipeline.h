// The story of a model: its phases, in order.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PIPELINES_PIPELINE_H
#define ATC_PIPELINES_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include <optional>

namespace mlir::atc {

class Target;

/// What happens to a model between import and emission. `emit` is not here: it
/// is no pass, and stands in the Driver.
enum class Phase {
  Shape,
  Simplify,
  Precision,
  Fuse,
  Select,
  Outline,
  Plan,
  Lower
};

struct PhaseInfo {
  Phase phase;
  /// What --stop-after takes.
  StringLiteral name;
  /// One line for help texts and documents.
  StringLiteral summary;
  /// What holds at its end.
  StringLiteral contract;
};

/// All phases in order.
ArrayRef<PhaseInfo> getPhases();
std::optional<Phase> parsePhase(StringRef name);

/// How element types are chosen (ATC's --precision_mode).
enum class PrecisionMode {
  /// As the model says (`must_keep_origin_dtype`, `origin`).
  Origin,
  /// float32 becomes float16 (`force_fp16`, `fp16`).
  ForceFloat16,
};

struct PipelineOptions {
  PrecisionMode precision = PrecisionMode::Origin;
  /// Checks the contract of each phase; for tests.
  bool verifyContracts = false;
  /// The phases run are those up to this one.
  Phase last = Phase::Lower;
};

/// Adds the passes of one phase to a pass manager on the model's module.
void buildPhase(Phase phase, OpPassManager &pm, const Target &target,
                const PipelineOptions &options);

/// Adds all phases up to `options.last`.
void buildPipeline(OpPassManager &pm, const Target &target,
                   const PipelineOptions &options);

} // namespace mlir::atc

#endif // ATC_PIPELINES_PIPELINE_H
