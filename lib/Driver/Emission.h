// The last phase: writes an offline model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_EMISSION_H
#define ATC_LIB_DRIVER_EMISSION_H

#include "atc/Dialect/Graph/IR/WeightStore.h"
#include "atc/Driver/Compile.h"
#include "atc/Support/ByteSink.h"
#include "atc/Target/ConstantEvaluator.h"
#include "atc/Target/Target.h"

namespace mlir::atc {

/// What emission needs besides the lowered module.
struct EmissionInputs {
  const Target *target = nullptr;
  const graph::WeightStore *weights = nullptr;
  ConstantEvaluator *evaluator = nullptr;
  const ::atc::CompileOptions *options = nullptr;
};

/// Does all that can fail before a file is opened: machine code, the plan, the
/// readable graph, compiled recipes. `write` then streams the file; recipes are
/// evaluated one at a time, so memory is that of the largest weight.
class OfflineModelEmission {
public:
  OfflineModelEmission(ModuleOp module, const EmissionInputs &inputs);
  ~OfflineModelEmission();

  LogicalResult prepare();
  /// Fails with a diagnostic of MLIR, or with the sink's in `sinkStatus`.
  LogicalResult write(::atc::ByteSink &sink, ::atc::Status &sinkStatus);

private:
  LogicalResult prepareRecipes();
  LogicalResult appendWeight(class WeightSink &sink, Attribute constant);

  ModuleOp module;
  EmissionInputs inputs;
  struct State;
  std::unique_ptr<State> state;
};

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_EMISSION_H
