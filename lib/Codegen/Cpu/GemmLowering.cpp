// Builds the code of matrix products.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Gemm.h"
#include "atc/Codegen/Cpu/GemmAnalysis.h"
#include "atc/Codegen/Cpu/GemmPacking.h"
#include "atc/Codegen/Cpu/GemmRows.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

namespace {
/// Fills one launch.
class GemmLowering {
public:
  GemmLowering(KernelLaunch &launch, const GemmAnalysis &gemm,
               graph::ConfigAttr config)
      : launch(launch), gemm(gemm),
        tiling(GemmTiling::read(config.getParams())),
        copiesLeft(config.getParam("copy_left")),
        copiesRight(config.getParam("copy_right")),
        b(*launch.builder, gemm.region.anchor->getLoc()), index(b.index),
        store(launch, gemm.region) {}

  LogicalResult run();

private:
  void setShape();
  void setReduction();
  void setScratch();
  void setLeft(ArrayRef<OpFoldResult> batch);
  LogicalResult setRight(ArrayRef<OpFoldResult> batch);
  void setConsumers(ArrayRef<OpFoldResult> batch);

  /// Coordinates of an operand that broadcast from those of the result; the
  /// last two are left at 0.
  SmallVector<OpFoldResult> operandPoint(Value operand,
                                         ArrayRef<OpFoldResult> batch);
  /// The stride of an operand's batch dim, 0 where it broadcasts.
  OpFoldResult batchStride(const TensorView &view, unsigned dim);
  /// The coordinates of a result row: batch dims and the row itself.
  SmallVector<OpFoldResult> resultPoint(ArrayRef<OpFoldResult> batch,
                                        ArrayRef<OpFoldResult> row);

  KernelLaunch &launch;
  const GemmAnalysis &gemm;
  GemmTiling tiling;
  bool copiesLeft, copiesRight;
  KernelBuilder b;
  IndexBuilder &index;
  AnchoredStore store;
  /// Sizes of the result: batch dims, rows, columns.
  SmallVector<OpFoldResult> sizes;
  GemmRows rows;
  GemmNest nest;
  bool hasFailed = false;
};
} // namespace

void GemmLowering::setShape() {
  RegionEmitter &region = *launch.region;
  unsigned rank = cast<RankedTensorType>(gemm.result.getType()).getRank();
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    sizes.push_back(region.sizeOf(gemm.result, dim));
  sizes.push_back(region.sizeOf(gemm.left, gemm.leftRow));
  sizes.push_back(region.sizeOf(gemm.right, gemm.rightColumn));
  rows.sizes.assign(sizes.begin(), sizes.end() - 1);
  if (gemm.batched)
    rows.sizes = {sizes[rank - 2]};
  nest.rows = rows.count(b);
  nest.columns = sizes[rank - 1];
  nest.type = VectorType::get({tiling.lanes}, gemm.accumulator);
  nest.tileRows = tiling.rows;
  nest.tileVectors = tiling.vectors;
  nest.panelTiles = tiling.panelTiles;
  nest.blockTiles = tiling.blockTiles;
  nest.partition = tiling.partition;
}

void GemmLowering::setReduction() {
  OpFoldResult depth = launch.region->sizeOf(gemm.left, gemm.leftDepth);
  std::optional<int64_t> number = IndexBuilder::getConstant(depth);
  nest.run = index.constant(tiling.depth);
  if (number && *number < tiling.depth)
    nest.run = depth;
  // An empty sum still has a result: at least one block.
  OpFoldResult blocks =
      index.max(index.ceilDiv(depth, tiling.depth), index.constant(1));
  nest.blocks = {{blocks, nest.run}};
  if (!number || *number % tiling.depth != 0)
    nest.total = depth;
  nest.wholeRuns = number && *number % 4 == 0 && tiling.depth % 4 == 0;
}

void GemmLowering::setScratch() {
  bool hasPartial = !IndexBuilder::isConstant(nest.blocks[0].size, 1);
  GemmScratch scratch = GemmScratch::plan(tiling, gemm.accumulator, hasPartial,
                                          copiesLeft, copiesRight);
  auto place = [&](int64_t offset, int64_t end) -> Value {
    int64_t bytes = gemm.accumulator.getIntOrFloatBitWidth() / 8;
    return launch.scratchBuffer(offset, (end - offset) / bytes,
                                gemm.accumulator);
  };
  if (hasPartial)
    nest.partial = place(scratch.partial, scratch.left);
  if (copiesLeft)
    nest.packedLeft = place(scratch.left, scratch.right);
  if (copiesRight)
    nest.packedRight = place(scratch.right, scratch.bytes);
}

OpFoldResult GemmLowering::batchStride(const TensorView &view, unsigned dim) {
  if (!view.type.isDynamicDim(dim))
    return view.type.getDimSize(dim) == 1 ? index.constant(0)
                                          : view.strides[dim];
  // A size of 1 broadcasts; whether it is 1 shows at run time.
  Value single = b.equal(view.sizes[dim], index.constant(1));
  return arith::SelectOp::create(b.builder, b.loc, single, index.value(0),
                                 index.value(view.strides[dim]))
      .getResult();
}

SmallVector<OpFoldResult>
GemmLowering::operandPoint(Value operand, ArrayRef<OpFoldResult> batch) {
  auto type = cast<RankedTensorType>(operand.getType());
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> point(rank, index.constant(0));
  unsigned lead = batch.size() - (rank - 2);
  for (unsigned dim = 0; dim < rank - 2; ++dim) {
    if (type.isDynamicDim(dim)) {
      OpFoldResult last =
          index.sub(launch.region->sizeOf(operand, dim), index.constant(1));
      point[dim] = index.min(batch[lead + dim], last);
    } else if (type.getDimSize(dim) != 1) {
      point[dim] = batch[lead + dim];
    }
  }
  return point;
}

void GemmLowering::setLeft(ArrayRef<OpFoldResult> batch) {
  std::optional<TensorView> view = resolveView(launch, gemm.left);
  if (!view) {
    auto pack = [this, batch = SmallVector<OpFoldResult>(batch)](
                    OpFoldResult first, unsigned count, OpFoldResult limit,
                    OpFoldResult block) {
      GemmPacking packing{launch, gemm.left, nest.type, gemm.leftRow,
                          gemm.leftDepth};
      OpFoldResult begin = index.mul(block, tiling.depth);
      OpFoldResult steps = index.constant(tiling.depth);
      if (nest.total)
        steps = index.min(steps, index.sub(nest.total, begin));
      b.loop(index.constant(0), index.constant(count), index.constant(1),
             [&](Value offset) {
               OpFoldResult row = index.add(first, offset);
               if (limit)
                 row = index.min(row, index.sub(limit, index.constant(1)));
               SmallVector<OpFoldResult> point =
                   resultPoint(batch, index.delinearize(row, rows.sizes));
               OpFoldResult number = point.pop_back_val();
               SmallVector<OpFoldResult> source =
                   operandPoint(gemm.left, point);
               source[gemm.leftRow] = number;
               Address to = nest.packedLeftBase.moved(
                   b, index.mul(offset, tiling.depth));
               if (failed(packing.copyLine(b, source, begin, steps,
                                           nest.packedLeft, to)))
                 hasFailed = true;
             });
    };
    nest.packLeft = pack;
    return;
  }
  nest.left = view->buffer;
  nest.leftStride = view->strides[gemm.leftDepth];
  nest.prefetchLeft = !copiesLeft && gemm.shape.columns &&
                      *gemm.shape.columns <= 128 && tiling.depth >= 64 &&
                      gemm.shape.rows != 1 &&
                      IndexBuilder::isConstant(nest.leftStride, 1);
  nest.blocks[0].leftStride = index.mul(nest.leftStride, tiling.depth);
  // Distances of consecutive points in the dims that make up the rows.
  SmallVector<OpFoldResult> strides(rows.sizes.size(), index.constant(0));
  strides.back() = view->strides[gemm.leftRow];
  Address base{view->base, 0};
  unsigned outer = sizes.size() - 2, lead = outer - (view->getRank() - 2);
  for (unsigned dim = lead; dim < outer; ++dim) {
    OpFoldResult stride = batchStride(*view, dim - lead);
    if (gemm.batched)
      base = base.moved(b, index.mul(batch[dim], stride));
    else
      strides[dim] = stride;
  }
  nest.leftRows = [this, base, strides](OpFoldResult first, unsigned count,
                                        OpFoldResult limit) {
    return rows.addresses(b, base, strides, first, count, limit);
  };
}

LogicalResult GemmLowering::setRight(ArrayRef<OpFoldResult> batch) {
  std::optional<TensorView> view;
  if (gemm.isRightPacked())
    view = *launch.region->getView(gemm.right);
  else
    view = resolveView(launch, gemm.right);
  OpFoldResult depth = launch.region->sizeOf(gemm.left, gemm.leftDepth);
  int64_t width = tiling.width();
  nest.vectorStride = index.constant(tiling.lanes);

  if (copiesRight) {
    nest.rightStride = index.constant(width);
    nest.sweep = false;
    nest.packRight = [=](OpFoldResult first, OpFoldResult last,
                         OpFoldResult block) {
      GemmPacking packing{launch, gemm.right, nest.type, gemm.rightColumn,
                          gemm.rightDepth};
      OpFoldResult begin = index.mul(block, tiling.depth);
      OpFoldResult steps = index.constant(tiling.depth);
      if (nest.total)
        steps = index.min(steps, index.sub(nest.total, begin));
      SmallVector<OpFoldResult> point = operandPoint(gemm.right, batch);
      b.loop(first, last, index.constant(1), [&](Value tile) {
        Address to = nest.packedRightBase.moved(
            b, index.mul(index.sub(tile, first), tiling.depth * width));
        if (failed(packing.copyPanel(b, point, view, index.mul(tile, width),
                                     width, nest.columns, begin, steps,
                                     nest.packedRight, to)))
          hasFailed = true;
      });
    };
    return success();
  }
  if (!view)
    return gemm.region.anchor->emitOpError(
        "has a right operand without strides, against its configuration");
  nest.right = view->buffer;
  nest.rightBase = {view->base, 0};
  if (gemm.isRightPacked()) {
    // [batch..., N / width, K, width].
    nest.rightStride = index.constant(width);
    nest.tileStride = index.mul(depth, width);
    OpFoldResult panels =
        index.mul(nest.tileStride, index.ceilDiv(nest.columns, width));
    if (gemm.batched) {
      SmallVector<OpFoldResult> point = operandPoint(gemm.right, batch);
      OpFoldResult product = index.linearize(
          ArrayRef(point).drop_back(2), ArrayRef(view->sizes).drop_back(2));
      nest.rightBase = nest.rightBase.moved(b, index.mul(product, panels));
    }
    return success();
  }
  nest.rightStride = view->strides[gemm.rightDepth];
  nest.tileStride = index.mul(view->strides[gemm.rightColumn], width);
  nest.rightPadded = false;
  nest.sweep = false;
  for (auto [dim, position] :
       llvm::enumerate(ArrayRef(operandPoint(gemm.right, batch)).drop_back(2)))
    nest.rightBase =
        nest.rightBase.moved(b, index.mul(position, view->strides[dim]));
  return success();
}

SmallVector<OpFoldResult>
GemmLowering::resultPoint(ArrayRef<OpFoldResult> batch,
                          ArrayRef<OpFoldResult> row) {
  SmallVector<OpFoldResult> point;
  if (gemm.batched)
    llvm::append_range(point, batch);
  llvm::append_range(point, row);
  return point;
}

void GemmLowering::setConsumers(ArrayRef<OpFoldResult> batch) {
  nest.finish = [this, batch = SmallVector<OpFoldResult>(batch)](
                    const GemmTile &tile, ValueRange sums) {
    // The same values for all rows, so that what depends on columns alone is
    // computed once.
    SmallVector<OpFoldResult> columns;
    SmallVector<Value> active(tile.vectors);
    for (unsigned v = 0; v < tile.vectors; ++v) {
      columns.push_back(index.add(tile.column, v * tiling.lanes));
      if (tile.active[v])
        active[v] = index.value(tile.active[v]);
    }
    for (unsigned r = 0; r < tile.rows; ++r) {
      OpFoldResult row = index.add(tile.row, r);
      Value exists = tile.rowLimit ? b.lessThan(row, tile.rowLimit) : Value();
      b.when(exists, [&] {
        SmallVector<OpFoldResult> point =
            resultPoint(batch, index.delinearize(row, rows.sizes));
        point.push_back({});
        for (unsigned v = 0; v < tile.vectors; ++v) {
          point.back() = columns[v];
          store.store(VectorPoint::along(point, point.size() - 1, tiling.lanes,
                                         tiling.lanes, active[v]),
                      sums[r * tile.vectors + v]);
        }
      });
    }
  };
  nest.announce =
      [this, batch = SmallVector<OpFoldResult>(batch)](const GemmTile &tile) {
        for (unsigned r = 0; r < tile.rows && !tile.rowLimit; ++r) {
          SmallVector<OpFoldResult> point = resultPoint(
              batch, index.delinearize(index.add(tile.row, r), rows.sizes));
          point.push_back(tile.column);
          store.prefetch(point);
        }
      };
}

LogicalResult GemmLowering::run() {
  setShape();
  setReduction();
  setScratch();
  SmallVector<OpFoldResult> batch;
  if (!gemm.batched) {
    batch.assign(sizes.size() - 2, index.constant(0));
    setLeft(batch);
    if (failed(setRight(batch)))
      return failure();
    setConsumers(batch);
    nest.build(b, launch.begin, launch.end);
    return success(!hasFailed && succeeded(store.result()));
  }
  // The grid counts the tiles of one product after the other.
  OpFoldResult perProduct = index.max(nest.gridSize(b), index.constant(1));
  OpFoldResult first = index.div(launch.begin, perProduct);
  OpFoldResult last =
      index.div(index.add(launch.end, index.sub(perProduct, index.constant(1))),
                perProduct);
  LogicalResult status = success();
  b.loop(first, last, index.constant(1), [&](Value product) {
    batch = index.delinearize(product, ArrayRef(sizes).drop_back(2));
    setLeft(batch);
    if (failed(setRight(batch))) {
      status = failure();
      return;
    }
    setConsumers(batch);
    OpFoldResult start = index.mul(product, perProduct);
    nest.build(b, b.saturatingSub(launch.begin, start),
               index.min(index.sub(launch.end, start), perProduct));
  });
  return success(succeeded(status) && !hasFailed && succeeded(store.result()));
}

LogicalResult GemmTemplate::lower(func::FuncOp kernel,
                                  const CpuDescription &cpu) const {
  std::string reason;
  std::optional<GemmAnalysis> gemm =
      GemmAnalysis::analyze(kernel.getBody().front(), reason);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  if (!gemm || !config)
    return kernel.emitOpError("is no configured matrix product: ") << reason;
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (failed(GemmLowering(launch, *gemm, config).run()))
    return failure();
  launch.finish();
  return success();
}
