// The CPU as a target of the compiler: answers by asking its templates.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/CpuTarget.h"
#include "atc/Codegen/Common/SingleOpKernel.h"
#include "atc/Codegen/Cpu/ConvolutionTranspose.h"
#include "atc/Codegen/Cpu/Emission.h"
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "atc/Codegen/Cpu/Passes.h"
#include "atc/Codegen/Cpu/Pointwise.h"
#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Codegen/Cpu/Template.h"
#include "atc/Codegen/Cpu/Winograd.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Whether a tensor of floats of at most 8 bits or of elements that share bytes
/// takes part. Only pointwise kernels read and write those.
static bool touchesNarrow(Operation *op) {
  auto isNarrowTensor = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && isNarrow(tensor.getElementType());
  };
  return llvm::any_of(op->getOperandTypes(), isNarrowTensor) ||
         llvm::any_of(op->getResultTypes(), isNarrowTensor);
}

static bool isElementwise(Operation *op) {
  return isa<graph::ScalarBodyInterface>(op);
}

namespace {

class CpuTarget final : public Target {
public:
  explicit CpuTarget(const CpuDescription &cpu) : cpu(cpu) {}

  StringRef getName() const override { return cpu.name; }
  ::atc::TargetKind getKind() const override { return ::atc::TargetKind::Cpu; }

  void registerDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                scf::SCFDialect, vector::VectorDialect>();
    registerTranslations(registry);
  }

  bool takesOpenSizes() const override { return true; }

  bool supports(Operation *op, std::string &reason) const override {
    OwningOpRef<graph::KernelOp> kernel = createSingleOpKernel(op);
    return !candidates(*kernel, reason).empty();
  }

  bool canFuse(Operation *anchor, Operation *op,
               FusionRole role) const override {
    std::string reason;
    if (!isPointwise(op, reason) || (anchor && touchesNarrow(op)))
      return false;
    // An element is complete only when all updates are written.
    if (isa_and_present<graph::ScatterElementsOp, graph::ScatterNDOp>(anchor))
      return false;
    if (role == FusionRole::Epilogue)
      return true;
    if (!anchor)
      // Assembling an element from many sources is worth a pass of its own,
      // and so is interpolation: several reads for one element.
      return !isa<graph::ConcatOp, graph::ResizeOp, graph::GatherOp,
                  graph::GatherElementsOp, graph::GatherNDOp>(op);
    // Rows are read once; windows and panels would compute an operand's
    // element again and again.
    return isElementwise(op) &&
           isa<graph::ReduceOp, graph::SoftmaxOp, graph::LogSoftmaxOp,
               graph::LayerNormOp, graph::RmsNormOp>(anchor);
  }

  bool followsPitch(Operation *anchor) const override {
    // Their loops go by the strides of views.
    return isa<graph::ConvOp, graph::ConvWinogradOp, graph::MatMulOp,
               graph::MaxPoolOp, graph::AvgPoolOp>(anchor);
  }

  bool widensFloat16() const override { return true; }

  LogicalResult rewriteAnchor(RewriterBase &rewriter,
                              graph::KernelOp kernel) const override {
    if (failed(rewriteTransposedPatches(rewriter, kernel)))
      return failure();
    return rewriteToWinograd(rewriter, kernel, cpu);
  }

  SmallVector<KernelCandidate> candidates(graph::KernelOp kernel,
                                          std::string &reason) const override {
    SmallVector<KernelCandidate> candidates;
    if (touchesNarrow(kernel)) {
      pointwiseTemplate().addCandidates(kernel, cpu, candidates, reason);
      return candidates;
    }
    for (const Template *kernelTemplate : getTemplates())
      kernelTemplate->addCandidates(kernel, cpu, candidates, reason);
    if (candidates.empty() && reason.empty())
      reason = "no template has this form";
    return candidates;
  }

  FailureOr<graph::ConfigAttr> configure(graph::KernelOp kernel,
                                         StringRef candidate) const override {
    // A template may offer several candidates: "name" or "name:variant".
    const Template *kernelTemplate = lookupTemplate(candidate.split(':').first);
    if (!kernelTemplate)
      return kernel.emitOpError("names an unknown template '")
             << candidate << "'";
    return kernelTemplate->configure(kernel, candidate, cpu);
  }

  void buildLowering(OpPassManager &kernelModule) const override {
    buildKernelLowering(kernelModule, cpu);
  }

  FailureOr<CodeImage> emit(ModuleOp module) const override {
    return emitCode(llvm::to_vector(module.getOps<ModuleOp>()), cpu);
  }

private:
  const CpuDescription &cpu;
};

} // namespace

std::shared_ptr<const Target>
mlir::atc::cpu::createCpuTarget(const CpuDescription &cpu) {
  return std::make_shared<CpuTarget>(cpu);
}

SmallVector<std::shared_ptr<const Target>> mlir::atc::cpu::createCpuTargets() {
  return llvm::map_to_vector(cpuDescriptions(), [](const CpuDescription &cpu) {
    return createCpuTarget(cpu);
  });
}
