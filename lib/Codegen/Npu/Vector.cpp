// The template "vector": elementwise ops, casts, layout changes.
// SPDX-License-Identifier: Apache-2.0
#include "Templates.h"
#include "TypeStrides.h"
#include "VectorLowering.h"
#include "atc/Dialect/Plan/IR/KernelStrides.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static std::optional<VectorProblem> analyzeByTypes(graph::KernelOp kernel,
                                                   std::string &reason) {
  return VectorProblem::analyze(
      kernel.getBodyBlock(), getTypeStrides,
      [&](unsigned number) {
        return getTypeStrides(kernel.getYielded()[number]);
      },
      reason);
}

namespace {

class VectorTemplate final : public Template {
public:
  StringRef getName() const override { return "vector"; }

  bool canFuse(Operation *anchor, Operation *op, FusionRole role,
               const hw::DeviceRecord &device) const override {
    std::string reason;
    if (anchor || role != FusionRole::Prologue || !isVectorOp(op, reason))
      return false;
    // All values of a region have one shape.
    auto shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      if (user->getNumResults() != 1)
        return false;
      auto type = dyn_cast<RankedTensorType>(user->getResult(0).getType());
      return type && type.getShape() == shape;
    });
  }

  void addCandidates(graph::KernelOp kernel, const hw::DeviceRecord &device,
                     SmallVectorImpl<KernelCandidate> &candidates,
                     std::string &reason) const override {
    std::string why;
    std::optional<VectorProblem> problem = analyzeByTypes(kernel, why);
    std::optional<VectorTiling> tiling;
    if (problem) {
      tiling = VectorTiling::choose(*problem, device);
      why = "no tile fits the buffers of the core";
    }
    if (!tiling) {
      if (reason.empty())
        reason = why;
      return;
    }
    KernelCandidate candidate;
    candidate.name = getName().str();
    candidate.operands.assign(kernel.getArgs().size(),
                              LayoutRequest::strided());
    candidate.results.assign(kernel.getNumResults(), LayoutRequest::strided());
    candidate.cost =
        tiling->estimateCycles(*problem, device) * 1000 / device.vectorMHz;
    candidates.push_back(std::move(candidate));
  }

  FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel,
            const hw::DeviceRecord &device) const override {
    std::string reason;
    std::optional<VectorProblem> problem = analyzeByTypes(kernel, reason);
    std::optional<VectorTiling> tiling;
    if (problem)
      tiling = VectorTiling::choose(*problem, device);
    if (!tiling)
      return kernel.emitOpError("cannot be configured: ") << reason;
    Builder builder(kernel.getContext());
    // The plan may give tensors other strides, and rows become shorter then:
    // the launch's tiles follow from them, so they are chosen when they are
    // known. The number of tiles is that of blocks worth starting.
    AffineMap tiles = AffineMap::getConstantMap(tiling->tileCount(*problem),
                                                kernel.getContext());
    return graph::ConfigAttr::get(builder.getStringAttr(getName()), {tiles});
  }

  LogicalResult lower(func::FuncOp kernel,
                      const hw::DeviceRecord &device) const override;
};

LogicalResult VectorTemplate::lower(func::FuncOp kernel,
                                    const hw::DeviceRecord &device) const {
  std::string reason;
  std::optional<VectorProblem> problem = VectorProblem::analyze(
      kernel.front(),
      [&](Value value) {
        return plan::getArgumentStrides(
            kernel, cast<BlockArgument>(value).getArgNumber());
      },
      [&](unsigned number) { return plan::getResultStrides(kernel, number); },
      reason);
  if (!problem)
    return kernel.emitOpError("cannot be lowered: ") << reason;
  std::optional<VectorTiling> tiling = VectorTiling::choose(*problem, device);
  if (!tiling)
    return kernel.emitOpError("has no tile that fits ")
           << StringRef(device.name);
  KernelLaunch launch(kernel, device.fused ? hw::CoreType::Fused
                                           : hw::CoreType::Vector);
  SmallVector<unsigned> inputs;
  for (const VectorTensor &tensor : problem->inputs)
    inputs.push_back(cast<BlockArgument>(tensor.value).getArgNumber());
  VectorLowering(launch, *problem, *tiling)
      .build(inputs, kernel.getNumArguments());
  return success();
}

} // namespace

const Template *mlir::atc::npu::getVectorTemplate() {
  static const VectorTemplate instance;
  return &instance;
}
