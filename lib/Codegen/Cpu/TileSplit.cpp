// How a nest of loops is divided into tiles.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/TileSplit.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Elements per tile below which more tiles do not pay.
static constexpr double minimumTileWork = 8192;
static constexpr int64_t maximumTiles = 64;

/// The chunk of at least `chunk` indices whose ranges begin at multiples of
/// `unit`.
static int64_t alignChunk(int64_t size, int64_t chunk, int64_t unit) {
  if (unit <= 1)
    return chunk;
  chunk = llvm::alignTo(chunk, unit);
  // One tile may be shorter than a unit; the last of several may not.
  while (chunk < size && size % chunk != 0 && size % chunk < unit)
    chunk += unit;
  return chunk;
}

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
  result.chunk =
      alignChunk(size, llvm::divideCeil(size, parts), alignment[result.split]);
  result.tiles = prefix * llvm::divideCeil(size, result.chunk);
  return result;
}

TileSplit TileSplit::chooseOpen(ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> alignment, unsigned lastSplit,
                                double inner) {
  TileSplit result;
  result.tiles = ShapedType::kDynamic;
  result.split = lastSplit;
  while (result.split > 0 && !ShapedType::isDynamic(sizes[result.split]) &&
         inner * static_cast<double>(sizes[result.split]) < minimumTileWork)
    inner *= static_cast<double>(sizes[result.split--]);
  auto chunk =
      static_cast<int64_t>(std::ceil(minimumTileWork / std::max(inner, 1.0)));
  int64_t size = sizes[result.split], unit = alignment[result.split];
  result.chunk =
      ShapedType::isDynamic(size)
          ? static_cast<int64_t>(llvm::alignTo(chunk, unit))
          : alignChunk(
                size, std::clamp<int64_t>(chunk, 1, std::max<int64_t>(size, 1)),
                unit);
  return result;
}

AffineMap TileSplit::countMap(ArrayRef<AffineExpr> sizes, unsigned symbolCount,
                              MLIRContext *context) const {
  AffineExpr count = getAffineConstantExpr(tiles, context);
  if (ShapedType::isDynamic(tiles)) {
    count = sizes[split].ceilDiv(chunk);
    for (AffineExpr outer : sizes.take_front(split))
      count = outer * count;
  }
  return AffineMap::get(0, symbolCount, count);
}

TileSplit TileSplit::fromConfig(graph::ConfigAttr config) {
  TileSplit result;
  result.split = config.getParam("split", 0);
  result.chunk = config.getParam("chunk", 1);
  AffineMap tiles = config.getTiles().front();
  result.tiles = tiles.isSingleConstant() ? tiles.getSingleConstantResult()
                                          : ShapedType::kDynamic;
  return result;
}

void TileSplit::addParams(Builder &builder, NamedAttrList &params) const {
  params.set("split", builder.getI64IntegerAttr(split));
  params.set("chunk", builder.getI64IntegerAttr(chunk));
}

TileSplit::Place TileSplit::locate(IndexBuilder &index,
                                   ArrayRef<OpFoldResult> sizes,
                                   OpFoldResult tile) const {
  OpFoldResult size = sizes[split], parts = index.ceilDiv(size, chunk);
  std::optional<int64_t> known = IndexBuilder::getConstant(size);
  Place place;
  place.low = index.mul(index.rem(tile, parts), chunk);
  place.high = index.add(place.low, chunk);
  if (!known || *known % chunk != 0)
    place.high = index.min(place.high, size);
  place.outer =
      index.delinearize(index.div(tile, parts), sizes.take_front(split));
  return place;
}

std::optional<int64_t> TileSplit::rangeSize(ArrayRef<int64_t> sizes,
                                            unsigned loop) const {
  int64_t size = sizes[loop];
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  if (int64_t(loop) != split || chunk >= size)
    return size;
  if (size % chunk == 0)
    return chunk;
  return std::nullopt;
}
