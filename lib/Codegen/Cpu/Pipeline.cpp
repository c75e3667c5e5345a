// The CPU's lowering pipelines.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::atc;

void cpu::buildLaunchLowering(OpPassManager &kernelModule) {
  // Expansion makes the same constants and sub-expressions over and over.
  kernelModule.addPass(createExpandMathPass());
  kernelModule.addPass(createCSEPass());
  kernelModule.addPass(createKernelAbiPass());
  kernelModule.addPass(createConvertToLlvmPass());
}

void cpu::buildKernelLowering(OpPassManager &kernelModule,
                              const CpuDescription &cpu) {
  kernelModule.addPass(createLowerKernelsPass({cpu.name.str()}));
  buildLaunchLowering(kernelModule);
}

void cpu::registerPasses() {
  registerCodegenCpuPasses();
  struct KernelOptions : public PassPipelineOptions<KernelOptions> {
    Option<std::string> cpu{*this, "cpu", llvm::cl::desc("the CPU record"),
                            llvm::cl::init("CPU-x86-64-v3")};
  };
  PassPipelineRegistration<KernelOptions>(
      "atc-cpu-kernel-lowering", "Lower an outlined kernel to the LLVM dialect",
      [](OpPassManager &pm, const KernelOptions &options) {
        if (const CpuDescription *cpu = lookupCpu(options.cpu))
          buildKernelLowering(pm, *cpu);
      });
  PassPipelineRegistration<>("atc-cpu-launch-lowering",
                             "Lower launches to the LLVM dialect",
                             buildLaunchLowering);
}
