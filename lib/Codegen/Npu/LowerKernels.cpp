// Builds the instructions of outlined kernels from their templates.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Npu/Passes.h"
#include "atc/Codegen/Npu/Template.h"
#include "atc/Dialect/Graph/IR/Graph.h"

namespace mlir::atc::npu {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "atc/Codegen/Npu/Passes.h.inc"
} // namespace mlir::atc::npu

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

namespace {

struct LowerKernels : public npu::impl::LowerKernelsPassBase<LowerKernels> {
  using Base::Base;

  void runOnOperation() override {
    const hw::DeviceRecord *record = hw::findDevice(std::string_view(device));
    if (!record) {
      getOperation().emitError("unknown device '") << device << "'";
      return signalPassFailure();
    }
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (kernel->hasAttr(configAttrName) && failed(lower(kernel, *record)))
        return signalPassFailure();
  }

private:
  static LogicalResult lower(func::FuncOp kernel,
                             const hw::DeviceRecord &record) {
    auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
    StringRef name = config.getTemplateName();
    const Template *kernelTemplate = lookupTemplate(name);
    if (!kernelTemplate)
      return kernel.emitOpError("has the unknown template '") << name << "'";
    if (failed(kernelTemplate->lower(kernel, record)))
      return failure();
    kernel.erase();
    return success();
  }
};

} // namespace
