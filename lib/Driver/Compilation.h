// One compilation: a context, the model's module, and what goes with them.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_COMPILATION_H
#define ATC_LIB_DRIVER_COMPILATION_H

#include "DiagnosticCollector.h"
#include "atc/Dialect/Graph/IR/WeightStore.h"
#include "atc/Driver/Compile.h"
#include "atc/Pipelines/Pipeline.h"
#include "atc/Support/ByteSink.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/ThreadPool.h"

namespace mlir::atc {

class OfflineModelEmission;
class RecipeEvaluator;
class Target;

/// The name of the phase that writes the file.
inline constexpr StringLiteral emitPhaseName = "emit";
/// The name of the phase that reads the model.
inline constexpr StringLiteral importPhaseName = "import";

/// The parts of a compilation, in order. Each returns false when it failed; the
/// reasons are in the result that `finish` fills.
class Compilation {
public:
  Compilation(const ::atc::CompileOptions &options,
              ::atc::CompileObserver *observer);
  ~Compilation();

  /// Finds the target.
  bool selectTarget();
  /// Reads the model and applies what the options say of its interface.
  bool importModel(const ::atc::ModelSource &source);
  /// Runs all phases up to `last`.
  bool runPhases(Phase last);
  /// Everything of the file but its writing.
  bool prepareEmission();
  /// Streams the file.
  bool write(::atc::ByteSink &sink);
  /// The IR as it stands.
  std::string print() const;
  /// The IR as a ModelDef; the module must have a function `main`.
  std::vector<uint8_t> serializeGraph() const;
  /// The passes of all phases, one line each.
  std::string describePasses();

  void fail(::atc::Diagnostic diagnostic) {
    result.errors.push_back(std::move(diagnostic));
  }
  ::atc::CompileResult finish();

private:
  PrecisionMode getPrecision() const;
  PipelineOptions getPipelineOptions(Phase last) const;
  /// Runs one phase between the observer's calls; errors that do not know their
  /// code get `code`.
  LogicalResult runScoped(StringRef phase, ::atc::ErrorCode code,
                          llvm::function_ref<LogicalResult()> run);

  const ::atc::CompileOptions &options;
  ::atc::CompileObserver *observer;
  ::atc::CompileResult result;
  std::unique_ptr<llvm::ThreadPoolInterface> threadPool;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<DiagnosticCollector> diagnostics;
  graph::WeightStore weights;
  const Target *target = nullptr;
  std::unique_ptr<RecipeEvaluator> evaluator;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<OfflineModelEmission> emission;
  unsigned phaseIndex = 0;
};

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_COMPILATION_H
