// What templates over row nests have in common: matching and configuring.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/RowTemplate.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Target/TensorLayout.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

void mlir::atc::cpu::splitDims(Value tensor, ArrayRef<int64_t> rowDims,
                               SmallVectorImpl<IterationDim> &kept,
                               SmallVectorImpl<IterationDim> &row) {
  AffineMap sizes = *graph::getKernelSizes(tensor);
  for (auto [dim, size] : llvm::enumerate(sizes.getResults())) {
    IterationDim loop{size, static_cast<unsigned>(dim), 1};
    if (llvm::is_contained(rowDims, static_cast<int64_t>(dim)))
      row.push_back(loop);
    else
      kept.push_back(loop);
  }
}

Operation *
mlir::atc::cpu::findRowAnchor(Block &block,
                              function_ref<bool(Operation *)> isAnchor,
                              std::string &reason) {
  Operation *anchor = nullptr;
  for (Operation &op : block.without_terminator()) {
    if (isAnchor(&op)) {
      if (anchor) {
        reason = "the region holds two ops that combine elements";
        return nullptr;
      }
      anchor = &op;
    }
  }
  if (!anchor)
    return nullptr;
  for (Operation &op : block.without_terminator())
    if (&op != anchor && !isKernelPointwise(&op, reason))
      return nullptr;
  auto isKnown = [](Value tensor) {
    return !isa<RankedTensorType>(tensor.getType()) ||
           graph::getKernelSizes(tensor).has_value();
  };
  if (!llvm::all_of(anchor->getOperands(), isKnown) ||
      !llvm::all_of(anchor->getResults(), isKnown) ||
      !llvm::all_of(block.getTerminator()->getOperands(), isKnown)) {
    reason = "shapes that are only known at run time";
    return nullptr;
  }
  for (Type type : block.getTerminator()->getOperandTypes())
    if (!getLayout(cast<RankedTensorType>(type)).isStrided()) {
      reason = "a packed result";
      return nullptr;
    }
  return anchor;
}

void RowTemplate::addCandidates(graph::KernelOp kernel,
                                const CpuDescription &cpu,
                                SmallVectorImpl<KernelCandidate> &candidates,
                                std::string &reason) const {
  Block &block = kernel.getBodyBlock();
  std::optional<RowProblem> problem = match(block, reason);
  if (!problem)
    return;
  KernelCandidate candidate;
  candidate.name = getName();
  candidate.operands.assign(kernel.getArgs().size(), LayoutRequest::strided());
  candidate.results.assign(kernel.getNumResults(), LayoutRequest::strided());
  double bytes = 0;
  for (Value argument : kernel.getTensorArguments())
    bytes += typicalBytes(argument);
  for (Value result : kernel.getYielded())
    bytes += typicalBytes(result);
  auto input = cast<RankedTensorType>(problem->input.getType());
  double lanes =
      static_cast<double>(cpu.lanes(computeType(input.getElementType())));
  double cycles =
      typicalElements(problem->input) / lanes * cyclesPerVector(*problem);
  candidate.cost = bytes / cpu.gigabytesPerSecond + cycles / cpu.gigahertz;
  candidates.push_back(std::move(candidate));
}

FailureOr<graph::ConfigAttr>
RowTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                       const CpuDescription &cpu) const {
  std::string reason;
  std::optional<RowProblem> problem = match(kernel.getBodyBlock(), reason);
  if (!problem)
    return kernel.emitOpError("does not fit its template: ") << reason;
  RowNest nest = RowNest::create(*problem);
  adjust(nest);
  RowSchedule chosen = schedule(nest, *problem, cpu);
  Builder builder(kernel.getContext());
  NamedAttrList params;
  chosen.addParams(builder, params);
  return graph::ConfigAttr::get(
      builder.getStringAttr(getName()),
      {chosen.tiles.countMap(nest.keptSizes(), kernel.getDims().size(),
                             kernel.getContext())},
      scratchBytes(nest, *problem, chosen), /*workspace=*/{}, /*inplace=*/{},
      params.getDictionary(kernel.getContext()));
}

LogicalResult RowTemplate::lower(func::FuncOp kernel,
                                 const CpuDescription &cpu) const {
  std::string reason;
  std::optional<RowProblem> problem = match(kernel.front(), reason);
  if (!problem)
    return kernel.emitOpError("does not fit its template: ") << reason;
  RowNest nest = RowNest::create(*problem);
  adjust(nest);
  RowSchedule chosen = RowSchedule::fromConfig(
      kernel->getAttrOfType<graph::ConfigAttr>(configAttrName));
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (chosen.tiles.tiles != 0) {
    RowLoops loops(launch, *problem, nest, chosen);
    if (failed(emit(launch, *problem, nest, chosen, loops)))
      return failure();
  }
  launch.finish();
  return success();
}
