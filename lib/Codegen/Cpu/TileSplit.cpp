// How a nest of loops is divided into tiles.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/TileSplit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Elements per tile below which more tiles do not pay.
static constexpr double minimumTileWork = 8192;
static constexpr int64_t maximumTiles = 64;

TileSplit TileSplit::choose(ArrayRef<int64_t> sizes,
                            ArrayRef<int64_t> alignment, unsigned lastSplit,
                            double work) {
  TileSplit result;
  if (llvm::is_contained(sizes, 0)) {
    result.tiles = 0;
    return result;
  }
  auto wanted = static_cast<int64_t>(std::clamp(
      work / minimumTileWork, 1.0, static_cast<double>(maximumTiles)));
  int64_t prefix = 1;
  while (result.split < lastSplit && prefix * sizes[result.split] < wanted)
    prefix *= sizes[result.split++];
  int64_t size = sizes[result.split];
  int64_t parts = std::min<int64_t>(size, llvm::divideCeil(wanted, prefix));
  int64_t chunk = llvm::divideCeil(size, parts);
  int64_t unit = alignment[result.split];
  if (unit > 1) {
    chunk = llvm::alignTo(chunk, unit);
    // One tile may be shorter than a unit; the last of several may not.
    while (chunk < size && size % chunk != 0 && size % chunk < unit)
      chunk += unit;
  }
  result.chunk = chunk;
  result.tiles = prefix * llvm::divideCeil(size, chunk);
  return result;
}

TileSplit TileSplit::fromConfig(graph::ConfigAttr config) {
  TileSplit result;
  result.split = config.getParam("split", 0);
  result.chunk = config.getParam("chunk", 1);
  result.tiles = config.getTiles().front().getSingleConstantResult();
  return result;
}

void TileSplit::addParams(Builder &builder, NamedAttrList &params) const {
  params.set("split", builder.getI64IntegerAttr(split));
  params.set("chunk", builder.getI64IntegerAttr(chunk));
}

TileSplit::Place TileSplit::locate(IndexBuilder &index, ArrayRef<int64_t> sizes,
                                   OpFoldResult tile) const {
  int64_t size = sizes[split];
  auto parts = static_cast<int64_t>(llvm::divideCeil(size, chunk));
  Place place;
  place.low = index.mul(index.rem(tile, parts), chunk);
  place.high = index.add(place.low, chunk);
  if (size % chunk != 0)
    place.high = index.min(place.high, index.constant(size));
  SmallVector<OpFoldResult> outerSizes;
  for (int64_t outer : sizes.take_front(split))
    outerSizes.push_back(index.constant(outer));
  place.outer = index.delinearize(index.div(tile, parts), outerSizes);
  return place;
}

std::optional<int64_t> TileSplit::rangeSize(ArrayRef<int64_t> sizes,
                                            unsigned loop) const {
  int64_t size = sizes[loop];
  if (int64_t(loop) != split || chunk >= size)
    return size;
  if (size % chunk == 0)
    return chunk;
  return std::nullopt;
}
