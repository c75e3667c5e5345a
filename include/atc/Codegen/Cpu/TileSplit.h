// How a nest of loops is divided into tiles.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_TILESPLIT_H
#define ATC_CODEGEN_CPU_TILESPLIT_H

#include "atc/Codegen/Common/IndexBuilder.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Attributes.h"

namespace mlir::atc::cpu {

/// Tiles take all combinations of the loops outside of loop `split`, and ranges
/// of `chunk` indices of that loop. Sizes of loops may be ShapedType::kDynamic.
struct TileSplit {
  int64_t split = 0, chunk = 1;
  /// kDynamic where it depends on open dims.
  int64_t tiles = 1;

  /// Divides loops of the given sizes, outermost first, so that a large nest
  /// has 16 to 64 tiles and a small one a single tile. `work` counts elements
  /// computed in all. Loops inside of `lastSplit` stay whole. Where loop d has
  /// alignment[d] above 1, ranges of it begin at multiples of that number and
  /// hold at least as many indices.
  static TileSplit choose(ArrayRef<int64_t> sizes, ArrayRef<int64_t> alignment,
                          unsigned lastSplit, double work);

  /// The same for loops some of which are open. A tile does about as much in
  /// all shapes: a loop is only divided together with loops inside of it whose
  /// sizes are known. `inner` counts elements per index of loop `lastSplit`.
  /// Ranges of an open loop may be shorter than its alignment.
  static TileSplit chooseOpen(ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> alignment, unsigned lastSplit,
                              double inner);

  /// The number of tiles as a configuration has it: a map of `symbolCount` dims
  /// of a kernel with loops of the given sizes.
  AffineMap countMap(ArrayRef<AffineExpr> sizes, unsigned symbolCount,
                     MLIRContext *context) const;

  /// From and to a kernel's configuration.
  static TileSplit fromConfig(graph::ConfigAttr config);
  void addParams(Builder &builder, NamedAttrList &params) const;

  /// The tile's place: indices of the loops outside of `split`, and the range
  /// [low, high) of that loop.
  struct Place {
    SmallVector<OpFoldResult> outer;
    OpFoldResult low, high;
  };
  Place locate(IndexBuilder &index, ArrayRef<OpFoldResult> sizes,
               OpFoldResult tile) const;
  /// The size of a loop's range in a tile where all tiles have the same.
  std::optional<int64_t> rangeSize(ArrayRef<int64_t> sizes,
                                   unsigned loop) const;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_TILESPLIT_H
