// The template of elementwise and movement kernels: selection.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Pointwise.h"
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "atc/Codegen/Cpu/PointwiseLowering.h"
#include "atc/Codegen/Cpu/PointwisePlan.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Target/TensorLayout.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Nanoseconds on one core: memory traffic, and about a cycle per vector and
/// op.
static double estimate(Block &block, const PointwiseNest &nest,
                       const CpuDescription &cpu) {
  double bytes = 0, ops = 0;
  for (Value argument : block.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      bytes += typicalBytes(argument);
  for (Value result : block.getTerminator()->getOperands())
    bytes += typicalBytes(result);
  for (Operation &op : block.without_terminator())
    ops += isa<graph::ScalarBodyInterface>(op) ? 1 : 0.25;
  double lanes = cpu.vectorBytes * 8.0 / nest.computeBits;
  double cycles = nest.elements() / lanes * (1 + ops);
  return bytes / cpu.gigabytesPerSecond + cycles / cpu.gigahertz;
}

/// Whether a result may take over an operand's buffer: each element is read at
/// the place where it is written, before it is written.
static bool mayOverwrite(const PointwiseNest &nest, Block &block,
                         const PointwiseSchedule &schedule, unsigned result,
                         BlockArgument operand) {
  Value target = block.getTerminator()->getOperand(result);
  auto from = cast<RankedTensorType>(operand.getType());
  auto to = cast<RankedTensorType>(target.getType());
  if (!nest.isLinear || schedule.block >= 0 || nest.isPadded() ||
      isPacked(from.getElementType()) || isPacked(to.getElementType()) ||
      storageType(from.getElementType()) != storageType(to.getElementType()))
    return false;
  const LinearAccess *access = nullptr;
  for (auto [source, candidate] :
       llvm::zip_equal(nest.sources, nest.sourceAccesses)) {
    if (source.tensor == operand)
      access = &candidate;
    // The same buffer read in another order.
    auto reshape = source.tensor.getDefiningOp<graph::ReshapeOp>();
    if (reshape && reshape.getX() == operand)
      return false;
  }
  const LinearAccess &written = nest.resultAccesses[result];
  // Halos must match too: the buffers are one.
  return access && access->base == written.base &&
         access->strides == written.strides &&
         getLayout(from) == getLayout(to) &&
         graph::haveSameKernelSizes(operand, target);
}

static SmallVector<int64_t> inplacePairs(const PointwiseNest &nest,
                                         Block &block,
                                         const PointwiseSchedule &schedule) {
  SmallVector<int64_t> pairs;
  llvm::SmallDenseSet<unsigned> taken;
  for (unsigned result = 0; result < block.getTerminator()->getNumOperands();
       ++result)
    for (BlockArgument operand : block.getArguments()) {
      if (!isa<RankedTensorType>(operand.getType()) ||
          taken.contains(operand.getArgNumber()) ||
          !mayOverwrite(nest, block, schedule, result, operand))
        continue;
      taken.insert(operand.getArgNumber());
      llvm::append_values(pairs, result, operand.getArgNumber());
      break;
    }
  return pairs;
}

namespace {

class PointwiseTemplate final : public Template {
public:
  StringRef getName() const override { return "pointwise"; }

  void addCandidates(graph::KernelOp kernel, const CpuDescription &cpu,
                     SmallVectorImpl<KernelCandidate> &candidates,
                     std::string &reason) const override {
    Block &block = kernel.getBodyBlock();
    std::optional<PointwiseNest> nest = PointwiseNest::create(block, reason);
    if (!nest)
      return;
    KernelCandidate candidate;
    candidate.name = getName();
    auto request = [](Type type) {
      ::atc::PhysicalLayout layout = getLayout(cast<RankedTensorType>(type));
      return layout.isStrided() ? LayoutRequest::strided()
                                : LayoutRequest::exact(layout);
    };
    for (BlockArgument argument : kernel.getTensorArguments())
      candidate.operands.push_back(request(argument.getType()));
    for (Value result : kernel.getYielded())
      candidate.results.push_back(request(result.getType()));
    candidate.cost = estimate(block, *nest, cpu);
    candidates.push_back(std::move(candidate));
  }

  FailureOr<graph::ConfigAttr>
  configure(graph::KernelOp kernel, StringRef candidate,
            const CpuDescription &cpu) const override {
    std::string reason;
    Block &block = kernel.getBodyBlock();
    std::optional<PointwiseNest> nest = PointwiseNest::create(block, reason);
    if (!nest)
      return kernel.emitOpError("is not pointwise: ") << reason;
    PointwiseSchedule schedule = PointwiseSchedule::choose(*nest, cpu);
    MLIRContext *context = kernel.getContext();
    return graph::ConfigAttr::get(
        StringAttr::get(context, getName()),
        {schedule.tiles.countMap(nest->sizes(), kernel.getDims().size(),
                                 context)},
        /*scratch=*/0, /*workspace=*/{}, inplacePairs(*nest, block, schedule),
        schedule.toParams(context));
  }

  LogicalResult lower(func::FuncOp kernel,
                      const CpuDescription &cpu) const override {
    std::string reason;
    std::optional<PointwiseNest> nest =
        PointwiseNest::create(kernel.front(), reason);
    if (!nest)
      return kernel.emitOpError("is not pointwise: ") << reason;
    return lowerPointwise(kernel, *nest, cpu);
  }
};

} // namespace

const Template &mlir::atc::cpu::pointwiseTemplate() {
  static const PointwiseTemplate instance;
  return instance;
}
