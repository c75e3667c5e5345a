// The NPU's lowering pipeline.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Npu/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::atc;
namespace hw = ::atc::isa;

void npu::buildKernelLowering(OpPassManager &kernelModule,
                              const hw::DeviceRecord &device) {
  std::string name(device.name);
  kernelModule.addPass(createLowerKernelsPass({name}));
  // Slots and offsets that are equal become the same value: that is how
  // synchronization knows which flags belong together.
  kernelModule.addPass(createCanonicalizerPass());
  kernelModule.addPass(createCSEPass());
  kernelModule.addNestedPass<func::FuncOp>(
      createInsertSynchronizationPass({name}));
  kernelModule.addNestedPass<func::FuncOp>(createPlanAddressesPass({name}));
  kernelModule.addPass(createCanonicalizerPass());
  kernelModule.addPass(createCSEPass());
}

void npu::registerPasses() {
  registerCodegenNpuPasses();
  struct KernelOptions : public PassPipelineOptions<KernelOptions> {
    Option<std::string> device{*this, "device",
                               llvm::cl::desc("the device record"),
                               llvm::cl::init("TinyNpu")};
  };
  PassPipelineRegistration<KernelOptions>(
      "atc-npu-kernel-lowering", "Lower an outlined kernel to a core's program",
      [](OpPassManager &pm, const KernelOptions &options) {
        std::string name = options.device;
        if (const hw::DeviceRecord *device =
                hw::findDevice(std::string_view(name)))
          buildKernelLowering(pm, *device);
      });
}
