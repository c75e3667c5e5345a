// Builds the loops of outlined kernels from their templates.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/KernelLaunch.h"
#include "atc/Codegen/Cpu/Passes.h"
#include "atc/Codegen/Cpu/Template.h"
#include "atc/Dialect/Graph/IR/Graph.h"

namespace mlir::atc::cpu {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "atc/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::atc::cpu

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

namespace {

struct LowerKernels : public cpu::impl::LowerKernelsPassBase<LowerKernels> {
  using Base::Base;

  void runOnOperation() override {
    const CpuDescription *description = lookupCpu(cpu);
    if (!description) {
      getOperation().emitError("unknown CPU '") << cpu << "'";
      return signalPassFailure();
    }
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (kernel->hasAttr(configAttrName))
        if (failed(lower(kernel, *description)))
          return signalPassFailure();
  }

private:
  static LogicalResult lower(func::FuncOp kernel,
                             const CpuDescription &description) {
    auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
    StringRef name = config.getTemplateName();
    const Template *kernelTemplate = lookupTemplate(name);
    if (!kernelTemplate)
      return kernel.emitOpError("has the unknown template '") << name << "'";
    if (failed(kernelTemplate->lower(kernel, description)))
      return failure();
    kernel.erase();
    return success();
  }
};

} // namespace
