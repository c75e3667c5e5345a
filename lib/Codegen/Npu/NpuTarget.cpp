// The NPU as a target of the compiler: answers by asking its templates.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Npu/NpuTarget.h"
#include "atc/Codegen/Common/SingleOpKernel.h"
#include "atc/Codegen/Npu/Emission.h"
#include "atc/Codegen/Npu/Passes.h"
#include "atc/Codegen/Npu/Template.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

namespace {

class NpuTarget final : public Target {
public:
  explicit NpuTarget(const hw::DeviceRecord &device)
      : device(device), name(device.name) {}

  StringRef getName() const override { return name; }
  ::atc::TargetKind getKind() const override { return ::atc::TargetKind::Npu; }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                    NpuDialect>();
  }

  bool supports(Operation *op, std::string &reason) const override {
    OwningOpRef<graph::KernelOp> kernel = createSingleOpKernel(op);
    return !candidates(*kernel, reason).empty();
  }

  bool canFuse(Operation *anchor, Operation *op,
               FusionRole role) const override {
    return llvm::any_of(getTemplates(), [&](const Template *candidate) {
      return candidate->canFuse(anchor, op, role, device);
    });
  }

  SmallVector<KernelCandidate> candidates(graph::KernelOp kernel,
                                          std::string &reason) const override {
    SmallVector<KernelCandidate> candidates;
    for (const Template *kernelTemplate : getTemplates())
      kernelTemplate->addCandidates(kernel, device, candidates, reason);
    if (candidates.empty() && reason.empty())
      reason = "no template has this form";
    return candidates;
  }

  FailureOr<graph::ConfigAttr> configure(graph::KernelOp kernel,
                                         StringRef candidate) const override {
    const Template *kernelTemplate = lookupTemplate(candidate);
    if (!kernelTemplate)
      return kernel.emitOpError("names an unknown template '")
             << candidate << "'";
    return kernelTemplate->configure(kernel, device);
  }

  void buildLowering(OpPassManager &kernelModule) const override {
    buildKernelLowering(kernelModule, device);
  }

  FailureOr<CodeImage> emit(ModuleOp module) const override {
    return emitCode(llvm::to_vector(module.getOps<ModuleOp>()), device);
  }

private:
  const hw::DeviceRecord &device;
  std::string name;
};

} // namespace

std::shared_ptr<const Target>
mlir::atc::npu::createNpuTarget(const hw::DeviceRecord &device) {
  return std::make_shared<NpuTarget>(device);
}

SmallVector<std::shared_ptr<const Target>> mlir::atc::npu::createNpuTargets() {
  SmallVector<std::shared_ptr<const Target>> targets;
  for (unsigned i = 0; i < hw::deviceRecordCount(); ++i)
    targets.push_back(createNpuTarget(hw::deviceRecords()[i]));
  return targets;
}
