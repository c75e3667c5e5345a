// Builds the code of convolutions by Winograd's method.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Winograd.h"
#include "atc/Codegen/Cpu/WinogradAnalysis.h"
#include "atc/Codegen/Cpu/WinogradTransform.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

namespace {
/// Fills the launch of one kernel.
class WinogradLowering {
public:
  WinogradLowering(KernelLaunch &launch, const WinogradAnalysis &winograd,
                   graph::ConfigAttr config)
      : launch(launch), winograd(winograd), block(config.getParam("block")),
        tiling(GemmTiling::read(config.getParams())),
        scratch(WinogradScratch::plan(winograd, tiling, block)),
        b(*launch.builder, winograd.region.anchor->getLoc()), index(b.index),
        type(VectorType::get({tiling.lanes}, b.builder.getF32Type())),
        input(*launch.region->getView(winograd.input)),
        filter(*launch.region->getView(winograd.filter)),
        transform(b, winograd.tile), store(launch, winograd.region) {
    frequencies = buffer(scratch.input, scratch.output);
    products = buffer(scratch.output, scratch.bytes);
    tiles.push_back(input.sizes[0]);
    for (unsigned dim = 0; dim < 2; ++dim) {
      sizes.push_back(winograd.window.count(index, dim, input.sizes[dim + 2]));
      tiles.push_back(index.ceilDiv(sizes.back(), winograd.tile));
    }
  }

  LogicalResult run();

private:
  /// A tile of the result: its image and first row and column.
  struct Place {
    OpFoldResult image, row, column;
  };

  Value buffer(int64_t begin, int64_t end) {
    return launch.scratchBuffer(begin, (end - begin) / sizeof(float),
                                b.builder.getF32Type());
  }
  Place placeOf(OpFoldResult tile);
  /// Whether a point of the result exists; null where it does.
  Value exists(const Place &point);
  /// Calls `body` for each vector of channels with the number of its valid
  /// lanes, null for all.
  void forChannels(int64_t channels,
                   function_ref<void(OpFoldResult, OpFoldResult)> body);
  /// The steps for `count` tiles from `first` on.
  void buildInput(OpFoldResult first, OpFoldResult count);
  void buildProducts(OpFoldResult count);
  void buildOutput(OpFoldResult first, OpFoldResult count);

  KernelLaunch &launch;
  const WinogradAnalysis &winograd;
  int64_t block;
  GemmTiling tiling;
  WinogradScratch scratch;
  KernelBuilder b;
  IndexBuilder &index;
  VectorType type;
  const TensorView &input, &filter;
  WinogradTransform transform;
  AnchoredStore store;
  Value frequencies, products;
  /// Height and width of the result.
  SmallVector<OpFoldResult, 2> sizes;
  /// Images, then tiles down and across each.
  SmallVector<OpFoldResult, 3> tiles;
};
} // namespace

WinogradLowering::Place WinogradLowering::placeOf(OpFoldResult tile) {
  SmallVector<OpFoldResult> point = index.delinearize(tile, tiles);
  auto start = [&](unsigned dim) {
    OpFoldResult first = index.mul(point[dim + 1], winograd.tile);
    std::optional<int64_t> size = IndexBuilder::getConstant(sizes[dim]);
    if (winograd.overhangs(dim) || *size % winograd.tile == 0)
      return first;
    return index.min(first, index.constant(*size - winograd.tile));
  };
  return {point[0], start(0), start(1)};
}

Value WinogradLowering::exists(const Place &point) {
  Value result;
  for (auto [dim, at] : llvm::enumerate(ArrayRef{point.row, point.column})) {
    if (!winograd.overhangs(dim))
      continue;
    Value inside = b.lessThan(at, sizes[dim]);
    result = result ? arith::AndIOp::create(b.builder, b.loc, result, inside)
                    : inside;
  }
  return result;
}

void WinogradLowering::forChannels(
    int64_t channels, function_ref<void(OpFoldResult, OpFoldResult)> body) {
  int64_t whole = channels / tiling.lanes * tiling.lanes;
  b.loop(index.constant(0), index.constant(whole), index.constant(tiling.lanes),
         [&](Value channel) { body(channel, {}); });
  if (whole != channels)
    body(index.constant(whole), index.constant(channels - whole));
}

void WinogradLowering::buildInput(OpFoldResult first, OpFoldResult count) {
  int64_t points = transform.points();
  b.loop(index.constant(0), count, index.constant(1), [&](Value tile) {
    Place place = placeOf(index.add(first, tile));
    // Tile number 0 starts in the halo.
    OpFoldResult corner = input.base;
    for (unsigned dim = 0; dim < 2; ++dim)
      corner = index.sub(corner, index.mul(input.strides[dim + 2],
                                           winograd.window.begins[dim]));
    Address element{corner, 0};
    element = element.moved(b, index.mul(place.image, input.strides[0]))
                  .moved(b, index.mul(place.row, input.strides[2]))
                  .moved(b, index.mul(place.column, input.strides[3]));
    Address line = Address().moved(b, index.mul(tile, scratch.inputPitch));
    forChannels(winograd.channels, [&](OpFoldResult channel,
                                       OpFoldResult active) {
      Value mask = active ? b.mask(active, tiling.lanes) : Value();
      Address from = element.moved(b, index.mul(channel, input.strides[1]));
      SmallVector<Value> square;
      for (int64_t point = 0; point < points * points; ++point)
        square.push_back(loadWidened(
            b, input.buffer,
            from.moved(b, index.mul(input.strides[2], point / points))
                .moved(b, index.mul(input.strides[3], point % points)),
            type, mask));
      SmallVector<Value> result =
          transform.apply(square, points, [&](ArrayRef<Value> x) {
            return transform.input(x);
          });
      Address to = line.moved(b, channel);
      for (size_t number = 0; number < result.size(); ++number)
        storeNarrowed(
            b, result[number], frequencies,
            to.moved(b, index.constant(number * block * scratch.inputPitch)));
    });
  });
}

void WinogradLowering::buildProducts(OpFoldResult count) {
  int64_t width = tiling.width(), channels = winograd.channels;
  int64_t panels = llvm::divideCeil(winograd.outputs, width);
  b.loop(
      index.constant(0), index.constant(winograd.frequencies()),
      index.constant(1), [&](Value frequency) {
        GemmNest nest;
        nest.rows = count;
        nest.columns = index.constant(winograd.outputs);
        nest.type = type;
        nest.tileRows = tiling.rows;
        nest.tileVectors = tiling.vectors;
        nest.panelTiles = tiling.panelTiles;
        nest.blockTiles = tiling.blockTiles;
        nest.run = index.constant(tiling.depth);
        nest.blocks = {
            {index.constant(llvm::divideCeil(channels, tiling.depth)),
             nest.run}};
        if (channels % tiling.depth != 0)
          nest.total = index.constant(channels);
        nest.wholeRuns = channels % 4 == 0 && tiling.depth % 4 == 0;
        if (scratch.partial)
          nest.partial = buffer(scratch.partial, scratch.bytes);

        nest.left = frequencies;
        nest.leftStride = index.constant(1);
        Address base = Address().moved(
            b, index.mul(frequency, block * scratch.inputPitch));
        nest.leftRows = [&, base](OpFoldResult first, unsigned count,
                                  OpFoldResult limit) {
          Address start = base.moved(b, index.mul(first, scratch.inputPitch));
          SmallVector<Address> rows;
          for (unsigned row = 0; row < count; ++row) {
            OpFoldResult step = index.constant(row);
            if (limit)
              step = index.min(step, index.sub(index.add(limit, -1), first));
            rows.push_back(start.moved(b, index.mul(step, scratch.inputPitch)));
          }
          return rows;
        };
        nest.right = filter.buffer;
        nest.rightBase = Address{filter.base, 0}.moved(
            b, index.mul(frequency, panels * channels * width));
        nest.rightStride = index.constant(width);
        nest.tileStride = index.constant(channels * width);
        nest.vectorStride = index.constant(tiling.lanes);

        Address target = Address().moved(
            b, index.mul(frequency, block * scratch.outputPitch));
        nest.finish = [&, target](const GemmTile &tile, ValueRange sums) {
          Address start =
              target.moved(b, index.mul(tile.row, scratch.outputPitch))
                  .moved(b, tile.column);
          // Lanes behind the last channel go to the line's padding.
          for (unsigned row = 0; row < tile.rows; ++row) {
            Value exists = tile.rowLimit ? b.lessThan(index.add(tile.row, row),
                                                      tile.rowLimit)
                                         : Value();
            b.when(exists, [&] {
              for (unsigned v = 0; v < tile.vectors; ++v)
                storeNarrowed(
                    b, sums[row * tile.vectors + v], products,
                    start.moved(b, index.constant(row * scratch.outputPitch +
                                                  v * tiling.lanes)));
            });
          }
        };
        nest.build(b, index.constant(0), nest.gridSize(b));
      });
}

void WinogradLowering::buildOutput(OpFoldResult first, OpFoldResult count) {
  int64_t points = transform.points(), tile = winograd.tile;
  b.loop(index.constant(0), count, index.constant(1), [&](Value number) {
    Place place = placeOf(index.add(first, number));
    Address line = Address().moved(b, index.mul(number, scratch.outputPitch));
    forChannels(winograd.outputs, [&](OpFoldResult channel,
                                      OpFoldResult active) {
      Address from = line.moved(b, channel);
      SmallVector<Value> square;
      for (int64_t point = 0; point < points * points; ++point)
        square.push_back(loadWidened(
            b, products,
            from.moved(b, index.constant(point * block * scratch.outputPitch)),
            type));
      SmallVector<Value> result =
          transform.apply(square, points, [&](ArrayRef<Value> x) {
            return transform.output(x);
          });
      Value lanes = active ? index.value(active) : Value();
      for (int64_t point = 0; point < tile * tile; ++point) {
        Place at = {place.image, index.add(place.row, point / tile),
                    index.add(place.column, point % tile)};
        b.when(exists(at), [&] {
          store.store(VectorPoint::along({at.image, channel, at.row, at.column},
                                         1, tiling.lanes, tiling.lanes, lanes),
                      result[point]);
        });
      }
    });
  });
}

LogicalResult WinogradLowering::run() {
  b.loop(launch.begin, launch.end, index.constant(1), [&](Value number) {
    OpFoldResult first = index.mul(number, block), size = index.constant(block);
    // A last block that would stick out starts earlier, or has fewer tiles.
    if (std::optional<int64_t> total = winograd.tileCount())
      first = index.min(first, index.constant(*total - block));
    else
      size = index.min(size, index.sub(index.product(tiles), first));
    buildInput(first, size);
    buildProducts(size);
    buildOutput(first, size);
  });
  return store.result();
}

LogicalResult WinogradTemplate::lower(func::FuncOp kernel,
                                      const CpuDescription &cpu) const {
  std::string reason;
  std::optional<WinogradAnalysis> winograd =
      WinogradAnalysis::analyze(kernel.getBody().front(), reason);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  if (!winograd || !config)
    return kernel.emitOpError("is no configured Winograd convolution: ")
           << reason;
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (failed(WinogradLowering(launch, *winograd, config).run()))
    return failure();
  launch.finish();
  return success();
}
