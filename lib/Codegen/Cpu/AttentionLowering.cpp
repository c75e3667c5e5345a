// Builds the code of attention.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Attention.h"
#include "atc/Codegen/Cpu/FloatMath.h"
#include "atc/Codegen/Cpu/GemmPacking.h"
#include <limits>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

static AttentionTiling readTiling(graph::ConfigAttr config) {
  AttentionTiling tiling;
  tiling.rows = config.getParam("tile_rows");
  tiling.vectors = config.getParam("tile_vectors");
  tiling.lanes = config.getParam("lanes");
  tiling.rowTiles = config.getParam("row_tiles");
  tiling.keys = config.getParam("keys");
  tiling.copiesQuery = config.getParam("copy_query");
  tiling.copiesValue = config.getParam("copy_value");
  return tiling;
}

namespace {
/// Fills the launch of an attention kernel.
class AttentionLowering {
public:
  AttentionLowering(KernelLaunch &launch, const AttentionAnalysis &attention,
                    graph::ConfigAttr config);
  LogicalResult run();

private:
  /// A row tile of queries of one head.
  struct RowTile {
    OpFoldResult first;
    unsigned rows;
    OpFoldResult limit;
    /// Its number in the block of row tiles.
    OpFoldResult slot;
  };
  /// A block of keys.
  struct KeyBlock {
    OpFoldResult first, count;
    /// Null if there is one block.
    Value isFirst, isLast;
    bool isOnly() const { return !isFirst; }
  };

  void buildBlock(OpFoldResult firstTile, OpFoldResult lastTile);
  void packKeys(const KeyBlock &keys);
  void packValues(const KeyBlock &keys);
  void buildRowTile(const RowTile &tile, const KeyBlock &keys);
  void buildScores(const RowTile &tile, const KeyBlock &keys);
  Value addMask(const RowTile &tile, unsigned row, OpFoldResult key,
                Value active, Value score);
  /// Turns scores into weights, and updates maxima, totals and factors.
  void buildSoftmax(const RowTile &tile, const KeyBlock &keys);
  void buildValues(const RowTile &tile, const KeyBlock &keys);
  SmallVector<Value> loadSums(const RowTile &tile, const KeyBlock &keys,
                              unsigned vectors, OpFoldResult column);
  void storeResult(const RowTile &tile, unsigned vectors, OpFoldResult column,
                   ArrayRef<OpFoldResult> active, ValueRange results);
  MicroKernel queryKernel(const RowTile &tile);

  Value buffer(int64_t begin, int64_t end) {
    int64_t bytes = attention.accumulator.getIntOrFloatBitWidth() / 8;
    return launch.scratchBuffer(begin, (end - begin) / bytes,
                                attention.accumulator);
  }
  Address sumAddress(const RowTile &tile, unsigned row) {
    return Address().moved(
        b, index.mul(index.add(index.mul(tile.slot, tiling.rows), row),
                     scratch.valuePitch));
  }
  /// Place of a row's maximum and total.
  Address stateAddress(const RowTile &tile, OpFoldResult row) {
    return Address().moved(b,
                           index.add(index.mul(tile.slot, tiling.rows), row));
  }
  SmallVector<OpFoldResult> pointOf(OpFoldResult row, OpFoldResult column) {
    SmallVector<OpFoldResult> point(head);
    point.push_back(row);
    point.push_back(column);
    return point;
  }
  Value load(Value memory, const Address &at) {
    return loadWidened(b, memory, at, attention.accumulator);
  }
  Value larger(Value lhs, Value rhs) {
    // A NaN need not win: its weight makes the sums NaN.
    Value isLarger = arith::CmpFOp::create(b.builder, b.loc,
                                           arith::CmpFPredicate::OGT, lhs, rhs);
    return arith::SelectOp::create(b.builder, b.loc, isLarger, lhs, rhs);
  }

  KernelLaunch &launch;
  const AttentionAnalysis &attention;
  AttentionTiling tiling;
  KernelBuilder b;
  IndexBuilder &index;
  AnchoredStore store;
  VectorType type;
  int64_t depth, valueSize;
  AttentionScratch scratch;
  Value keyPanels, valuePanels, queryRows, scores, sums, maxima, totals,
      factors;
  OpFoldResult queryCount, keyCount;
  /// Coordinates of the leading dims.
  SmallVector<OpFoldResult> head;
  bool hasFailed = false;
};
} // namespace

AttentionLowering::AttentionLowering(KernelLaunch &launch,
                                     const AttentionAnalysis &attention,
                                     graph::ConfigAttr config)
    : launch(launch), attention(attention), tiling(readTiling(config)),
      b(*launch.builder, attention.region.anchor->getLoc()), index(b.index),
      store(launch, attention.region),
      type(VectorType::get({tiling.lanes}, attention.accumulator)),
      depth(*attention.staticSize(attention.query, attention.rank - 1)),
      valueSize(*attention.staticSize(attention.value, attention.rank - 1)),
      scratch(AttentionScratch::plan(
          tiling, depth, valueSize,
          attention.accumulator.getIntOrFloatBitWidth() / 8)) {
  keyPanels = buffer(scratch.key, scratch.value);
  valuePanels = buffer(scratch.value, scratch.query);
  queryRows = buffer(scratch.query, scratch.scores);
  scores = buffer(scratch.scores, scratch.sums);
  sums = buffer(scratch.sums, scratch.maxima);
  maxima = buffer(scratch.maxima, scratch.totals);
  totals = buffer(scratch.totals, scratch.factors);
  factors = buffer(scratch.factors, scratch.bytes);
  queryCount = launch.region->sizeOf(attention.query, attention.rank - 2);
  keyCount = launch.region->sizeOf(attention.key, attention.rank - 2);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

void AttentionLowering::packKeys(const KeyBlock &keys) {
  GemmPacking packing{launch, attention.key, type, attention.rank - 2,
                      attention.rank - 1};
  std::optional<TensorView> view = resolveView(launch, attention.key);
  int64_t width = tiling.width();
  OpFoldResult end = index.add(keys.first, keys.count);
  b.loop(index.constant(0), keys.count, index.constant(width),
         [&](Value column) {
           Address to = Address().moved(b, index.mul(column, depth));
           hasFailed |= failed(packing.copyPanel(
               b, pointOf(index.constant(0), index.constant(0)), view,
               index.add(keys.first, column), width, end, index.constant(0),
               index.constant(depth), keyPanels, to));
         });
}

void AttentionLowering::packValues(const KeyBlock &keys) {
  GemmPacking packing{launch, attention.value, type, attention.rank - 1,
                      attention.rank - 2};
  std::optional<TensorView> view = resolveView(launch, attention.value);
  int64_t width = tiling.width();
  b.loop(index.constant(0), index.constant(valueSize), index.constant(width),
         [&](Value column) {
           Address to = Address().moved(b, index.mul(column, tiling.keys));
           hasFailed |= failed(packing.copyPanel(
               b, pointOf(index.constant(0), index.constant(0)), view, column,
               width, index.constant(valueSize), keys.first, keys.count,
               valuePanels, to));
         });
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// The register tile's left side: rows of queries, copied if they must be.
MicroKernel AttentionLowering::queryKernel(const RowTile &tile) {
  MicroKernel kernel;
  kernel.type = type;
  kernel.vectors = tiling.vectors;
  if (tiling.copiesQuery) {
    GemmPacking packing{launch, attention.query, type, attention.rank - 2,
                        attention.rank - 1};
    b.loop(index.constant(0), index.constant(tile.rows), index.constant(1),
           [&](Value row) {
             OpFoldResult number = index.add(tile.first, row);
             if (tile.limit)
               number =
                   index.min(number, index.sub(tile.limit, index.constant(1)));
             Address to = Address().moved(b, index.mul(row, depth));
             hasFailed |= failed(packing.copyLine(
                 b, pointOf(number, index.constant(0)), index.constant(0),
                 index.constant(depth), queryRows, to));
           });
    kernel.left = queryRows;
    kernel.leftStride = index.constant(1);
    for (unsigned row = 0; row < tile.rows; ++row)
      kernel.rows.push_back(Address().moved(b, index.constant(row * depth)));
    return kernel;
  }
  TensorView view = *resolveView(launch, attention.query);
  kernel.left = view.buffer;
  kernel.leftStride = view.strides[attention.rank - 1];
  OpFoldResult stride = view.strides[attention.rank - 2];
  Address first{view.offset(index, pointOf(tile.first, index.constant(0))), 0};
  for (unsigned row = 0; row < tile.rows; ++row) {
    OpFoldResult distance = index.constant(row);
    if (tile.limit)
      distance = index.min(
          distance,
          index.sub(index.sub(tile.limit, index.constant(1)), tile.first));
    kernel.rows.push_back(first.moved(b, index.mul(distance, stride)));
  }
  return kernel;
}

/// scores[row][key] = q k^T * scale + mask; keys behind the last get -inf.
void AttentionLowering::buildScores(const RowTile &tile, const KeyBlock &keys) {
  MicroKernel kernel = queryKernel(tile);
  kernel.right = keyPanels;
  kernel.rightStride = index.constant(tiling.width());
  kernel.vectorStride = index.constant(tiling.lanes);
  Value scale = b.splat(type, attention.scale);
  Value least = b.splat(type, -std::numeric_limits<double>::infinity());
  int64_t width = tiling.width();
  auto buildPanel = [&](OpFoldResult column, OpFoldResult columns) {
    kernel.panel = Address().moved(b, index.mul(column, depth));
    SmallVector<Value> results = kernel.build(
        b, index.constant(depth),
        SmallVector<Value>(tile.rows * tiling.vectors, b.splat(type, 0)),
        depth % 4 == 0);
    for (unsigned v = 0; v < tiling.vectors; ++v) {
      OpFoldResult key = index.add(column, v * tiling.lanes);
      Value active;
      if (columns) {
        OpFoldResult rest =
            b.saturatingSub(columns, index.constant(v * tiling.lanes));
        active = index.value(index.min(rest, index.constant(tiling.lanes)));
      }
      for (unsigned row = 0; row < tile.rows; ++row) {
        Value score = arith::MulFOp::create(
            b.builder, b.loc, results[row * tiling.vectors + v], scale);
        if (attention.mask)
          score = addMask(tile, row, index.add(keys.first, key), active, score);
        if (active)
          score = arith::SelectOp::create(
              b.builder, b.loc, b.mask(active, tiling.lanes), score, least);
        storeNarrowed(b, score, scores,
                      Address().moved(b, index.add(key, row * tiling.keys)));
      }
    }
  };
  OpFoldResult rest = index.rem(keys.count, width);
  OpFoldResult whole = index.sub(keys.count, rest);
  b.loop(index.constant(0), whole, index.constant(width),
         [&](Value column) { buildPanel(column, {}); });
  if (IndexBuilder::isConstant(rest, 0))
    return;
  Value partial = IndexBuilder::getConstant(rest)
                      ? Value()
                      : b.lessThan(index.constant(0), rest);
  b.when(partial, [&] { buildPanel(whole, rest); });
}

/// The mask's elements for `lanes` keys of one row, added to their scores.
Value AttentionLowering::addMask(const RowTile &tile, unsigned row,
                                 OpFoldResult key, Value active, Value score) {
  auto mask = cast<RankedTensorType>(attention.mask.getType());
  OpFoldResult number = index.add(tile.first, row);
  if (tile.limit)
    number = index.min(number, index.sub(tile.limit, index.constant(1)));
  SmallVector<OpFoldResult> scorePoint = pointOf(number, key);
  int64_t rank = mask.getRank();
  SmallVector<OpFoldResult> point(rank, index.constant(0));
  for (int64_t dim = 0; dim < rank; ++dim) {
    OpFoldResult at = scorePoint[scorePoint.size() - rank + dim];
    if (!mask.isDynamicDim(dim)) {
      point[dim] = mask.getDimSize(dim) == 1 ? index.constant(0) : at;
      continue;
    }
    // A size of 1 that only shows at run time repeats.
    OpFoldResult last = index.sub(launch.region->sizeOf(attention.mask, dim),
                                  index.constant(1));
    point[dim] = dim + 1 == rank ? at : index.min(at, last);
  }
  auto loadAs = [&](bool repeats) -> Value {
    SmallVector<OpFoldResult> from = point;
    if (repeats && rank > 0)
      from.back() = index.constant(0);
    FailureOr<Value> value = launch.region->value(
        attention.mask,
        repeats ? VectorPoint::scalar(from)
                : VectorPoint::along(from, rank - 1, tiling.lanes, 1, active));
    if (failed(value)) {
      hasFailed = true;
      return score;
    }
    if (!repeats)
      return *value;
    return vector::BroadcastOp::create(b.builder, b.loc, type, *value);
  };
  Value addend;
  if (rank == 0 || mask.getDimSize(rank - 1) == 1) {
    addend = loadAs(true);
  } else if (!mask.isDynamicDim(rank - 1)) {
    addend = loadAs(false);
  } else {
    Value repeats = b.equal(launch.region->sizeOf(attention.mask, rank - 1),
                            index.constant(1));
    auto choice = scf::IfOp::create(b.builder, b.loc, TypeRange(type), repeats,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b.builder, b.loc, loadAs(true));
    b.builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b.builder, b.loc, loadAs(false));
    addend = choice.getResult(0);
  }
  return arith::AddFOp::create(b.builder, b.loc, score, addend);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

void AttentionLowering::buildSoftmax(const RowTile &tile,
                                     const KeyBlock &keys) {
  Type scalar = attention.accumulator;
  double infinity = std::numeric_limits<double>::infinity();
  int64_t width = tiling.width();
  unsigned vectors = tiling.vectors;
  OpFoldResult columns = index.mul(index.ceilDiv(keys.count, width), width);
  OpFoldResult zero = index.constant(0), step = index.constant(width);
  b.loop(zero, index.constant(tile.rows), index.constant(1), [&](Value row) {
    Address line = Address().moved(b, index.mul(row, tiling.keys));
    auto at = [&](Value column, unsigned v) {
      return line.moved(b, column).moved(b, index.constant(v * tiling.lanes));
    };
    SmallVector<Value> largest(vectors, b.splat(type, -infinity));
    largest = b.loop(
        zero, columns, step, largest, [&](Value column, ValueRange current) {
          SmallVector<Value> next;
          for (unsigned v = 0; v < vectors; ++v)
            next.push_back(larger(loadWidened(b, scores, at(column, v), type),
                                  current[v]));
          return next;
        });
    Value maximum = largest[0];
    for (Value other : ArrayRef(largest).drop_front())
      maximum = larger(maximum, other);
    maximum = vector::ReductionOp::create(
        b.builder, b.loc, vector::CombiningKind::MAXNUMF, maximum);
    Address state = stateAddress(tile, row);
    Value former;
    if (!keys.isOnly()) {
      former = arith::SelectOp::create(b.builder, b.loc, keys.isFirst,
                                       b.splat(scalar, -infinity),
                                       load(maxima, state));
      maximum = larger(maximum, former);
      storeNarrowed(b, maximum, maxima, state);
    }
    // Without a finite score so far there is nothing to subtract from.
    Value lowest = b.splat(scalar, -std::numeric_limits<float>::max());
    Value shift = larger(maximum, lowest);
    Value shifts = vector::BroadcastOp::create(b.builder, b.loc, type, shift);
    SmallVector<Value> weights(vectors, b.splat(type, 0));
    weights = b.loop(
        zero, columns, step, weights, [&](Value column, ValueRange current) {
          SmallVector<Value> next;
          for (unsigned v = 0; v < vectors; ++v) {
            Value score = loadWidened(b, scores, at(column, v), type);
            Value weight =
                FloatMath(b.builder, b.loc, type)
                    .exp(arith::SubFOp::create(b.builder, b.loc, score, shifts),
                         /*flush=*/true);
            storeNarrowed(b, weight, scores, at(column, v));
            next.push_back(
                arith::AddFOp::create(b.builder, b.loc, current[v], weight));
          }
          return next;
        });
    Value total = weights[0];
    for (Value other : ArrayRef(weights).drop_front())
      total = arith::AddFOp::create(b.builder, b.loc, total, other);
    total = vector::ReductionOp::create(b.builder, b.loc,
                                        vector::CombiningKind::ADD, total,
                                        arith::FastMathFlags::reassoc);
    if (!keys.isOnly()) {
      Value difference = arith::SubFOp::create(b.builder, b.loc,
                                               larger(former, lowest), shift);
      Value factor = FloatMath(b.builder, b.loc, scalar).exp(difference, true);
      Value before =
          arith::SelectOp::create(b.builder, b.loc, keys.isFirst,
                                  b.splat(scalar, 0), load(totals, state));
      total = multiplyAdd(b, before, factor, total);
      storeNarrowed(b, factor, factors, Address().moved(b, row));
    }
    storeNarrowed(b, total, totals, state);
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// What former blocks of keys gave, shrunk to the new maximum.
SmallVector<Value> AttentionLowering::loadSums(const RowTile &tile,
                                               const KeyBlock &keys,
                                               unsigned vectors,
                                               OpFoldResult column) {
  SmallVector<Value> zeros(tile.rows * vectors, b.splat(type, 0));
  if (keys.isOnly())
    return zeros;
  SmallVector<Type> types(zeros.size(), type);
  auto choice = scf::IfOp::create(b.builder, b.loc, types, keys.isFirst,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b.builder);
  b.builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b.builder, b.loc, zeros);
  b.builder.setInsertionPointToStart(choice.elseBlock());
  SmallVector<Value> loaded;
  for (unsigned row = 0; row < tile.rows; ++row) {
    Value factor = load(factors, Address().moved(b, index.constant(row)));
    Value broadcast =
        vector::BroadcastOp::create(b.builder, b.loc, type, factor);
    Address at = sumAddress(tile, row).moved(b, column);
    for (unsigned v = 0; v < vectors; ++v) {
      Value sum = loadWidened(
          b, sums, at.moved(b, index.constant(v * tiling.lanes)), type);
      loaded.push_back(arith::MulFOp::create(b.builder, b.loc, sum, broadcast));
    }
  }
  scf::YieldOp::create(b.builder, b.loc, loaded);
  return choice.getResults();
}

void AttentionLowering::storeResult(const RowTile &tile, unsigned vectors,
                                    OpFoldResult column,
                                    ArrayRef<OpFoldResult> active,
                                    ValueRange results) {
  for (unsigned row = 0; row < tile.rows; ++row) {
    OpFoldResult number = index.add(tile.first, row);
    Value exists = tile.limit ? b.lessThan(number, tile.limit) : Value();
    b.when(exists, [&] {
      Value total = load(totals, stateAddress(tile, index.constant(row)));
      Value inverse = arith::DivFOp::create(
          b.builder, b.loc, b.splat(attention.accumulator, 1), total);
      Value broadcast =
          vector::BroadcastOp::create(b.builder, b.loc, type, inverse);
      for (unsigned v = 0; v < vectors; ++v) {
        Value result = arith::MulFOp::create(
            b.builder, b.loc, results[row * vectors + v], broadcast);
        store.store(VectorPoint::along(
                        pointOf(number, index.add(column, v * tiling.lanes)),
                        attention.rank - 1, tiling.lanes, tiling.lanes,
                        active[v] ? index.value(active[v]) : Value()),
                    result);
      }
    });
  }
}

void AttentionLowering::buildValues(const RowTile &tile, const KeyBlock &keys) {
  MicroKernel kernel;
  kernel.type = type;
  kernel.left = scores;
  kernel.leftStride = index.constant(1);
  for (unsigned row = 0; row < tile.rows; ++row)
    kernel.rows.push_back(
        Address().moved(b, index.constant(row * tiling.keys)));
  kernel.vectorStride = index.constant(tiling.lanes);
  std::optional<TensorView> view;
  if (!tiling.copiesValue)
    view = resolveView(launch, attention.value);

  auto buildPanel = [&](OpFoldResult column, int64_t columns) {
    kernel.vectors = llvm::divideCeil(columns, tiling.lanes);
    SmallVector<OpFoldResult> active(kernel.vectors);
    if (columns % tiling.lanes)
      active.back() = index.constant(columns % tiling.lanes);
    if (view) {
      kernel.right = view->buffer;
      kernel.rightStride = view->strides[attention.rank - 2];
      kernel.panel = {view->offset(index, pointOf(keys.first, column)), 0};
      kernel.masks.assign(kernel.vectors, Value());
      if (active.back())
        kernel.masks.back() = b.mask(active.back(), tiling.lanes);
    } else {
      kernel.right = valuePanels;
      kernel.rightStride = index.constant(tiling.width());
      kernel.panel = Address().moved(b, index.mul(column, tiling.keys));
    }
    SmallVector<Value> results = kernel.build(
        b, keys.count, loadSums(tile, keys, kernel.vectors, column));
    if (keys.isOnly())
      return storeResult(tile, kernel.vectors, column, active, results);
    auto choice = scf::IfOp::create(b.builder, b.loc, keys.isLast,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(choice.thenBlock());
    storeResult(tile, kernel.vectors, column, active, results);
    b.builder.setInsertionPointToStart(choice.elseBlock());
    for (auto [number, result] : llvm::enumerate(results))
      storeNarrowed(b, result, sums,
                    sumAddress(tile, number / kernel.vectors)
                        .moved(b, column)
                        .moved(b, index.constant(number % kernel.vectors *
                                                 tiling.lanes)));
  };
  int64_t width = tiling.width(), whole = valueSize / width * width;
  b.loop(index.constant(0), index.constant(whole), index.constant(width),
         [&](Value column) { buildPanel(column, width); });
  if (whole != valueSize)
    buildPanel(index.constant(whole), valueSize - whole);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void AttentionLowering::buildRowTile(const RowTile &tile,
                                     const KeyBlock &keys) {
  buildScores(tile, keys);
  buildSoftmax(tile, keys);
  buildValues(tile, keys);
}

void AttentionLowering::buildBlock(OpFoldResult firstTile,
                                   OpFoldResult lastTile) {
  SmallVector<RowGroup> groups = coverRows(b, queryCount, tiling.rows);
  auto buildKeys = [&](const KeyBlock &keys) {
    packKeys(keys);
    if (tiling.copiesValue)
      packValues(keys);
    for (const RowGroup &group : groups) {
      OpFoldResult first = index.max(firstTile, group.firstTile);
      OpFoldResult last =
          index.min(lastTile, index.add(group.firstTile, group.tiles));
      b.loop(first, last, index.constant(1), [&](Value number) {
        OpFoldResult inGroup = index.sub(number, group.firstTile);
        buildRowTile(
            {index.add(group.firstRow, index.mul(inGroup, group.height)),
             group.height, group.guarded ? queryCount : OpFoldResult(),
             index.sub(number, firstTile)},
            keys);
      });
    }
  };
  std::optional<int64_t> known = IndexBuilder::getConstant(keyCount);
  if (known && *known <= tiling.keys)
    return buildKeys({index.constant(0), keyCount, {}, {}});
  b.loop(index.constant(0), keyCount, index.constant(tiling.keys),
         [&](Value first) {
           OpFoldResult rest = index.sub(keyCount, first);
           OpFoldResult count = index.min(rest, index.constant(tiling.keys));
           Value isFirst = b.equal(first, index.constant(0));
           Value isLast = b.equal(count, rest);
           buildKeys({first, count, isFirst, isLast});
         });
}

LogicalResult AttentionLowering::run() {
  SmallVector<OpFoldResult> heads;
  for (unsigned dim = 0; dim + 2 < attention.rank; ++dim)
    heads.push_back(launch.region->sizeOf(attention.query, dim));
  OpFoldResult tiles = countTiles(b, coverRows(b, queryCount, tiling.rows));
  OpFoldResult perHead =
      index.max(index.ceilDiv(tiles, tiling.rowTiles), index.constant(1));
  b.loop(launch.begin, launch.end, index.constant(1), [&](Value number) {
    head = index.delinearize(index.div(number, perHead), heads);
    OpFoldResult first = index.mul(index.rem(number, perHead), tiling.rowTiles);
    buildBlock(first, index.min(index.add(first, tiling.rowTiles), tiles));
  });
  return success(!hasFailed && succeeded(store.result()));
}

LogicalResult AttentionTemplate::lower(func::FuncOp kernel,
                                       const CpuDescription &cpu) const {
  std::string reason;
  std::optional<AttentionAnalysis> attention =
      AttentionAnalysis::analyze(kernel.getBody().front(), reason);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  if (!attention || !config)
    return kernel.emitOpError("is no configured attention: ") << reason;
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (failed(AttentionLowering(launch, *attention, config).run()))
    return failure();
  launch.finish();
  return success();
}
