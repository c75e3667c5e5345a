// One compilation: a context, the model's module, and what goes with them.
// SPDX-License-Identifier: Apache-2.0
#include "Compilation.h"
#include "Emission.h"
#include "ModelDefinition.h"
#include "PhaseRunner.h"
#include "RecipeEvaluator.h"
#include "RemarkObserver.h"
#include "Reproducer.h"
#include "Targets.h"
#include "atc/Driver/Registration.h"
#include "atc/Frontend/Onnx/Import.h"
#include "atc/Target/Services.h"
#include "llvm/Support/Threading.h"
#include <chrono>

using namespace mlir;
using namespace mlir::atc;

/// import, the pipeline's phases, emit.
static unsigned countPhases() { return getPhases().size() + 2; }

static const DialectRegistry &getRegistry() {
  static const DialectRegistry registry = [] {
    DialectRegistry result;
    registerDialects(result);
    return result;
  }();
  return registry;
}

Compilation::Compilation(const ::atc::CompileOptions &options,
                         ::atc::CompileObserver *observer)
    : options(options), observer(observer) {
  context = std::make_unique<MLIRContext>(getRegistry(),
                                          MLIRContext::Threading::DISABLED);
  if (options.threads != 1) {
    threadPool = std::make_unique<llvm::DefaultThreadPool>(
        llvm::hardware_concurrency(options.threads));
    context->setThreadPool(*threadPool);
  }
  context->loadAllAvailableDialects();
  // Users know nodes, not ops.
  context->printOpOnDiagnostic(false);
  diagnostics = std::make_unique<DiagnosticCollector>(context.get());
  if (observer && observer->wantsRemarks())
    enableRemarks(*context, *observer);
}

Compilation::~Compilation() {
  // IR before the context that owns its types.
  emission.reset();
  evaluator.reset();
  module = nullptr;
  diagnostics.reset();
}

::atc::CompileResult Compilation::finish() {
  diagnostics->moveTo(result);
  return std::move(result);
}

LogicalResult Compilation::runScoped(StringRef phase, ::atc::ErrorCode code,
                                     llvm::function_ref<LogicalResult()> run) {
  diagnostics->setDefaultCode(code);
  if (observer)
    observer->beginPhase(phase, phaseIndex, countPhases());
  ++phaseIndex;
  auto begin = std::chrono::steady_clock::now();
  LogicalResult status = run();
  std::chrono::duration<double> duration =
      std::chrono::steady_clock::now() - begin;
  if (observer)
    observer->endPhase(phase, duration.count());
  // A phase that fails without a word must not look like a success.
  if (failed(status) && !diagnostics->hasErrors() && result.errors.empty())
    fail({::atc::ErrorCode::Internal,
          ("phase '" + phase + "' failed without a message").str(),
          {},
          {}});
  return status;
}

bool Compilation::selectTarget() {
  Services *services = Services::get(context.get());
  target = services->lookup(resolveTargetName(options.target));
  if (!target) {
    fail(makeUnknownTarget(options.target));
    return false;
  }
  services->weights = &weights;
  if (const Target *host = services->lookup(resolveTargetName("CPU"))) {
    evaluator = std::make_unique<RecipeEvaluator>(context.get(), weights, *host,
                                                  options.threads);
    services->evaluator = evaluator.get();
  }
  // Results depend on it, so a log begins with it.
  if (observer)
    observer->note(getPrecision() == PrecisionMode::Origin
                       ? "precision_mode must_keep_origin_dtype: element types "
                         "as in the model"
                       : "precision_mode force_fp16: float32 becomes float16");
  return true;
}

bool Compilation::importModel(const ::atc::ModelSource &source) {
  OnnxImportOptions importOptions;
  for (const auto &shape : options.inputShapes)
    importOptions.inputShapes.push_back({shape.name, shape.sizes});
  importOptions.outputs = options.outputs;
  for (const auto &type : options.outputTypes)
    importOptions.outputTypes.push_back({type.output, type.type});
  auto run = [&]() -> LogicalResult {
    FailureOr<OwningOpRef<ModuleOp>> imported =
        source.data
            ? importOnnxBytes(
                  *context,
                  ArrayRef(static_cast<const char *>(source.data), source.size),
                  importOptions, weights, result.errors)
            : importOnnxFile(*context, source.path, importOptions, weights,
                             result.errors);
    if (failed(imported))
      return failure();
    module = std::move(*imported);
    (*module)->setAttr(targetAttrName,
                       StringAttr::get(context.get(), target->getName()));
    return success();
  };
  return succeeded(
      runScoped(importPhaseName, ::atc::ErrorCode::InvalidNode, run));
}

PrecisionMode Compilation::getPrecision() const {
  bool isHalf = options.precision == ::atc::Precision::ForceFloat16 ||
                (options.precision == ::atc::Precision::Default &&
                 target->getKind() == ::atc::TargetKind::Npu);
  return isHalf ? PrecisionMode::ForceFloat16 : PrecisionMode::Origin;
}

PipelineOptions Compilation::getPipelineOptions(Phase last) const {
  PipelineOptions pipeline;
  pipeline.last = last;
  pipeline.verifyContracts = options.verifyPhases;
  pipeline.precision = getPrecision();
  return pipeline;
}

/// What an error of a phase means where it does not say so itself.
static ::atc::ErrorCode getPhaseCode(Phase phase) {
  switch (phase) {
  case Phase::Shape:
    return ::atc::ErrorCode::InvalidNode;
  case Phase::Fuse:
  case Phase::Select:
  case Phase::Lower:
    return ::atc::ErrorCode::KernelCompilation;
  case Phase::Simplify:
  case Phase::Precision:
  case Phase::Outline:
  case Phase::Plan:
    return ::atc::ErrorCode::Internal;
  }
  llvm_unreachable("unknown phase");
}

bool Compilation::runPhases(Phase last) {
  PipelineOptions pipeline = getPipelineOptions(last);
  return succeeded(::mlir::atc::runPhases(
      *module, *target, Phase::Shape, pipeline,
      [&](const PhaseInfo &info, llvm::function_ref<LogicalResult()> run) {
        return runScoped(info.name, getPhaseCode(info.phase), run);
      },
      options.reproducerPath));
}

bool Compilation::prepareEmission() {
  EmissionInputs inputs{target, &weights, evaluator.get(), &options};
  emission = std::make_unique<OfflineModelEmission>(*module, inputs);
  return succeeded(runScoped(emitPhaseName, ::atc::ErrorCode::KernelCompilation,
                             [&] { return emission->prepare(); }));
}

bool Compilation::write(::atc::ByteSink &sink) {
  ::atc::Status status;
  bool isWritten = succeeded(emission->write(sink, status));
  if (!status)
    fail(status.getDiagnostic());
  return isWritten;
}

std::string Compilation::print() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, getPublishableFlags());
  stream << '\n';
  return text;
}

std::vector<uint8_t> Compilation::serializeGraph() const {
  auto function = module.get().lookupSymbol<func::FuncOp>("main");
  return serializeModelDefinition(function, WeightLayout(), options);
}

std::string Compilation::describePasses() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const PhaseInfo &info : getPhases()) {
    PassManager manager(context.get(), ModuleOp::getOperationName());
    buildPhase(info.phase, manager, *target, getPipelineOptions(info.phase));
    stream << info.name << ": ";
    manager.printAsTextualPipeline(stream);
    stream << '\n';
  }
  return text;
}
