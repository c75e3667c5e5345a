// The templates of Winograd's method: which kernels they take, and how.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Winograd.h"
#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"
#include "atc/Codegen/Cpu/WinogradAnalysis.h"
#include "atc/Codegen/Cpu/WinogradTransform.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// WinogradAnalysis
//===----------------------------------------------------------------------===//

std::optional<WinogradAnalysis> WinogradAnalysis::analyze(Block &block,
                                                          std::string &reason) {
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::ConvWinogradOp>(block, reason);
  if (!region)
    return std::nullopt;
  auto op = cast<graph::ConvWinogradOp>(region->anchor);
  auto input = dyn_cast<RankedTensorType>(op.getX().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!input || !result || !input.hasStaticShape() ||
      !input.getElementType().isF32()) {
    reason = "conv_winograd needs static shapes of f32";
    return std::nullopt;
  }
  WinogradAnalysis winograd;
  winograd.region = *region;
  winograd.input = op.getX();
  winograd.filter = op.getU();
  winograd.result = op.getResult();
  winograd.tile = op.getTile();
  winograd.height = result.getDimSize(2);
  winograd.width = result.getDimSize(3);
  if (!WinogradTransform::supports(winograd.tile) ||
      winograd.height < winograd.tile || winograd.width < winograd.tile) {
    reason = "conv_winograd with this tile does not fit the result";
    return std::nullopt;
  }
  if (!region->argumentNumber(winograd.input) ||
      !region->argumentNumber(winograd.filter)) {
    reason = "a convolution's operands are computed inside its kernel";
    return std::nullopt;
  }
  winograd.images = result.getDimSize(0);
  winograd.channels = input.getDimSize(1);
  winograd.outputs = result.getDimSize(1);
  winograd.window.kernel = {3, 3};
  winograd.window.strides = winograd.window.dilations = {1, 1};
  winograd.window.begins.assign(op.getPads().begin(), op.getPads().begin() + 2);
  winograd.window.ends.assign(op.getPads().begin() + 2, op.getPads().end());
  return winograd;
}

/// The number of tiles per block: a divisor of their number if one is near.
static int64_t chooseBlock(int64_t tiles) {
  if (tiles <= winogradBlockTiles)
    return tiles;
  for (int64_t block = winogradBlockTiles; block >= winogradBlockTiles / 2;
       --block)
    if (tiles % block == 0)
      return block;
  return winogradBlockTiles;
}

GemmTiling WinogradAnalysis::tiling(const CpuDescription &cpu,
                                    int64_t block) const {
  GemmShape shape;
  shape.rows = block;
  shape.columns = outputs;
  shape.depth = channels;
  GemmTiling tiling =
      GemmTiling::choose(cpu, Float32Type::get(input.getContext()), shape);
  tiling.partition = GemmNest::Partition::Rows;
  return tiling;
}

WinogradScratch WinogradScratch::plan(const WinogradAnalysis &winograd,
                                      const GemmTiling &tiling, int64_t block) {
  WinogradScratch scratch;
  int64_t frequencies = winograd.frequencies();
  scratch.inputPitch = llvm::alignTo(winograd.channels, tiling.lanes);
  scratch.outputPitch = llvm::alignTo(winograd.outputs, tiling.lanes);
  auto place = [&](int64_t elements) {
    int64_t offset = scratch.bytes;
    scratch.bytes += llvm::alignTo(elements * sizeof(float), 64);
    return offset;
  };
  scratch.input = place(frequencies * block * scratch.inputPitch);
  scratch.output = place(frequencies * block * scratch.outputPitch);
  if (winograd.channels > tiling.depth)
    scratch.partial = place(tiling.blockTiles * tiling.panelTiles *
                            tiling.rows * tiling.width());
  return scratch;
}

//===----------------------------------------------------------------------===//
// WinogradTemplate
//===----------------------------------------------------------------------===//

void WinogradTemplate::addCandidates(
    graph::KernelOp kernel, const CpuDescription &cpu,
    SmallVectorImpl<KernelCandidate> &candidates, std::string &reason) const {
  std::optional<WinogradAnalysis> winograd =
      WinogradAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!winograd)
    return;
  GemmTiling tiling = winograd->tiling(cpu, chooseBlock(winograd->tileCount()));
  KernelCandidate candidate;
  candidate.name = getName().str();
  requestChannelsLast(kernel, 4, candidate);
  auto shapeOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  };
  candidate.operands[*winograd->region.argumentNumber(winograd->input)] =
      LayoutRequest::permuted(winograd->window.haloLayout(
          shapeOf(winograd->input), shapeOf(winograd->result)));
  // [frequency][O / width][I][width].
  ::atc::PhysicalLayout panels = ::atc::PhysicalLayout::rowMajor(3);
  panels.tiles = {{1, tiling.width()}};
  candidate.operands[*winograd->region.argumentNumber(winograd->filter)] =
      LayoutRequest::exact(panels);
  double products = double(winograd->frequencies()) * winograd->tileCount() *
                    winograd->channels * winograd->outputs;
  candidate.cost = predictTime(cpu, Float32Type::get(kernel.getContext()),
                               products, /*efficiency=*/0.6, 0);
  candidates.push_back(std::move(candidate));
}

FailureOr<graph::ConfigAttr>
WinogradTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                            const CpuDescription &cpu) const {
  std::string reason;
  std::optional<WinogradAnalysis> winograd =
      WinogradAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!winograd)
    return kernel.emitOpError("is no Winograd convolution: ") << reason;
  int64_t block = chooseBlock(winograd->tileCount());
  GemmTiling tiling = winograd->tiling(cpu, block);
  MLIRContext *context = kernel.getContext();
  Builder builder(context);
  NamedAttrList params;
  tiling.write(params, builder);
  params.set("block", builder.getI64IntegerAttr(block));
  AffineMap grid = AffineMap::getConstantMap(
      llvm::divideCeil(winograd->tileCount(), block), context);
  return graph::ConfigAttr::get(
      builder.getStringAttr(getName()), {grid},
      WinogradScratch::plan(*winograd, tiling, block).bytes, {}, {},
      params.getDictionary(context));
}

//===----------------------------------------------------------------------===//
// WinogradFilterTemplate
//===----------------------------------------------------------------------===//

void WinogradFilterTemplate::addCandidates(
    graph::KernelOp kernel, const CpuDescription &cpu,
    SmallVectorImpl<KernelCandidate> &candidates, std::string &reason) const {
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::WinogradFilterOp>(kernel.getBodyBlock(),
                                                     reason);
  if (!region)
    return;
  auto op = cast<graph::WinogradFilterOp>(region->anchor);
  auto type = dyn_cast<RankedTensorType>(op.getW().getType());
  if (!type || !type.hasStaticShape() ||
      !WinogradTransform::supports(op.getTile()) ||
      op.getResult() != region->yielded().front()) {
    reason = "winograd_filter needs static shapes, and stands alone";
    return;
  }
  KernelCandidate candidate;
  candidate.name = getName().str();
  candidate.operands.assign(kernel.getArgs().size(), LayoutRequest::strided());
  candidate.results.assign(kernel.getNumResults(), LayoutRequest::strided());
  candidate.cost = type.getNumElements();
  candidates.push_back(std::move(candidate));
}

FailureOr<graph::ConfigAttr>
WinogradFilterTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                                  const CpuDescription &cpu) const {
  auto type = cast<RankedTensorType>(kernel.getArgs().front().getType());
  MLIRContext *context = kernel.getContext();
  AffineMap grid = AffineMap::getConstantMap(type.getDimSize(0), context);
  return graph::ConfigAttr::get(StringAttr::get(context, getName()), {grid});
}

LogicalResult WinogradFilterTemplate::lower(func::FuncOp kernel,
                                            const CpuDescription &cpu) const {
  std::string reason;
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::WinogradFilterOp>(kernel.getBody().front(),
                                                     reason);
  if (!region)
    return kernel.emitOpError("is no Winograd filter: ") << reason;
  auto op = cast<graph::WinogradFilterOp>(region->anchor);
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  KernelBuilder b(*launch.builder, op.getLoc());
  IndexBuilder &index = b.index;
  WinogradTransform transform(b, op.getTile());
  int64_t channels = cast<RankedTensorType>(op.getW().getType()).getDimSize(1);
  Type real = b.builder.getF64Type();
  bool succeeds = true;
  // A tile is one output channel.
  b.loop(launch.begin, launch.end, index.constant(1), [&](Value output) {
    b.loop(index.constant(0), index.constant(channels), index.constant(1),
           [&](Value channel) {
             SmallVector<Value> taps;
             for (int64_t tap = 0; tap < 9 && succeeds; ++tap) {
               FailureOr<Value> value = launch.region->value(
                   op.getW(), VectorPoint::scalar({output, channel,
                                                   index.constant(tap / 3),
                                                   index.constant(tap % 3)}));
               succeeds = succeeded(value);
               if (succeeds && value->getType() != real)
                 value = arith::ExtFOp::create(b.builder, b.loc, real, *value)
                             .getResult();
               taps.push_back(*value);
             }
             if (!succeeds)
               return;
             SmallVector<Value> frequencies =
                 transform.apply(taps, 3, [&](ArrayRef<Value> x) {
                   return transform.filter(x);
                 });
             const TensorView &result = launch.results.front();
             for (size_t number = 0; number < frequencies.size(); ++number) {
               SmallVector<OpFoldResult> point = {index.constant(number),
                                                  output, channel};
               storeNarrowed(b, frequencies[number], result.buffer,
                             {result.offset(index, point), 0});
             }
           });
  });
  launch.finish();
  return success(succeeds);
}
