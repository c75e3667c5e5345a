// The template of transposed convolutions.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/ConvolutionTranspose.h"
#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"
#include "atc/Codegen/Cpu/GemmAnalysis.h"
#include "atc/Codegen/Cpu/GemmRows.h"
#include <numeric>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

namespace {
/// The taps of one phase along one dim: first, first + step, ..., `count` of
/// them; tap number j reads the input at q - offset - j * advance for the q-th
/// point of the phase.
struct PhaseTaps {
  OpFoldResult first, count, offset;
  int64_t step = 1, advance = 1;
};

/// A conv_transpose kernel.
struct TransposeAnalysis {
  AnchoredKernel region;
  Value input, filter, result;
  /// Pads are those taken off the result.
  SlidingWindow window;
  SmallVector<int64_t> outputPadding;
  int64_t groups = 1, inputChannels = 0, outputChannels = 0;
  Type accumulator;

  static std::optional<TransposeAnalysis> analyze(Block &block,
                                                  std::string &reason);

  int64_t phaseCount() const;
  /// The most taps that a phase has along a dim.
  int64_t tapLimit(unsigned dim) const {
    int64_t divisor = std::gcd(window.strides[dim], window.dilations[dim]);
    return llvm::divideCeil(window.kernel[dim], window.strides[dim] / divisor);
  }
  /// Whether taps of a phase that is only known at run time have a formula.
  bool hasUniformPhases() const;
  PhaseTaps taps(KernelBuilder &b, unsigned dim, OpFoldResult phase) const;
  /// The size of the result along a dim.
  OpFoldResult resultSize(IndexBuilder &index, unsigned dim,
                          OpFoldResult size) const;
  /// The points of a phase along a dim: q in [first, first + count).
  std::pair<OpFoldResult, OpFoldResult>
  phaseRange(IndexBuilder &index, unsigned dim, OpFoldResult phase,
             OpFoldResult resultSize) const;
  ::atc::PhysicalLayout inputLayout() const;
  ::atc::PhysicalLayout filterLayout(int64_t width) const;
  bool widensInput() const {
    Type element = cast<RankedTensorType>(input.getType()).getElementType();
    return storageType(element) != accumulator;
  }
  /// One phase as a matrix product.
  GemmShape phaseShape() const;
};
} // namespace

std::optional<TransposeAnalysis>
TransposeAnalysis::analyze(Block &block, std::string &reason) {
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::ConvTransposeOp>(block, reason);
  if (!region)
    return std::nullopt;
  TransposeAnalysis conv;
  conv.region = *region;
  auto op = cast<graph::ConvTransposeOp>(region->anchor);
  conv.input = op.getX();
  conv.filter = op.getW();
  conv.result = op.getResult();
  auto input = dyn_cast<RankedTensorType>(conv.input.getType());
  auto filter = dyn_cast<RankedTensorType>(conv.filter.getType());
  if (!input || !filter || !filter.hasStaticShape()) {
    reason = "a transposed convolution needs a static kernel";
    return std::nullopt;
  }
  if (!region->argumentNumber(conv.input) ||
      !region->argumentNumber(conv.filter)) {
    reason = "a convolution's operands are computed inside its kernel";
    return std::nullopt;
  }
  unsigned rank = op.getSpatialRank();
  SlidingWindow &window = conv.window;
  window.kernel.assign(filter.getShape().begin() + 2, filter.getShape().end());
  window.strides.assign(op.getStrides().begin(), op.getStrides().end());
  window.dilations.assign(op.getDilations().begin(), op.getDilations().end());
  window.begins.assign(op.getPads().begin(), op.getPads().begin() + rank);
  window.ends.assign(op.getPads().begin() + rank, op.getPads().end());
  conv.outputPadding.assign(op.getOutputPadding().begin(),
                            op.getOutputPadding().end());
  conv.groups = op.getGroups();
  conv.inputChannels = filter.getDimSize(0) / conv.groups;
  conv.outputChannels = filter.getDimSize(1);
  conv.accumulator = computeType(input.getElementType());
  return conv;
}

int64_t TransposeAnalysis::phaseCount() const {
  int64_t count = 1;
  for (int64_t stride : window.strides)
    count *= stride;
  return count;
}

bool TransposeAnalysis::hasUniformPhases() const {
  for (unsigned dim = 0; dim < window.rank(); ++dim)
    if (window.strides[dim] > 1 && window.dilations[dim] > 1)
      return false;
  return true;
}

PhaseTaps TransposeAnalysis::taps(KernelBuilder &b, unsigned dim,
                                  OpFoldResult phase) const {
  IndexBuilder &index = b.index;
  int64_t kernel = window.kernel[dim], stride = window.strides[dim];
  int64_t dilation = window.dilations[dim];
  PhaseTaps taps;
  int64_t divisor = std::gcd(stride, dilation);
  taps.step = stride / divisor;
  taps.advance = dilation / divisor;
  if (stride == 1) {
    taps.first = taps.offset = index.constant(0);
    taps.count = index.constant(kernel);
    return taps;
  }
  if (dilation == 1) {
    // Taps phase, phase + stride, ...
    taps.first = phase;
    taps.offset = index.constant(0);
    taps.count =
        index.ceilDiv(b.saturatingSub(index.constant(kernel), phase), stride);
    return taps;
  }
  // Both: the phase is a number; look for tap * dilation = phase (mod stride).
  int64_t number = *IndexBuilder::getConstant(phase);
  int64_t first = 0;
  while (first < kernel && (first * dilation) % stride != number)
    ++first;
  taps.first = index.constant(first);
  taps.count = index.constant(llvm::divideCeil(kernel - first, taps.step));
  taps.offset =
      index.constant(first < kernel ? (first * dilation - number) / stride : 0);
  return taps;
}

OpFoldResult TransposeAnalysis::resultSize(IndexBuilder &index, unsigned dim,
                                           OpFoldResult size) const {
  auto type = cast<RankedTensorType>(result.getType());
  if (!type.isDynamicDim(dim + 2))
    return index.constant(type.getDimSize(dim + 2));
  int64_t rest = outputPadding[dim] + window.extent(dim) - window.strides[dim] -
                 window.begins[dim] - window.ends[dim];
  return index.add(index.mul(size, window.strides[dim]), rest);
}

std::pair<OpFoldResult, OpFoldResult>
TransposeAnalysis::phaseRange(IndexBuilder &index, unsigned dim,
                              OpFoldResult phase,
                              OpFoldResult resultSize) const {
  int64_t stride = window.strides[dim], begin = window.begins[dim];
  // Point q of the phase is q * stride + phase - begin. Multiples of the stride
  // keep numerators positive.
  int64_t shift = llvm::divideCeil(std::max<int64_t>(-begin, 0), stride) + 1;
  OpFoldResult first = index.sub(
      index.div(
          index.sub(index.constant(begin + shift * stride + stride - 1), phase),
          stride),
      index.constant(shift));
  if (std::optional<int64_t> size = IndexBuilder::getConstant(resultSize);
      size && *size % stride == 0)
    return {first, index.constant(*size / stride)};
  OpFoldResult end = index.sub(
      index.div(
          index.sub(index.add(resultSize, begin + shift * stride + stride - 1),
                    phase),
          stride),
      index.constant(shift));
  return {first, index.sub(end, first)};
}

::atc::PhysicalLayout TransposeAnalysis::inputLayout() const {
  auto input = cast<RankedTensorType>(this->input.getType());
  auto result = cast<RankedTensorType>(this->result.getType());
  ::atc::PhysicalLayout layout = channelsLast(input.getRank());
  for (unsigned dim = 0; dim < window.rank(); ++dim) {
    int64_t stride = window.strides[dim], begin = window.begins[dim];
    int64_t reach = window.extent(dim) - 1;
    // The first and the last element that any point needs.
    int64_t low = std::max<int64_t>(
        llvm::divideCeil(std::max<int64_t>(reach - begin, 0), stride), 0);
    int64_t high = llvm::divideCeil(
        std::max<int64_t>(reach + outputPadding[dim] - window.ends[dim], 0),
        stride);
    if (!input.isDynamicDim(dim + 2) && !result.isDynamicDim(dim + 2))
      high =
          std::max<int64_t>((result.getDimSize(dim + 2) - 1 + begin) / stride -
                                (input.getDimSize(dim + 2) - 1),
                            0);
    if (low || high)
      layout.halos.push_back({dim + 2, low, high});
  }
  return layout;
}

/// [group][O / width][kernel...][I][width].
::atc::PhysicalLayout TransposeAnalysis::filterLayout(int64_t width) const {
  ::atc::PhysicalLayout layout =
      ::atc::PhysicalLayout::rowMajor(window.rank() + 2);
  layout.tiles = {{0, inputChannels}, {1, width}};
  return layout;
}

GemmShape TransposeAnalysis::phaseShape() const {
  GemmShape shape;
  shape.columns = outputChannels;
  shape.depth = inputChannels;
  for (unsigned dim = 0; dim < window.rank(); ++dim)
    *shape.depth *= tapLimit(dim);
  shape.batches = groups * phaseCount();
  auto type = cast<RankedTensorType>(result.getType());
  if (!type.hasStaticShape())
    return shape;
  shape.rows = type.getDimSize(0);
  for (unsigned dim = 0; dim < window.rank(); ++dim)
    *shape.rows *=
        llvm::divideCeil(type.getDimSize(dim + 2), window.strides[dim]);
  return shape;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static GemmTiling chooseTiling(const TransposeAnalysis &conv,
                               const CpuDescription &cpu) {
  GemmTiling tiling =
      GemmTiling::choose(cpu, conv.accumulator, conv.phaseShape());
  tiling.partition = GemmNest::Partition::Rows;
  return tiling;
}

void ConvolutionTransposeTemplate::addCandidates(
    graph::KernelOp kernel, const CpuDescription &cpu,
    SmallVectorImpl<KernelCandidate> &candidates, std::string &reason) const {
  std::optional<TransposeAnalysis> conv =
      TransposeAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!conv)
    return;
  GemmTiling tiling = chooseTiling(*conv, cpu);
  KernelCandidate candidate;
  candidate.name = getName().str();
  requestChannelsLast(kernel, conv->window.rank() + 2, candidate);
  candidate.operands[*conv->region.argumentNumber(conv->input)] =
      LayoutRequest::permuted(conv->inputLayout());
  candidate.operands[*conv->region.argumentNumber(conv->filter)] =
      LayoutRequest::exact(conv->filterLayout(tiling.width()));
  GemmShape shape = conv->phaseShape();
  candidate.cost =
      predictTime(cpu, conv->accumulator,
                  double(*shape.batches) * shape.rows.value_or(3136) *
                      *shape.columns * *shape.depth,
                  /*efficiency=*/0.7, 0);
  candidates.push_back(std::move(candidate));
}

/// Scratch for the sums and rows of one phase.
static GemmScratch planScratch(const TransposeAnalysis &conv,
                               GemmTiling tiling) {
  tiling.depth = std::min(conv.inputChannels, tiling.depthLimit);
  return GemmScratch::plan(tiling, conv.accumulator, /*hasPartial=*/true,
                           conv.widensInput(), /*copiesRight=*/false);
}

FailureOr<graph::ConfigAttr>
ConvolutionTransposeTemplate::configure(graph::KernelOp kernel,
                                        StringRef candidate,
                                        const CpuDescription &cpu) const {
  std::string reason;
  std::optional<TransposeAnalysis> conv =
      TransposeAnalysis::analyze(kernel.getBodyBlock(), reason);
  if (!conv)
    return kernel.emitOpError("is no transposed convolution: ") << reason;
  MLIRContext *context = kernel.getContext();
  GemmTiling tiling = chooseTiling(*conv, cpu);
  // Every phase has as many tiles as the largest; some stay empty.
  AffineExpr rows = getAffineConstantExpr(1, context);
  for (unsigned dim = 0; dim < conv->window.rank() + 2; ++dim) {
    if (dim == 1)
      continue;
    FailureOr<AffineExpr> size = sizeExpression(conv->result, dim);
    if (failed(size))
      return kernel.emitOpError("does not tell the size of its anchor's result "
                                "in 'shapes'");
    rows = rows *
           (dim == 0 ? *size : size->ceilDiv(conv->window.strides[dim - 2]));
  }
  Builder builder(context);
  NamedAttrList params;
  tiling.write(params, builder);
  AffineExpr tiles =
      rows.ceilDiv(tiling.rows) * (conv->groups * conv->phaseCount());
  AffineMap grid = AffineMap::get(0, kernel.getDims().size(), tiles);
  return graph::ConfigAttr::get(builder.getStringAttr(getName()), {grid},
                                planScratch(*conv, tiling).bytes, {}, {},
                                params.getDictionary(context));
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {
/// Fills the launch of a transposed convolution.
class TransposeLowering {
public:
  TransposeLowering(KernelLaunch &launch, const TransposeAnalysis &conv,
                    graph::ConfigAttr config)
      : launch(launch), conv(conv), rank(conv.window.rank()),
        tiling(GemmTiling::read(config.getParams())),
        b(*launch.builder, conv.region.anchor->getLoc()), index(b.index),
        input(*launch.region->getView(conv.input)),
        filter(*launch.region->getView(conv.filter)),
        store(launch, conv.region) {}

  LogicalResult run();

private:
  /// Builds tiles of the grid that belong to one group and phase.
  void buildPhase(OpFoldResult group, ArrayRef<OpFoldResult> phase,
                  OpFoldResult begin, OpFoldResult end);
  void setReduction(GemmNest &nest, OpFoldResult group,
                    ArrayRef<PhaseTaps> taps, OpFoldResult &leftBase);
  void setScratch(GemmNest &nest);
  void setConsumer(GemmNest &nest, const GemmRows &rows, OpFoldResult group,
                   ArrayRef<OpFoldResult> phase,
                   SmallVector<OpFoldResult> firsts);

  KernelLaunch &launch;
  const TransposeAnalysis &conv;
  unsigned rank;
  GemmTiling tiling;
  KernelBuilder b;
  IndexBuilder &index;
  const TensorView &input, &filter;
  AnchoredStore store;
  SmallVector<OpFoldResult> resultSizes;
};
} // namespace

/// k is (taps of each dim, channels). Taps are walked backwards, so that the
/// input is walked forwards.
void TransposeLowering::setReduction(GemmNest &nest, OpFoldResult group,
                                     ArrayRef<PhaseTaps> taps,
                                     OpFoldResult &leftBase) {
  int64_t width = tiling.width(), channels = conv.inputChannels;
  int64_t tapSize = channels * width;
  int64_t kernelSize = 1;
  for (int64_t size : conv.window.kernel)
    kernelSize *= size;
  nest.right = filter.buffer;
  nest.rightStride = index.constant(width);
  nest.tileStride = index.constant(kernelSize * tapSize);
  nest.vectorStride = index.constant(tiling.lanes);
  int64_t panels = llvm::divideCeil(conv.outputChannels, width);
  nest.rightBase = Address{filter.base, 0}.moved(
      b, index.mul(group, panels * kernelSize * tapSize));

  int64_t parts = llvm::divideCeil(channels, tiling.depthLimit);
  int64_t run = llvm::divideCeil(channels, parts);
  if (parts > 1)
    run = llvm::alignTo(run, 4);
  int64_t distance = tapSize;
  // Taps stay in registers while the block is short; where there may be none,
  // an empty run leaves the sums at zero.
  bool inside = parts == 1 && !conv.widensInput();
  for (unsigned dim = 0; dim < rank; ++dim)
    inside &= conv.tapLimit(dim) * channels <= tiling.depthLimit * 2;
  SmallVector<GemmNest::Dim> &dims = inside ? nest.inner : nest.blocks;
  OpFoldResult present = index.constant(1);
  for (unsigned dim = rank; dim-- > 0;) {
    const PhaseTaps &tap = taps[dim];
    OpFoldResult count = tap.count;
    if (!inside) {
      present = index.mul(present, index.min(count, index.constant(1)));
      count = index.max(count, index.constant(1));
    }
    OpFoldResult last = index.sub(count, index.constant(1));
    nest.rightBase = nest.rightBase.moved(
        b,
        index.mul(index.add(tap.first, index.mul(last, tap.step)), distance));
    OpFoldResult stride = input.strides[dim + 2];
    leftBase = index.sub(
        leftBase,
        index.mul(index.add(tap.offset, index.mul(last, tap.advance)), stride));
    dims.insert(dims.begin(), {count, index.mul(stride, tap.advance),
                               index.constant(-tap.step * distance)});
    distance *= conv.window.kernel[dim];
  }
  nest.run = index.constant(run);
  if (!IndexBuilder::isConstant(present, 1))
    nest.run = index.mul(present, run);
  nest.leftStride = input.strides[1];
  if (parts > 1) {
    nest.blocks.push_back({index.constant(llvm::divideCeil(channels, run)),
                           index.mul(input.strides[1], run)});
    if (channels % run != 0)
      nest.total = index.mul(present, channels);
  }
  nest.wholeRuns = run % 4 == 0 && channels % 4 == 0;
  // Blocks do not follow each other in the filter.
  nest.sweep = false;
}

void TransposeLowering::setScratch(GemmNest &nest) {
  GemmScratch scratch = planScratch(conv, tiling);
  int64_t bytes = conv.accumulator.getIntOrFloatBitWidth() / 8;
  nest.partial = launch.scratchBuffer(scratch.partial,
                                      (scratch.left - scratch.partial) / bytes,
                                      conv.accumulator);
  if (conv.widensInput())
    nest.packedLeft = launch.scratchBuffer(
        scratch.left, (scratch.right - scratch.left) / bytes, conv.accumulator);
}

void TransposeLowering::setConsumer(GemmNest &nest, const GemmRows &rows,
                                    OpFoldResult group,
                                    ArrayRef<OpFoldResult> phase,
                                    SmallVector<OpFoldResult> firsts) {
  OpFoldResult firstChannel = index.mul(group, conv.outputChannels);
  int64_t divisor = conv.groups == 1 || conv.outputChannels % tiling.lanes == 0
                        ? tiling.lanes
                        : 1;
  nest.finish = [=](const GemmTile &tile, ValueRange sums) {
    SmallVector<OpFoldResult> channels;
    SmallVector<Value> active(tile.vectors);
    for (unsigned v = 0; v < tile.vectors; ++v) {
      channels.push_back(
          index.add(firstChannel, index.add(tile.column, v * tiling.lanes)));
      if (tile.active[v])
        active[v] = index.value(tile.active[v]);
    }
    for (unsigned r = 0; r < tile.rows; ++r) {
      OpFoldResult row = index.add(tile.row, r);
      Value exists = tile.rowLimit ? b.lessThan(row, tile.rowLimit) : Value();
      b.when(exists, [&] {
        SmallVector<OpFoldResult> point = index.delinearize(row, rows.sizes);
        for (unsigned dim = 0; dim < rank; ++dim) {
          OpFoldResult at = index.mul(index.add(point[dim + 1], firsts[dim]),
                                      conv.window.strides[dim]);
          point[dim + 1] = index.sub(index.add(at, phase[dim]),
                                     index.constant(conv.window.begins[dim]));
        }
        point.insert(point.begin() + 1, OpFoldResult());
        for (unsigned v = 0; v < tile.vectors; ++v) {
          point[1] = channels[v];
          store.store(
              VectorPoint::along(point, 1, tiling.lanes, divisor, active[v]),
              sums[r * tile.vectors + v]);
        }
      });
    }
  };
}

void TransposeLowering::buildPhase(OpFoldResult group,
                                   ArrayRef<OpFoldResult> phase,
                                   OpFoldResult begin, OpFoldResult end) {
  GemmNest nest;
  GemmRows rows;
  rows.sizes = {input.sizes[0]};
  SmallVector<OpFoldResult> strides = {input.strides[0]}, firsts;
  SmallVector<PhaseTaps> taps;
  OpFoldResult base =
      index.add(input.base, index.mul(index.mul(group, conv.inputChannels),
                                      input.strides[1]));
  for (unsigned dim = 0; dim < rank; ++dim) {
    auto [first, count] =
        conv.phaseRange(index, dim, phase[dim], resultSizes[dim]);
    firsts.push_back(first);
    rows.sizes.push_back(count);
    strides.push_back(input.strides[dim + 2]);
    base = index.add(base, index.mul(first, input.strides[dim + 2]));
    taps.push_back(conv.taps(b, dim, phase[dim]));
  }
  nest.rows = rows.count(b);
  nest.columns = index.constant(conv.outputChannels);
  nest.type = VectorType::get({tiling.lanes}, conv.accumulator);
  nest.tileRows = tiling.rows;
  nest.tileVectors = tiling.vectors;
  nest.panelTiles = tiling.panelTiles;
  nest.blockTiles = tiling.blockTiles;
  setReduction(nest, group, taps, base);
  setScratch(nest);
  nest.left = input.buffer;
  Address start{base, 0};
  nest.leftRows = [&, start](OpFoldResult first, unsigned count,
                             OpFoldResult limit) {
    return rows.addresses(b, start, strides, first, count, limit);
  };
  setConsumer(nest, rows, group, phase, firsts);
  nest.build(b, begin, index.min(end, nest.gridSize(b)));
}

LogicalResult TransposeLowering::run() {
  SmallVector<OpFoldResult> phases;
  OpFoldResult rows = input.sizes[0];
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t stride = conv.window.strides[dim];
    phases.push_back(index.constant(stride));
    resultSizes.push_back(conv.resultSize(index, dim, input.sizes[dim + 2]));
    rows = index.mul(rows, index.ceilDiv(resultSizes.back(), stride));
  }
  OpFoldResult perPhase =
      index.max(index.ceilDiv(rows, tiling.rows), index.constant(1));
  int64_t phaseCount = conv.phaseCount();
  auto build = [&](OpFoldResult number, ArrayRef<OpFoldResult> phase) {
    OpFoldResult start = index.mul(number, perPhase);
    buildPhase(index.div(number, phaseCount), phase,
               b.saturatingSub(launch.begin, start),
               index.min(index.sub(launch.end, start), perPhase));
  };
  if (conv.hasUniformPhases()) {
    OpFoldResult first = index.div(launch.begin, perPhase);
    OpFoldResult last =
        index.div(index.add(launch.end, index.sub(perPhase, index.constant(1))),
                  perPhase);
    b.loop(first, last, index.constant(1), [&](Value number) {
      build(number, index.delinearize(index.rem(number, phaseCount), phases));
    });
    return store.result();
  }
  // Taps of a phase have no formula: code for each.
  b.loop(index.constant(0), index.constant(conv.groups), index.constant(1),
         [&](Value group) {
           for (int64_t phase = 0; phase < phaseCount; ++phase)
             build(index.add(index.mul(group, phaseCount), phase),
                   index.delinearize(index.constant(phase), phases));
         });
  return store.result();
}

LogicalResult
ConvolutionTransposeTemplate::lower(func::FuncOp kernel,
                                    const CpuDescription &cpu) const {
  std::string reason;
  std::optional<TransposeAnalysis> conv =
      TransposeAnalysis::analyze(kernel.getBody().front(), reason);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  if (!conv || !config)
    return kernel.emitOpError("is no configured transposed convolution: ")
           << reason;
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (failed(TransposeLowering(launch, *conv, config).run()))
    return failure();
  launch.finish();
  return success();
}
