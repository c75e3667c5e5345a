// The dialects, passes and targets that tools know.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Driver/Registration.h"
#include "atc/Codegen/Cpu/CpuTarget.h"
#include "atc/Codegen/Cpu/Passes.h"
#include "atc/Codegen/Npu/NpuTarget.h"
#include "atc/Codegen/Npu/Passes.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Plan/IR/Plan.h"
#include "atc/Passes/Graph/Passes.h"
#include "atc/Passes/Kernel/Passes.h"
#include "atc/Passes/Memory/Passes.h"
#include "atc/Passes/Precision/Passes.h"
#include "atc/Pipelines/Contracts.h"
#include "atc/Target/Services.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::atc;

SmallVector<std::shared_ptr<const Target>> mlir::atc::createTargets() {
  SmallVector<std::shared_ptr<const Target>> targets = cpu::createCpuTargets();
  llvm::append_range(targets, npu::createNpuTargets());
  return targets;
}

void mlir::atc::registerDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, graph::GraphDialect, plan::PlanDialect>();
  SmallVector<std::shared_ptr<const Target>> targets = createTargets();
  for (const std::shared_ptr<const Target> &target : targets)
    target->registerDialects(registry);
  Services::attach(registry, std::move(targets));
}

namespace {

/// Options of the pipelines, as `compileModel` has them.
struct PipelineArguments : PassPipelineOptions<PipelineArguments> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the device"),
                             llvm::cl::init("CPU-x86-64-v3")};
  Option<std::string> last{*this, "last", llvm::cl::desc("the last phase"),
                           llvm::cl::init("lower")};
  Option<bool> fp16{*this, "fp16", llvm::cl::desc("narrow float32 to float16"),
                    llvm::cl::init(false)};
  Option<bool> verify{*this, "verify",
                      llvm::cl::desc("check the contract of each phase"),
                      llvm::cl::init(true)};

  PipelineOptions getPipelineOptions() const {
    PipelineOptions options;
    options.verifyContracts = verify;
    if (fp16)
      options.precision = PrecisionMode::ForceFloat16;
    options.last = parsePhase(last).value_or(options.last);
    return options;
  }
};

} // namespace

/// The target of that name, which lives as long as the process: pipelines are
/// built long after their options were read. Null if there is none.
static const Target *findTarget(StringRef name) {
  static const SmallVector<std::shared_ptr<const Target>> targets =
      createTargets();
  return lookupTarget(targets, name);
}

using PipelineBuilder =
    std::function<void(OpPassManager &, const Target &, PipelineOptions)>;

static void registerPipeline(StringRef name, StringRef summary,
                             PipelineBuilder build) {
  registerPassPipeline(
      name, summary,
      [build](
          OpPassManager &pm, StringRef text,
          function_ref<LogicalResult(const Twine &)> fail) -> LogicalResult {
        PipelineArguments arguments;
        if (failed(arguments.parseFromString(text)))
          return failure();
        const Target *target = findTarget(arguments.target);
        if (!target)
          return fail("unknown target '" + arguments.target + "'");
        if (!parsePhase(arguments.last))
          return fail("unknown phase '" + arguments.last + "'");
        build(pm, *target, arguments.getPipelineOptions());
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> visit) {
        visit(PipelineArguments());
      });
}

static void registerPipelines() {
  for (const PhaseInfo &info : getPhases())
    registerPipeline(("atc-phase-" + info.name).str(), info.summary,
                     [phase = info.phase](OpPassManager &pm,
                                          const Target &target,
                                          PipelineOptions options) {
                       buildPhase(phase, pm, target, options);
                     });
  registerPipeline("atc-pipeline", "all phases from shape to lower",
                   buildPipeline);
}

void mlir::atc::registerPasses() {
  registerGraphPasses();
  registerKernelPasses();
  registerMemoryPasses();
  registerPrecisionPasses();
  cpu::registerPasses();
  npu::registerPasses();
  registerContractPass();
  registerPipelines();
  // Of the upstream passes those that pipelines and tests use.
  registerCanonicalizerPass();
  registerCSEPass();
  registerSymbolDCEPass();
}
