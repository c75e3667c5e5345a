// Builds the code of convolutions.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Convolution.h"
#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"
#include "atc/Codegen/Cpu/GemmAnalysis.h"
#include "atc/Codegen/Cpu/GemmRows.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

namespace {
/// Fills the launch of a convolution.
class ConvolutionLowering {
public:
  ConvolutionLowering(KernelLaunch &launch, const ConvolutionAnalysis &conv,
                      graph::ConfigAttr config)
      : launch(launch), conv(conv),
        tiling(GemmTiling::read(config.getParams())),
        b(*launch.builder, conv.region.anchor->getLoc()), index(b.index),
        input(*launch.region->getView(conv.input)),
        filter(*launch.region->getView(conv.filter)),
        store(launch, conv.region) {}

  LogicalResult run();

private:
  void setShape();
  void setReduction();
  void setScratch();
  void setLeft(OpFoldResult group);
  void setRight(OpFoldResult group);
  void setConsumers(OpFoldResult group);

  /// The distance in the input of neighbours in a window dim.
  OpFoldResult windowStride(unsigned dim) {
    return index.mul(input.strides[dim + 2], conv.window.dilations[dim]);
  }

  KernelLaunch &launch;
  const ConvolutionAnalysis &conv;
  GemmTiling tiling;
  KernelBuilder b;
  IndexBuilder &index;
  const TensorView &input, &filter;
  AnchoredStore store;
  /// Image, then spatial dims of the result.
  GemmRows rows;
  ConvolutionSteps steps;
  GemmNest nest;
};
} // namespace

void ConvolutionLowering::setShape() {
  rows.sizes.push_back(input.sizes[0]);
  for (unsigned dim = 0; dim < conv.window.rank(); ++dim)
    rows.sizes.push_back(conv.window.count(index, dim, input.sizes[dim + 2]));
  nest.rows = rows.count(b);
  nest.columns = index.constant(conv.outputChannels);
  nest.type = VectorType::get({tiling.lanes}, conv.accumulator);
  nest.tileRows = tiling.rows;
  nest.tileVectors = tiling.vectors;
  nest.panelTiles = tiling.panelTiles;
  nest.blockTiles = tiling.blockTiles;
  nest.partition = tiling.partition;
}

void ConvolutionLowering::setReduction() {
  // Neighbours along the last window dim follow each other where the input has
  // no other channels and no holes between them.
  OpFoldResult channelStride = input.strides[1];
  OpFoldResult last = windowStride(conv.window.rank() - 1);
  std::optional<int64_t> apart = IndexBuilder::getConstant(last);
  std::optional<int64_t> unit = IndexBuilder::getConstant(channelStride);
  bool merge = apart && unit && *apart == *unit * conv.inputChannels;
  steps = ConvolutionSteps::plan(conv.window, conv.inputChannels, merge,
                                 tiling.depthLimit);

  auto addDims = [&](SmallVector<GemmNest::Dim> &to,
                     ArrayRef<ConvolutionSteps::Dim> from) {
    for (const ConvolutionSteps::Dim &dim : from)
      to.push_back({index.constant(dim.size),
                    index.mul(windowStride(dim.windowDim), dim.stride)});
  };
  addDims(nest.blocks, steps.blocks);
  addDims(nest.inner, steps.inner);
  nest.run = index.constant(steps.run);
  nest.leftStride = channelStride;
  if (steps.parts > 1) {
    nest.blocks.push_back(
        {index.constant(steps.parts), index.mul(channelStride, steps.run)});
    if (steps.parts * steps.run != steps.line)
      nest.total = index.constant(steps.line);
  }
  nest.wholeRuns = steps.run % 4 == 0 && steps.line % 4 == 0;
  nest.prefetchLeft = conv.outputChannels <= 128 && unit == 1 &&
                      steps.inner.empty() && steps.run >= 64 &&
                      !conv.widensInput();
}

void ConvolutionLowering::setScratch() {
  GemmTiling sized = tiling;
  sized.depth = steps.blockSize();
  bool hasPartial = steps.blockCount() > 1;
  GemmScratch scratch =
      GemmScratch::plan(sized, conv.accumulator, hasPartial, conv.widensInput(),
                        /*copiesRight=*/false);
  int64_t bytes = conv.accumulator.getIntOrFloatBitWidth() / 8;
  if (hasPartial)
    nest.partial = launch.scratchBuffer(
        scratch.partial, (scratch.left - scratch.partial) / bytes,
        conv.accumulator);
  if (conv.widensInput())
    nest.packedLeft = launch.scratchBuffer(
        scratch.left, (scratch.right - scratch.left) / bytes, conv.accumulator);
}

void ConvolutionLowering::setLeft(OpFoldResult group) {
  // Window number 0 starts in the halo.
  OpFoldResult base = input.base;
  SmallVector<OpFoldResult> strides = {input.strides[0]};
  for (unsigned dim = 0; dim < conv.window.rank(); ++dim) {
    OpFoldResult stride = input.strides[dim + 2];
    base = index.sub(base, index.mul(stride, conv.window.begins[dim]));
    strides.push_back(index.mul(stride, conv.window.strides[dim]));
  }
  Address start{base, 0};
  start = start.moved(
      b, index.mul(index.mul(group, conv.inputChannels), input.strides[1]));
  nest.left = input.buffer;
  nest.leftRows = [this, start, strides](OpFoldResult first, unsigned count,
                                         OpFoldResult limit) {
    return rows.addresses(b, start, strides, first, count, limit);
  };
}

void ConvolutionLowering::setRight(OpFoldResult group) {
  int64_t width = tiling.width(), depth = conv.depth();
  int64_t panels = llvm::divideCeil(conv.outputChannels, width);
  nest.right = filter.buffer;
  nest.vectorStride = index.constant(tiling.lanes);
  if (conv.hasGroupedFilter(width)) {
    // [group][k][panel][width]
    nest.rightStride = index.constant(panels * width);
    nest.tileStride = index.constant(width);
    nest.sweep = false;
  } else {
    // [panel][k][width]
    nest.rightStride = index.constant(width);
    nest.tileStride = index.constant(depth * width);
  }
  nest.rightBase = Address{filter.base, 0}.moved(
      b, index.mul(group, panels * depth * width));
}

void ConvolutionLowering::setConsumers(OpFoldResult group) {
  auto pointOf = [this](OpFoldResult row) {
    SmallVector<OpFoldResult> point = index.delinearize(row, rows.sizes);
    point.insert(point.begin() + 1, OpFoldResult());
    return point;
  };
  OpFoldResult firstChannel = index.mul(group, conv.outputChannels);
  // Vectors of a whole panel start at a multiple of their lanes.
  int64_t divisor = conv.outputChannels % tiling.lanes == 0 || conv.groups == 1
                        ? tiling.lanes
                        : 1;
  nest.announce = [=](const GemmTile &tile) {
    for (unsigned r = 0; r < tile.rows && !tile.rowLimit; ++r) {
      SmallVector<OpFoldResult> point = pointOf(index.add(tile.row, r));
      point[1] = index.add(firstChannel, tile.column);
      store.prefetch(point);
    }
  };
  nest.finish = [=](const GemmTile &tile, ValueRange sums) {
    // The same values for all rows, so that what depends on channels alone is
    // computed once.
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
        SmallVector<OpFoldResult> point = pointOf(row);
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

LogicalResult ConvolutionLowering::run() {
  setShape();
  setReduction();
  setScratch();
  // The grid counts the tiles of one group after the other.
  OpFoldResult perGroup = index.max(nest.gridSize(b), index.constant(1));
  OpFoldResult first = index.constant(0), last = index.constant(1);
  if (conv.groups > 1) {
    first = index.div(launch.begin, perGroup);
    last =
        index.div(index.add(launch.end, index.sub(perGroup, index.constant(1))),
                  perGroup);
  }
  b.loop(first, last, index.constant(1), [&](Value group) {
    OpFoldResult number = conv.groups > 1 ? group : index.constant(0);
    setLeft(number);
    setRight(number);
    setConsumers(number);
    if (conv.groups == 1)
      return nest.build(b, launch.begin, launch.end);
    OpFoldResult start = index.mul(number, perGroup);
    nest.build(b, b.saturatingSub(launch.begin, start),
               index.min(index.sub(launch.end, start), perGroup));
  });
  return store.result();
}

LogicalResult ConvolutionTemplate::lower(func::FuncOp kernel,
                                         const CpuDescription &cpu) const {
  std::string reason;
  std::optional<ConvolutionAnalysis> conv =
      ConvolutionAnalysis::analyze(kernel.getBody().front(), reason);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  if (!conv || !config)
    return kernel.emitOpError("is no configured convolution: ") << reason;
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (failed(ConvolutionLowering(launch, *conv, config).run()))
    return failure();
  launch.finish();
  return success();
}
