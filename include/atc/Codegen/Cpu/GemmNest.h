// The loop nest shared by matrix products and convolutions.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_GEMMNEST_H
#define ATC_CODEGEN_CPU_GEMMNEST_H

#include "atc/Codegen/Cpu/MicroKernel.h"
#include <functional>

namespace mlir::atc::cpu {

/// Consecutive register tiles of one height that cover a part of the rows.
struct RowGroup {
  unsigned height = 0;
  OpFoldResult firstRow;
  OpFoldResult firstTile;
  OpFoldResult tiles;
  /// The last rows of the tile may lie behind the last row of the matrix; they
  /// are computed from its last row and not stored.
  bool guarded = false;
};

/// Covers `rows` rows with tiles of `height` rows. Where the number is static
/// and large enough, tiles of height and height - 1 rows leave nothing over;
/// where it is dynamic, a guarded tile takes the rest.
SmallVector<RowGroup> coverRows(KernelBuilder &b, OpFoldResult rows,
                                unsigned height);

/// The number of tiles of all groups.
OpFoldResult countTiles(KernelBuilder &b, ArrayRef<RowGroup> groups);

/// One register tile of the result, for the code that consumes it.
struct GemmTile {
  OpFoldResult row;
  unsigned rows = 0;
  /// Null, or the number of rows of the matrix: rows from there on are void.
  OpFoldResult rowLimit;
  OpFoldResult column;
  unsigned vectors = 0;
  /// One per vector: the number of lanes that hold results, at most all; null
  /// where all do.
  SmallVector<OpFoldResult> active;
};

/// A matrix product result[row, column] = sum over k of left * right, as loops
/// around register tiles:
///
///   for panels of columns that stay in the second-level cache
///     for blocks of row tiles
///       for blocks of k: `run` steps of each of the inner dims
///         for row tile, for column tile: the register tile
///
/// Partial sums between blocks of k lie in scratch, so that the result is
/// written once and may have any type, layout or alias. The order of additions
/// within one result element depends on the blocks of k alone.
struct GemmNest {
  /// One dim of k: its size and the distance of its elements in `left`, and in
  /// `right` where they do not simply follow each other in the order of k.
  struct Dim {
    OpFoldResult size;
    OpFoldResult leftStride;
    OpFoldResult rightStride = {};
  };
  enum class Partition { Rows, Columns };

  OpFoldResult rows;
  OpFoldResult columns;

  Value left;
  /// Addresses at k = 0 of `count` rows from `first` on; with `limit`, rows
  /// behind it take the address of the last one.
  std::function<SmallVector<Address>(OpFoldResult first, unsigned count,
                                     OpFoldResult limit)>
      leftRows;
  /// Scratch to which rows of one block of k are copied before use, at
  /// packedLeftBase + row * blockSize(), one element after the other; null if
  /// they are read in place. Needed where `left` has another element type than
  /// the sums or is computed.
  Value packedLeft;
  Address packedLeftBase;
  /// Copies rows [first, first + count) of a block; absent where a widening
  /// copy from `left` does.
  std::function<void(OpFoldResult first, unsigned count, OpFoldResult limit,
                     OpFoldResult block)>
      packLeft;

  /// k = (blocks..., inner..., run), slowest first. The product of `blocks` is
  /// the number of blocks; `inner` and `run` stay within one.
  SmallVector<Dim> blocks;
  SmallVector<Dim> inner;
  OpFoldResult run;
  OpFoldResult leftStride;
  /// Null, or the number of steps that the innermost block dim divides into
  /// runs, the last one shorter. Not together with inner dims.
  OpFoldResult total;
  /// Every run is a multiple of the unrolled steps, even if not static.
  bool wholeRuns = false;

  Value right;
  /// Address of (k, column tile) = base + k * rightStride + tile * tileStride.
  Address rightBase;
  OpFoldResult rightStride;
  OpFoldResult tileStride;
  OpFoldResult vectorStride;
  /// Optional: writes the panels of column tiles [first, last) for one block of
  /// k to `packedRight`, each as (steps of a block) lines of a tile's width;
  /// they are read from there instead.
  std::function<void(OpFoldResult first, OpFoldResult last, OpFoldResult block)>
      packRight;
  Value packedRight;
  Address packedRightBase;
  /// Zeros follow the last column up to a whole vector; otherwise loads of the
  /// last vector are masked.
  bool rightPadded = true;

  VectorType type;
  unsigned tileRows = 6;
  unsigned tileVectors = 2;
  /// Column tiles whose block of `right` stays in the second-level cache.
  int64_t panelTiles = 4;
  /// Row tiles whose partial sums are kept at once.
  int64_t blockTiles = 32;
  /// Brings the next block of `right` closer while this one is used.
  bool sweep = true;
  /// Brings the next rows of `left` closer too: pays where few columns use each
  /// row. Only for rows read in place that are contiguous within a block.
  bool prefetchLeft = false;

  /// Memory for partial sums, scratchElements() long; null with one block.
  Value partial;
  Address partialBase;

  Partition partition = Partition::Rows;

  /// Consumes the finished sums of one tile, row by row.
  std::function<void(const GemmTile &, ValueRange)> finish;
  /// Optional: called before the last sums of a tile are computed.
  std::function<void(const GemmTile &)> announce;

  /// The size of the grid: row tiles or column tiles.
  OpFoldResult gridSize(KernelBuilder &b) const;
  /// Elements of `partial` that the nest uses.
  int64_t partialElements() const;
  /// Steps of one block of k.
  OpFoldResult blockSize(KernelBuilder &b) const;
  /// Builds the loops over the grid's tiles [begin, end).
  void build(KernelBuilder &b, OpFoldResult begin, OpFoldResult end) const;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_GEMMNEST_H
