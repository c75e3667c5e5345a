// Builds the loops around the register tiles of matrix products.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/GemmNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The number of (height - 1)-row tiles with which tiles of both heights cover
/// `rows` exactly, if there is one.
static std::optional<int64_t> shorterTiles(int64_t rows, int64_t height) {
  for (int64_t shorter = 0; shorter < height; ++shorter) {
    int64_t rest = rows - shorter * (height - 1);
    if (rest >= 0 && rest % height == 0)
      return shorter;
  }
  return std::nullopt;
}

SmallVector<RowGroup> mlir::atc::cpu::coverRows(KernelBuilder &b,
                                                OpFoldResult rows,
                                                unsigned height) {
  IndexBuilder &index = b.index;
  SmallVector<RowGroup> groups;
  auto append = [&](unsigned rowsPerTile, OpFoldResult tiles, bool guarded) {
    if (rowsPerTile == 0 || IndexBuilder::isConstant(tiles, 0))
      return;
    RowGroup group{rowsPerTile, index.constant(0), index.constant(0), tiles,
                   guarded};
    if (!groups.empty()) {
      const RowGroup &last = groups.back();
      group.firstTile = index.add(last.firstTile, last.tiles);
      group.firstRow =
          index.add(last.firstRow, index.mul(last.tiles, last.height));
    }
    groups.push_back(group);
  };

  std::optional<int64_t> number = IndexBuilder::getConstant(rows);
  if (!number) {
    OpFoldResult whole = index.div(rows, height);
    append(height, whole, false);
    append(height, index.sub(index.ceilDiv(rows, height), whole), true);
    return groups;
  }
  if (std::optional<int64_t> shorter = shorterTiles(*number, height)) {
    append(height, index.constant((*number - *shorter * (height - 1)) / height),
           false);
    append(height - 1, index.constant(*shorter), false);
    return groups;
  }
  append(height, index.constant(*number / height), false);
  append(*number % height, index.constant(1), false);
  return groups;
}

OpFoldResult mlir::atc::cpu::countTiles(KernelBuilder &b,
                                        ArrayRef<RowGroup> groups) {
  OpFoldResult count = b.index.constant(0);
  for (const RowGroup &group : groups)
    count = b.index.add(count, group.tiles);
  return count;
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

static constexpr int64_t cacheLineBytes = 64;

namespace {
/// Column tiles of one width.
struct ColumnGroup {
  unsigned vectors = 0;
  OpFoldResult firstTile;
  OpFoldResult tiles;
  /// Columns of the (only) tile; null if all lanes hold columns.
  OpFoldResult columns;
};

/// A range of tiles.
struct TileRange {
  OpFoldResult begin, end;
};

/// Walks the block of `right` that is needed next while the present one is in
/// use: each register tile prefetches its share, in time with its own k.
class Sweep {
public:
  Sweep(KernelBuilder &b, const GemmNest &nest, OpFoldResult blockSize,
        OpFoldResult rowTiles, bool singleBlock)
      : b(b), nest(nest) {
    if (!nest.sweep)
      return;
    IndexBuilder &index = b.index;
    // Per step of k, in 1/65536 elements: the loops need no division.
    scale = index.div(index.mul(nest.rightStride, 1 << 16), rowTiles);
    share = inElements(blockSize);
    ahead = singleBlock ? index.mul(nest.tileStride, nest.panelTiles)
                        : index.mul(blockSize, nest.rightStride);
  }

  void start(const Address &panel, OpFoldResult position) {
    next = panel.moved(b, ahead).moved(b, b.index.mul(position, share));
  }

  void prefetch(Value k) {
    memref::PrefetchOp::create(b.builder, b.loc, nest.right,
                               next.moved(b, inElements(k)).value(b),
                               /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }

private:
  OpFoldResult inElements(OpFoldResult steps) {
    return b.index.div(b.index.mul(steps, scale), 1 << 16);
  }

  KernelBuilder &b;
  const GemmNest &nest;
  OpFoldResult scale, share, ahead;
  Address next;
};

/// Builds one nest; the state is what the enclosing loops have fixed.
class NestBuilder {
public:
  NestBuilder(KernelBuilder &b, const GemmNest &nest)
      : b(b), index(b.index), nest(nest), lanes(nest.type.getNumElements()),
        groups(coverRows(b, nest.rows, nest.tileRows)) {
    blockCount = index.constant(1);
    for (const GemmNest::Dim &dim : nest.blocks)
      blockCount = index.mul(blockCount, dim.size);
    blockSize = nest.blockSize(b);
    setRightStrides();
  }

  void build(TileRange grid);

private:
  SmallVector<ColumnGroup> coverColumns();
  bool isSingleBlock() const { return IndexBuilder::isConstant(blockCount, 1); }

  void buildPanels(const ColumnGroup &columns, TileRange tiles,
                   TileRange rowTiles);
  void buildBlocks(const ColumnGroup &columns, TileRange tiles,
                   TileRange rowTiles);
  void buildRowTile(const ColumnGroup &columns, TileRange tiles,
                    const RowGroup &group, Value rowTile, OpFoldResult block,
                    OpFoldResult firstRowTile, OpFoldResult rowTiles);
  void buildTile(const GemmTile &tile, const MicroKernel &kernel,
                 OpFoldResult block, const Address &partial);
  SmallVector<Value> loadPartial(const GemmTile &tile, OpFoldResult block,
                                 const Address &partial);
  /// How far the inner dims of k have moved the operands.
  struct Offset {
    OpFoldResult left, right, steps;
  };
  SmallVector<Value> buildSums(const MicroKernel &kernel, unsigned depth,
                               Offset offset, OpFoldResult block,
                               ValueRange sums);

  /// The distance in `left` of a block of k from the first.
  OpFoldResult leftDistance(OpFoldResult block);
  /// The steps of a block's runs.
  OpFoldResult runOf(OpFoldResult block);
  /// The distance in `right` of a block of k from the first.
  OpFoldResult rightDistance(OpFoldResult block);
  void setRightStrides();
  Address panelAddress(OpFoldResult columnTile, OpFoldResult firstTile,
                       OpFoldResult block);
  /// Lanes with results per vector of the group's tiles.
  SmallVector<OpFoldResult> activeLanes(const ColumnGroup &columns);
  /// Sets where the kernel finds the rows of a tile, packed or in place.
  void placeRows(MicroKernel &kernel, const GemmTile &tile, OpFoldResult block);
  void prefetchRows(ArrayRef<Address> rows, OpFoldResult part);
  void copyRows(const GemmTile &tile, OpFoldResult distance,
                OpFoldResult block);

  KernelBuilder &b;
  IndexBuilder &index;
  const GemmNest &nest;
  int64_t lanes;
  SmallVector<RowGroup> groups;
  OpFoldResult blockCount, blockSize;
  /// Distances in `right` along the dims of k.
  SmallVector<OpFoldResult> blockStrides, innerStrides;
};
} // namespace

SmallVector<ColumnGroup> NestBuilder::coverColumns() {
  SmallVector<ColumnGroup> groups;
  int64_t width = nest.tileVectors * lanes;
  OpFoldResult whole = index.div(nest.columns, width);
  groups.push_back({nest.tileVectors, index.constant(0), whole, {}});
  OpFoldResult rest = index.rem(nest.columns, width);
  if (IndexBuilder::isConstant(rest, 0))
    return groups;
  unsigned vectors = nest.tileVectors;
  OpFoldResult tiles = index.constant(1);
  if (std::optional<int64_t> number = IndexBuilder::getConstant(rest))
    vectors = llvm::divideCeil(*number, lanes);
  else
    tiles = index.sub(index.ceilDiv(nest.columns, width), whole);
  groups.push_back({vectors, whole, tiles, rest});
  return groups;
}

/// The part of `tiles` that lies in the group's tiles [first, first + count).
static TileRange clamp(KernelBuilder &b, TileRange tiles, OpFoldResult first,
                       OpFoldResult count) {
  return {b.index.max(tiles.begin, first),
          b.index.min(tiles.end, b.index.add(first, count))};
}

void NestBuilder::build(TileRange grid) {
  TileRange rowTiles = {index.constant(0), countTiles(b, groups)};
  if (nest.partition == GemmNest::Partition::Rows)
    rowTiles = grid;
  for (const ColumnGroup &columns : coverColumns()) {
    TileRange tiles = {columns.firstTile,
                       index.add(columns.firstTile, columns.tiles)};
    if (nest.partition == GemmNest::Partition::Columns)
      tiles = clamp(b, grid, columns.firstTile, columns.tiles);
    b.loop(tiles.begin, tiles.end, index.constant(nest.panelTiles),
           [&](Value first) {
             OpFoldResult last =
                 index.min(index.add(first, nest.panelTiles), tiles.end);
             if (IndexBuilder::isConstant(columns.tiles, 1))
               last = tiles.end;
             buildPanels(columns, {first, last}, rowTiles);
           });
  }
}

void NestBuilder::buildPanels(const ColumnGroup &columns, TileRange tiles,
                              TileRange rowTiles) {
  // Without partial sums to keep, one block takes all rows.
  if (isSingleBlock())
    return buildBlocks(columns, tiles, rowTiles);
  b.loop(rowTiles.begin, rowTiles.end, index.constant(nest.blockTiles),
         [&](Value first) {
           OpFoldResult last =
               index.min(index.add(first, nest.blockTiles), rowTiles.end);
           buildBlocks(columns, tiles, {first, last});
         });
}

void NestBuilder::buildBlocks(const ColumnGroup &columns, TileRange tiles,
                              TileRange rowTiles) {
  OpFoldResult count = index.sub(rowTiles.end, rowTiles.begin);
  b.loop(index.constant(0), blockCount, index.constant(1), [&](Value block) {
    if (nest.packRight)
      nest.packRight(tiles.begin, tiles.end, block);
    for (const RowGroup &group : groups) {
      TileRange part = clamp(b, rowTiles, group.firstTile, group.tiles);
      b.loop(part.begin, part.end, index.constant(1), [&](Value rowTile) {
        buildRowTile(columns, tiles, group, rowTile, block, rowTiles.begin,
                     count);
      });
    }
  });
}

OpFoldResult NestBuilder::leftDistance(OpFoldResult block) {
  SmallVector<OpFoldResult> sizes, strides;
  for (const GemmNest::Dim &dim : nest.blocks) {
    sizes.push_back(dim.size);
    strides.push_back(dim.leftStride);
  }
  return index.dot(index.delinearize(block, sizes), strides);
}

OpFoldResult NestBuilder::runOf(OpFoldResult block) {
  if (!nest.total || isSingleBlock())
    return nest.run;
  OpFoldResult part = index.rem(block, nest.blocks.back().size);
  return index.min(nest.run, index.sub(nest.total, index.mul(part, nest.run)));
}

void NestBuilder::setRightStrides() {
  auto place = [&](ArrayRef<GemmNest::Dim> dims, OpFoldResult steps,
                   SmallVector<OpFoldResult> &strides) {
    strides.resize(dims.size());
    for (size_t dim = dims.size(); dim-- > 0;) {
      strides[dim] = dims[dim].rightStride ? dims[dim].rightStride
                                           : index.mul(steps, nest.rightStride);
      // Runs of a divided line do not fill it evenly.
      bool divided = nest.total && &dims[dim] == &nest.blocks.back();
      steps = divided ? nest.total : index.mul(steps, dims[dim].size);
    }
  };
  place(nest.inner, nest.run, innerStrides);
  place(nest.blocks, blockSize, blockStrides);
}

OpFoldResult NestBuilder::rightDistance(OpFoldResult block) {
  SmallVector<OpFoldResult> sizes;
  for (const GemmNest::Dim &dim : nest.blocks)
    sizes.push_back(dim.size);
  return index.dot(index.delinearize(block, sizes), blockStrides);
}

Address NestBuilder::panelAddress(OpFoldResult columnTile,
                                  OpFoldResult firstTile, OpFoldResult block) {
  if (nest.packRight) {
    OpFoldResult panel = index.mul(blockSize, nest.tileVectors * lanes);
    return nest.packedRightBase.moved(
        b, index.mul(index.sub(columnTile, firstTile), panel));
  }
  return nest.rightBase.moved(b, index.mul(columnTile, nest.tileStride))
      .moved(b, rightDistance(block));
}

SmallVector<OpFoldResult> NestBuilder::activeLanes(const ColumnGroup &columns) {
  SmallVector<OpFoldResult> active(columns.vectors);
  if (!columns.columns)
    return active;
  for (unsigned v = 0; v < columns.vectors; ++v) {
    OpFoldResult rest =
        b.saturatingSub(columns.columns, index.constant(v * lanes));
    if (std::optional<int64_t> number = IndexBuilder::getConstant(rest);
        !number || *number < lanes)
      active[v] = index.min(rest, index.constant(lanes));
  }
  return active;
}

void NestBuilder::placeRows(MicroKernel &kernel, const GemmTile &tile,
                            OpFoldResult block) {
  OpFoldResult distance = leftDistance(block);
  if (nest.packedLeft) {
    if (nest.packLeft)
      nest.packLeft(tile.row, tile.rows, tile.rowLimit, block);
    else
      copyRows(tile, distance, block);
    kernel.left = nest.packedLeft;
    kernel.leftStride = index.constant(1);
    for (unsigned row = 0; row < tile.rows; ++row)
      kernel.rows.push_back(
          nest.packedLeftBase.moved(b, index.mul(blockSize, row)));
    return;
  }
  kernel.left = nest.left;
  kernel.leftStride = nest.leftStride;
  kernel.rows =
      moveAll(b, nest.leftRows(tile.row, tile.rows, tile.rowLimit), distance);
}

void NestBuilder::prefetchRows(ArrayRef<Address> rows, OpFoldResult part) {
  // Each column tile of a block brings its share of the lines.
  int64_t line = cacheLineBytes / (nest.type.getElementTypeBitWidth() / 8);
  int64_t parts = nest.panelTiles;
  if (std::optional<int64_t> columns = IndexBuilder::getConstant(nest.columns))
    parts = std::min<int64_t>(
        parts, llvm::divideCeil(*columns, nest.tileVectors * lanes));
  int64_t steps = *IndexBuilder::getConstant(blockSize);
  int64_t share = llvm::divideCeil(steps, line * parts);
  for (const Address &row : rows) {
    Address start = row.moved(b, index.mul(part, share * line));
    for (int64_t number = 0; number < share; ++number)
      memref::PrefetchOp::create(
          b.builder, b.loc, nest.left,
          start.moved(b, index.constant(number * line)).value(b),
          /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void NestBuilder::copyRows(const GemmTile &tile, OpFoldResult distance,
                           OpFoldResult block) {
  SmallVector<OpFoldResult> sizes, strides;
  for (const GemmNest::Dim &dim : nest.inner) {
    sizes.push_back(dim.size);
    strides.push_back(dim.leftStride);
  }
  OpFoldResult steps = runOf(block);
  SmallVector<Address> rows =
      moveAll(b, nest.leftRows(tile.row, tile.rows, tile.rowLimit), distance);
  for (unsigned number = 0; number < rows.size(); ++number) {
    const Address &row = rows[number];
    Address line = nest.packedLeftBase.moved(b, index.mul(blockSize, number));
    b.loop(index.constant(0), index.product(sizes), index.constant(1),
           [&](Value part) {
             OpFoldResult offset =
                 index.dot(index.delinearize(part, sizes), strides);
             copyWidened(b, nest.type, nest.left, row.moved(b, offset),
                         nest.leftStride, nest.packedLeft,
                         line.moved(b, index.mul(part, nest.run)), steps);
           });
  }
}

void NestBuilder::buildRowTile(const ColumnGroup &columns, TileRange tiles,
                               const RowGroup &group, Value rowTile,
                               OpFoldResult block, OpFoldResult firstRowTile,
                               OpFoldResult rowTiles) {
  GemmTile tile;
  tile.rows = group.height;
  tile.row =
      index.add(group.firstRow,
                index.mul(index.sub(rowTile, group.firstTile), group.height));
  if (group.guarded)
    tile.rowLimit = nest.rows;
  tile.vectors = columns.vectors;
  tile.active = activeLanes(columns);

  MicroKernel kernel;
  kernel.right = nest.packRight ? nest.packedRight : nest.right;
  kernel.rightStride = nest.rightStride;
  kernel.vectorStride = nest.vectorStride;
  if (!nest.rightPadded)
    for (OpFoldResult active : tile.active)
      kernel.masks.push_back(active ? b.mask(active, lanes) : Value());
  kernel.type = nest.type;
  kernel.vectors = columns.vectors;
  placeRows(kernel, tile, block);

  int64_t width = nest.tileVectors * lanes;
  OpFoldResult position = index.sub(rowTile, firstRowTile);
  OpFoldResult slots =
      index.mul(position, nest.tileRows * width * nest.panelTiles);
  Sweep sweep(b, nest, blockSize, rowTiles, isSingleBlock());
  SmallVector<Address> nextRows;
  if (nest.prefetchLeft)
    nextRows = moveAll(
        b,
        nest.leftRows(index.add(tile.row, tile.rows), tile.rows, tile.rowLimit),
        leftDistance(block));

  b.loop(tiles.begin, tiles.end, index.constant(1), [&](Value columnTile) {
    tile.column = index.mul(columnTile, width);
    kernel.panel = panelAddress(columnTile, tiles.begin, block);
    if (nest.sweep)
      sweep.start(kernel.panel, position);
    auto prefetch = [&](Value k) { sweep.prefetch(k); };
    if (nest.sweep)
      kernel.prefetch = prefetch;
    if (nest.prefetchLeft)
      prefetchRows(nextRows, index.sub(columnTile, tiles.begin));
    OpFoldResult slot =
        index.mul(index.sub(columnTile, tiles.begin), nest.tileRows * width);
    buildTile(tile, kernel, block,
              nest.partialBase.moved(b, index.add(slots, slot)));
  });
}

void NestBuilder::buildTile(const GemmTile &tile, const MicroKernel &kernel,
                            OpFoldResult block, const Address &partial) {
  Value isLast;
  if (!isSingleBlock())
    isLast = b.equal(block, index.sub(blockCount, index.constant(1)));
  if (nest.announce)
    b.when(isLast, [&] { nest.announce(tile); });
  SmallVector<Value> sums = loadPartial(tile, block, partial);
  OpFoldResult zero = index.constant(0);
  sums = buildSums(kernel, 0, {zero, zero, zero}, block, sums);
  if (isSingleBlock())
    return nest.finish(tile, sums);

  auto ifOp = scf::IfOp::create(b.builder, b.loc, isLast,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b.builder);
  b.builder.setInsertionPointToStart(ifOp.thenBlock());
  nest.finish(tile, sums);
  b.builder.setInsertionPointToStart(ifOp.elseBlock());
  for (const auto &[number, sum] : llvm::enumerate(sums))
    storeNarrowed(b, sum, nest.partial,
                  partial.moved(b, index.constant(number * lanes)));
}

SmallVector<Value> NestBuilder::loadPartial(const GemmTile &tile,
                                            OpFoldResult block,
                                            const Address &partial) {
  unsigned count = tile.rows * tile.vectors;
  SmallVector<Value> zeros(count, b.splat(nest.type, 0));
  if (isSingleBlock())
    return zeros;
  SmallVector<Type> types(count, nest.type);
  auto ifOp = scf::IfOp::create(b.builder, b.loc, types,
                                b.equal(block, index.constant(0)),
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b.builder);
  b.builder.setInsertionPointToStart(ifOp.thenBlock());
  scf::YieldOp::create(b.builder, b.loc, zeros);
  b.builder.setInsertionPointToStart(ifOp.elseBlock());
  SmallVector<Value> loaded;
  for (unsigned number = 0; number < count; ++number)
    loaded.push_back(loadWidened(
        b, nest.partial, partial.moved(b, index.constant(number * lanes)),
        nest.type));
  scf::YieldOp::create(b.builder, b.loc, loaded);
  return ifOp.getResults();
}

SmallVector<Value> NestBuilder::buildSums(const MicroKernel &kernel,
                                          unsigned depth, Offset offset,
                                          OpFoldResult block, ValueRange sums) {
  // Packed rows are contiguous over all steps of a block.
  if (nest.packedLeft && depth == 0)
    return kernel.build(b, nest.total ? runOf(block) : blockSize, sums,
                        nest.wholeRuns);
  if (depth == nest.inner.size()) {
    MicroKernel moved = kernel;
    moved.rows = moveAll(b, moved.rows, offset.left);
    moved.panel = moved.panel.moved(b, offset.right);
    auto prefetch = [&](Value k) {
      kernel.prefetch(index.value(index.add(k, offset.steps)));
    };
    if (kernel.prefetch)
      moved.prefetch = prefetch;
    return moved.build(b, runOf(block), sums, nest.wholeRuns);
  }
  const GemmNest::Dim &dim = nest.inner[depth];
  OpFoldResult steps = nest.run;
  for (const GemmNest::Dim &faster : ArrayRef(nest.inner).drop_front(depth + 1))
    steps = index.mul(steps, faster.size);
  return b.loop(
      index.constant(0), dim.size, index.constant(1), sums,
      [&](Value i, ValueRange current) {
        Offset next = {
            index.add(offset.left, index.mul(i, dim.leftStride)),
            index.add(offset.right, index.mul(i, innerStrides[depth])),
            index.add(offset.steps, index.mul(i, steps))};
        return buildSums(kernel, depth + 1, next, block, current);
      });
}

//===----------------------------------------------------------------------===//
// GemmNest
//===----------------------------------------------------------------------===//

OpFoldResult GemmNest::gridSize(KernelBuilder &b) const {
  if (partition == Partition::Rows)
    return countTiles(b, coverRows(b, rows, tileRows));
  return b.index.ceilDiv(columns, tileVectors * type.getNumElements());
}

OpFoldResult GemmNest::blockSize(KernelBuilder &b) const {
  OpFoldResult steps = run;
  for (const Dim &dim : inner)
    steps = b.index.mul(steps, dim.size);
  return steps;
}

int64_t GemmNest::partialElements() const {
  return blockTiles * panelTiles * tileRows * tileVectors *
         type.getNumElements();
}

void GemmNest::build(KernelBuilder &b, OpFoldResult begin,
                     OpFoldResult end) const {
  NestBuilder(b, *this).build({begin, end});
}
