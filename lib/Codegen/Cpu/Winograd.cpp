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
  auto filter = dyn_cast<RankedTensorType>(op.getU().getType());
  if (!input || !result || !filter || !filter.hasStaticShape() ||
      !computeType(input.getElementType()).isF32()) {
    reason = "conv_winograd needs a static filter, and f32 to compute in";
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
  auto fits = [&](unsigned dim) {
    return winograd.overhangs(dim) ||
           result.getDimSize(dim + 2) >= winograd.tile;
  };
  if (!WinogradTransform::supports(winograd.tile) || !fits(0) || !fits(1)) {
    reason = "conv_winograd with this tile does not fit the result";
    return std::nullopt;
  }
  if (!region->argumentNumber(winograd.input) ||
      !region->argumentNumber(winograd.filter)) {
    reason = "a convolution's operands are computed inside its kernel";
    return std::nullopt;
  }
  winograd.images = result.getDimSize(0);
  winograd.channels = filter.getDimSize(2);
  winograd.outputs = filter.getDimSize(1);
  winograd.window.kernel = {3, 3};
  winograd.window.strides = winograd.window.dilations = {1, 1};
  winograd.window.begins.assign(op.getPads().begin(), op.getPads().begin() + 2);
  winograd.window.ends.assign(op.getPads().begin() + 2, op.getPads().end());
  return winograd;
}

std::optional<int64_t> WinogradAnalysis::tileCount() const {
  if (ShapedType::isDynamic(images) || overhangs(0) || overhangs(1))
    return std::nullopt;
  return images * llvm::divideCeil(height, tile) *
         llvm::divideCeil(width, tile);
}

::atc::PhysicalLayout WinogradAnalysis::inputLayout() const {
  auto shapeOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  };
  ::atc::PhysicalLayout layout =
      window.haloLayout(shapeOf(input), shapeOf(result));
  for (unsigned dim = 0; dim < 2; ++dim) {
    if (!overhangs(dim))
      continue;
    llvm::erase_if(layout.halos,
                   [&](const auto &halo) { return halo.dim == dim + 2; });
    layout.halos.push_back(
        {dim + 2, window.begins[dim], window.ends[dim] + tile - 1});
  }
  llvm::sort(layout.halos, [](const auto &lhs, const auto &rhs) {
    return lhs.dim < rhs.dim;
  });
  return layout;
}

/// A divisor of the number of tiles if one is near.
int64_t WinogradAnalysis::chooseBlock() const {
  std::optional<int64_t> tiles = tileCount();
  if (!tiles)
    return winogradBlockTiles;
  if (*tiles <= winogradBlockTiles)
    return std::max<int64_t>(*tiles, 1);
  for (int64_t block = winogradBlockTiles; block >= winogradBlockTiles / 2;
       --block)
    if (*tiles % block == 0)
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

/// Unknown numbers of tiles count as this in cost estimates.
static constexpr double typicalTiles = 196;

void WinogradTemplate::addCandidates(
    graph::KernelOp kernel, const CpuDescription &cpu,
    SmallVectorImpl<KernelCandidate> &candidates, std::string &reason) const {
  std::optional<WinogradAnalysis> winograd =
      WinogradAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!winograd)
    return;
  GemmTiling tiling = winograd->tiling(cpu, winograd->chooseBlock());
  KernelCandidate candidate;
  candidate.name = getName().str();
  requestChannelsLast(kernel, 4, candidate);
  candidate.operands[*winograd->region.argumentNumber(winograd->input)] =
      LayoutRequest::permuted(winograd->inputLayout());
  // [frequency][O / width][I][width].
  ::atc::PhysicalLayout panels = ::atc::PhysicalLayout::rowMajor(3);
  panels.tiles = {{1, tiling.width()}};
  candidate.operands[*winograd->region.argumentNumber(winograd->filter)] =
      LayoutRequest::exact(panels);
  double tiles = winograd->tileCount().value_or(typicalTiles);
  double products =
      winograd->frequencies() * tiles * winograd->channels * winograd->outputs;
  candidate.cost = predictTime(cpu, Float32Type::get(kernel.getContext()),
                               products, /*efficiency=*/0.6, 0);
  candidates.push_back(std::move(candidate));
}

/// The number of tiles as an expression of the kernel's dims.
static FailureOr<AffineExpr> tileExpression(graph::KernelOp kernel,
                                            const WinogradAnalysis &winograd) {
  AffineExpr tiles = getAffineConstantExpr(1, kernel.getContext());
  for (unsigned dim : {0, 2, 3}) {
    FailureOr<AffineExpr> size = sizeExpression(winograd.result, dim);
    if (failed(size))
      return kernel.emitOpError("does not tell the size of its anchor's result "
                                "in 'shapes'");
    tiles = tiles * (dim == 0 ? *size : size->ceilDiv(winograd.tile));
  }
  return tiles;
}

FailureOr<graph::ConfigAttr>
WinogradTemplate::configure(graph::KernelOp kernel, StringRef candidate,
                            const CpuDescription &cpu) const {
  std::string reason;
  std::optional<WinogradAnalysis> winograd =
      WinogradAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!winograd)
    return kernel.emitOpError("is no Winograd convolution: ") << reason;
  int64_t block = winograd->chooseBlock();
  FailureOr<AffineExpr> tiles = tileExpression(kernel, *winograd);
  if (failed(tiles))
    return failure();
  GemmTiling tiling = winograd->tiling(cpu, block);
  MLIRContext *context = kernel.getContext();
  Builder builder(context);
  NamedAttrList params;
  tiling.write(params, builder);
  params.set("block", builder.getI64IntegerAttr(block));
  AffineMap grid =
      AffineMap::get(0, kernel.getDims().size(), tiles->ceilDiv(block));
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
