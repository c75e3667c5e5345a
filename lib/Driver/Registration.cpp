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
#include "atc/Target/Services.h"
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

void mlir::atc::registerPasses() {
  registerGraphPasses();
  registerKernelPasses();
  registerMemoryPasses();
  registerPrecisionPasses();
  cpu::registerPasses();
  npu::registerPasses();
  // Of the upstream passes those that pipelines and tests use.
  registerCanonicalizerPass();
  registerCSEPass();
  registerSymbolDCEPass();
}
