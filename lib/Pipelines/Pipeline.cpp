// The story of a model, top to bottom.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Pipelines/Pipeline.h"
#include "atc/Passes/Graph/Passes.h"
#include "atc/Passes/Kernel/Passes.h"
#include "atc/Passes/Memory/Passes.h"
#include "atc/Passes/Precision/Passes.h"
#include "atc/Pipelines/Contracts.h"
#include "atc/Target/Target.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::atc;

static constexpr PhaseInfo phases[] = {
    {Phase::Shape, "shape", "infer types; fold shape arithmetic",
     "a dim is static, or an index computed from input dims and run-time "
     "values"},
    {Phase::Simplify, "simplify",
     "fold, canonicalize, recognize whole operations, drop what inference does "
     "not need",
     "no op whose operands are all constant, unless its result is much larger "
     "than they are"},
    {Phase::Precision, "precision", "choose element types",
     "every op computes in a type that the target has"},
    {Phase::Fuse, "fuse", "grow kernel regions around anchors",
     "every computing op sits in exactly one region"},
    {Phase::Select, "select", "choose templates, layouts and configurations",
     "every region has a configuration; nothing after this phase chooses"},
    {Phase::Outline, "outline", "one module per distinct kernel",
     "the main function only launches kernels and renames elements"},
    {Phase::Plan, "plan", "place every tensor in memory",
     "the main function is a plan; nothing allocates on a shape seen before"},
    {Phase::Lower, "lower", "turn kernels into the target's code",
     "kernel modules are what the target emits"},
};

ArrayRef<PhaseInfo> mlir::atc::getPhases() { return phases; }

std::optional<Phase> mlir::atc::parsePhase(StringRef name) {
  for (const PhaseInfo &info : phases)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

static void buildShape(OpPassManager &pm) {
  // Types first: folding needs them, and everything after relies on them.
  pm.addNestedPass<func::FuncOp>(createInferShapesPass());
  pm.addNestedPass<func::FuncOp>(createRefineInputsPass());
  pm.addNestedPass<func::FuncOp>(createInferShapesPass());
}

static void buildSimplify(OpPassManager &pm) {
  // What shape arithmetic left behind is dead or folds now.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Whole operations are recognized before their parts are rewritten.
  pm.addNestedPass<func::FuncOp>(createFuseNormalizationPass());
  pm.addNestedPass<func::FuncOp>(createSimplifyPass());
  pm.addNestedPass<func::FuncOp>(createFuseAttentionPass());
  pm.addPass(createCSEPass());
  // Last, so that a recipe holds the whole computation of its constant.
  pm.addPass(createOutlineConstantsPass());
  pm.addPass(createSymbolDCEPass());
}

static void buildPrecision(OpPassManager &pm, const Target &target,
                           const PipelineOptions &options) {
  if (options.precision == PrecisionMode::Origin)
    return;
  pm.addNestedPass<func::FuncOp>(
      createForceFloat16Pass({/*keepWide=*/target.widensFloat16()}));
  // Weights are narrowed by casts; those run when the model is written.
  pm.addPass(createOutlineConstantsPass());
  pm.addPass(createSymbolDCEPass());
}

static void buildSelect(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSelectKernelsPass());
  // Packed weights are relayouts of constants: they join the recipes. Equal
  // ones share an entry of the file; looking for them among kernels would
  // compare each region with all others.
  pm.addPass(createOutlineConstantsPass());
  pm.addPass(createSymbolDCEPass());
}

static void buildPasses(Phase phase, OpPassManager &pm, const Target &target,
                        const PipelineOptions &options) {
  switch (phase) {
  case Phase::Shape:
    return buildShape(pm);
  case Phase::Simplify:
    return buildSimplify(pm);
  case Phase::Precision:
    return buildPrecision(pm, target, options);
  case Phase::Fuse:
    pm.addNestedPass<func::FuncOp>(createMaterializeSizesPass());
    pm.addNestedPass<func::FuncOp>(createCheckTensorsPass());
    pm.addNestedPass<func::FuncOp>(createFuseKernelsPass());
    return;
  case Phase::Select:
    return buildSelect(pm);
  case Phase::Outline:
    pm.addPass(createOutlineKernelsPass());
    return;
  case Phase::Plan:
    return buildPlanPasses(pm);
  case Phase::Lower:
    // Nested on the kernel modules: MLIR's threads compile them in parallel.
    return target.buildLowering(pm.nest<ModuleOp>());
  }
}

void mlir::atc::buildPhase(Phase phase, OpPassManager &pm, const Target &target,
                           const PipelineOptions &options) {
  buildPasses(phase, pm, target, options);
  if (options.verifyContracts)
    pm.addPass(createVerifyContractPass(phase, options));
}

void mlir::atc::buildPipeline(OpPassManager &pm, const Target &target,
                              const PipelineOptions &options) {
  for (const PhaseInfo &info : phases) {
    if (info.phase > options.last)
      break;
    buildPhase(info.phase, pm, target, options);
  }
}
