// The template of convolutions: which kernels it takes, and how.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Convolution.h"
#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"
#include "atc/Codegen/Cpu/GemmAnalysis.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Unknown numbers of rows count as this in cost estimates.
static constexpr int64_t typicalRows = 3136;

static double predictTime(const ConvolutionAnalysis &conv,
                          const GemmTiling &tiling, const CpuDescription &cpu) {
  GemmShape shape = conv.gemmShape();
  double rows = shape.rows.value_or(typicalRows);
  // Lanes beyond the last channel work for nothing.
  double columns = llvm::alignTo(conv.outputChannels, tiling.lanes);
  double depth = conv.depth(), groups = conv.groups;
  double bytes = conv.accumulator.getIntOrFloatBitWidth() / 8;
  double moved = rows * (conv.outputChannels + conv.inputChannels) +
                 conv.outputChannels * depth;
  return predictTime(cpu, conv.accumulator, groups * rows * columns * depth,
                     /*efficiency=*/0.8, groups * moved * bytes);
}

void ConvolutionTemplate::addCandidates(
    graph::KernelOp kernel, const CpuDescription &cpu,
    SmallVectorImpl<KernelCandidate> &candidates, std::string &reason) const {
  std::optional<ConvolutionAnalysis> conv =
      ConvolutionAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!conv)
    return;
  GemmTiling tiling =
      GemmTiling::choose(cpu, conv->accumulator, conv->gemmShape());
  KernelCandidate candidate;
  candidate.name = getName().str();
  requestChannelsLast(kernel, conv->window.rank() + 2, candidate);
  auto inputType = cast<RankedTensorType>(conv->input.getType());
  auto resultType = cast<RankedTensorType>(conv->result.getType());
  candidate.operands[*conv->region.argumentNumber(conv->input)] =
      LayoutRequest::permuted(
          conv->window.haloLayout(inputType.getShape(), resultType.getShape()));
  candidate.operands[*conv->region.argumentNumber(conv->filter)] =
      LayoutRequest::exact(conv->filterLayout(tiling.width()));
  candidate.cost = ::predictTime(*conv, tiling, cpu);
  candidates.push_back(std::move(candidate));
}

FailureOr<AffineExpr> mlir::atc::cpu::resultPoints(graph::KernelOp kernel,
                                                   Value result) {
  AffineExpr points = getAffineConstantExpr(1, kernel.getContext());
  unsigned rank = cast<RankedTensorType>(result.getType()).getRank();
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (dim == 1)
      continue;
    FailureOr<AffineExpr> size = sizeExpression(result, dim);
    if (failed(size))
      return kernel.emitOpError("does not tell the size of its anchor's result "
                                "in 'shapes'");
    points = points * *size;
  }
  return points;
}

FailureOr<graph::ConfigAttr>
ConvolutionTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                               const CpuDescription &cpu) const {
  std::string reason;
  std::optional<ConvolutionAnalysis> conv =
      ConvolutionAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!conv)
    return kernel.emitOpError("is no convolution: ") << reason;
  GemmTiling tiling =
      GemmTiling::choose(cpu, conv->accumulator, conv->gemmShape());
  FailureOr<AffineExpr> points = resultPoints(kernel, conv->result);
  if (failed(points))
    return failure();

  MLIRContext *context = kernel.getContext();
  Builder builder(context);
  AffineExpr tiles = gridExpression(
      *points, getAffineConstantExpr(conv->outputChannels, context), tiling);
  AffineMap grid =
      AffineMap::get(0, kernel.getDims().size(), tiles * conv->groups);

  // Whether lines of the window merge is settled by strides that only the
  // lowering sees; room for the larger of both plans is enough.
  bool hasPartial = false;
  int64_t depth = 0;
  for (bool merge : {false, true}) {
    ConvolutionSteps steps = ConvolutionSteps::plan(
        conv->window, conv->inputChannels, merge, tiling.depthLimit);
    hasPartial |= steps.blockCount() > 1;
    depth = std::max(depth, steps.blockSize());
  }
  GemmTiling roomy = tiling;
  roomy.depth = depth;
  GemmScratch scratch =
      GemmScratch::plan(roomy, conv->accumulator, hasPartial,
                        conv->widensInput(), /*copiesRight=*/false);
  NamedAttrList params;
  tiling.write(params, builder);
  return graph::ConfigAttr::get(builder.getStringAttr(getName()), {grid},
                                scratch.bytes, {}, {},
                                params.getDictionary(context));
}
