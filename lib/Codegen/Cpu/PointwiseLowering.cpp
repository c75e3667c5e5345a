// The code of pointwise kernels: loops, vectors, transposed blocks, padding.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/PointwiseLowering.h"
#include "atc/Codegen/Cpu/KernelLaunch.h"
#include "atc/Codegen/Cpu/VectorTranspose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

namespace {

/// Indices of all loops; constants or values.
using Position = SmallVector<OpFoldResult>;

class PointwiseLowering {
public:
  PointwiseLowering(func::FuncOp kernel, KernelLaunch &launch,
                    const PointwiseNest &nest,
                    const PointwiseSchedule &schedule)
      : kernel(kernel), launch(launch), nest(nest), schedule(schedule),
        builder(*launch.builder), loc(kernel.getLoc()), index(builder, loc),
        region(*launch.region), lane(nest.dims.size() - 1) {}

  LogicalResult run();

private:
  struct Range {
    OpFoldResult low, high;
  };

  /// Views over loops instead of logical dims.
  void makeViews();
  TensorView loopView(const TensorView &view, const LinearAccess &access);

  /// The loops inside of `dim`, for one position of the outer ones.
  LogicalResult emitLoops(unsigned dim);
  Range rangeOf(unsigned dim);
  /// Runs `body` inside a loop; sets the position of `dim`.
  LogicalResult forRange(unsigned dim, Range range, int64_t step,
                         function_ref<LogicalResult()> body);

  /// The innermost loop: vectors from one end to the other.
  LogicalResult emitLanes();
  /// The same for a range of unknown length, which may be shorter than a
  /// vector: the last vector has inactive lanes.
  LogicalResult emitOpenLanes();
  /// Squares of vectors where both loops have room for them.
  LogicalResult emitBlocksOrLanes();
  LogicalResult emitBlocks();
  LogicalResult emitBlock();

  using Values = SmallVector<Value>;
  VectorPoint loopPoint(int64_t lanes, Value active = {});
  /// The position as a point of the result's logical dims.
  VectorPoint logicalPoint(int64_t lanes, Value active = {});
  FailureOr<Values> compute(int64_t lanes, Value active = {});
  FailureOr<Values> evaluate(const VectorPoint &point);
  void store(ArrayRef<Value> values, int64_t lanes, Value active = {});
  /// Computes and stores a vector; zeros where the position is padding.
  LogicalResult emitVector(int64_t lanes, Value active = {});
  LogicalResult emitPadded(int64_t lanes);
  /// The index that the loops from `first` on make.
  OpFoldResult logicalIndex(unsigned logicalDim, unsigned first = 0);

  func::FuncOp kernel;
  KernelLaunch &launch;
  const PointwiseNest &nest;
  const PointwiseSchedule &schedule;
  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
  RegionEmitter &region;
  unsigned lane;
  /// Of all loops; knownSizes has kDynamic where they are values.
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> knownSizes;
  SmallVector<Value> yielded;
  SmallVector<TensorView> sources, results;
  Position position;
  Range splitRange;
};

} // namespace

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

TensorView PointwiseLowering::loopView(const TensorView &view,
                                       const LinearAccess &access) {
  TensorView result;
  result.buffer = view.buffer;
  result.base = region.evaluate(access.base);
  result.sizes = sizes;
  for (AffineExpr stride : access.strides)
    result.strides.push_back(region.evaluate(stride));
  result.type = RankedTensorType::get(knownSizes, view.type.getElementType());
  result.layout = ::atc::PhysicalLayout::rowMajor(knownSizes.size());
  return result;
}

void PointwiseLowering::makeViews() {
  for (auto [source, access] :
       llvm::zip_equal(nest.sources, nest.sourceAccesses))
    sources.push_back(loopView(*sourceView(region, source.tensor), access));
  for (auto [view, access] :
       llvm::zip_equal(launch.results, nest.resultAccesses))
    results.push_back(loopView(view, access));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

PointwiseLowering::Range PointwiseLowering::rangeOf(unsigned dim) {
  if (int64_t(dim) == schedule.tiles.split)
    return splitRange;
  return {index.constant(0), sizes[dim]};
}

LogicalResult PointwiseLowering::forRange(unsigned dim, Range range,
                                          int64_t step,
                                          function_ref<LogicalResult()> body) {
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, loc, index.value(range.low),
                                 index.value(range.high), index.value(step));
  builder.setInsertionPointToStart(loop.getBody());
  position[dim] = loop.getInductionVar();
  return body();
}

LogicalResult PointwiseLowering::emitLoops(unsigned dim) {
  if (dim == lane)
    return schedule.block >= 0 ? emitBlocksOrLanes() : emitLanes();
  if (int64_t(dim) == schedule.block)
    return emitLoops(dim + 1);
  return forRange(dim, rangeOf(dim), 1, [&] { return emitLoops(dim + 1); });
}

LogicalResult PointwiseLowering::emitLanes() {
  int64_t lanes = schedule.lanes;
  Range range = rangeOf(lane);
  std::optional<int64_t> size = schedule.tiles.rangeSize(knownSizes, lane);
  if (size && *size == lanes) {
    position[lane] = range.low;
    return emitVector(lanes);
  }
  if (lanes == 1 || nest.dims[lane].size.isMultipleOf(lanes))
    return forRange(lane, range, lanes, [&] { return emitVector(lanes); });
  if (ShapedType::isDynamic(knownSizes[lane]))
    return emitOpenLanes();
  // The last vector overlaps the one before it. It is computed first, because
  // the loop may overwrite what it reads, and stored last.
  position[lane] = index.sub(range.high, index.constant(lanes));
  OpFoldResult last = position[lane];
  FailureOr<Values> tail = compute(lanes);
  if (failed(tail) ||
      failed(forRange(lane, {range.low, index.add(last, 1)}, lanes,
                      [&] { return emitVector(lanes); })))
    return failure();
  position[lane] = last;
  store(*tail, lanes);
  return success();
}

LogicalResult PointwiseLowering::emitOpenLanes() {
  int64_t lanes = schedule.lanes;
  Range range = rangeOf(lane);
  OpFoldResult rest =
      index.rem(index.sub(range.high, range.low), index.constant(lanes));
  OpFoldResult whole = index.sub(range.high, rest);
  if (failed(forRange(lane, {range.low, whole}, lanes,
                      [&] { return emitVector(lanes); })))
    return failure();
  Value active = index.value(rest);
  Value hasRest = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        active, index.value(int64_t(0)));
  OpBuilder::InsertionGuard guard(builder);
  auto branch = scf::IfOp::create(builder, loc, hasRest);
  builder.setInsertionPointToStart(branch.thenBlock());
  position[lane] = whole;
  return emitVector(lanes, active);
}

LogicalResult PointwiseLowering::emitBlocksOrLanes() {
  Value hasRoom;
  for (unsigned dim : {static_cast<unsigned>(schedule.block), lane}) {
    if (!ShapedType::isDynamic(knownSizes[dim]))
      continue;
    Range range = rangeOf(dim);
    Value fits =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                              index.value(index.sub(range.high, range.low)),
                              index.value(schedule.lanes));
    hasRoom = hasRoom
                  ? Value(arith::AndIOp::create(builder, loc, hasRoom, fits))
                  : fits;
  }
  if (!hasRoom)
    return emitBlocks();
  OpBuilder::InsertionGuard guard(builder);
  auto branch =
      scf::IfOp::create(builder, loc, hasRoom, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  if (failed(emitBlocks()))
    return failure();
  builder.setInsertionPointToStart(branch.elseBlock());
  unsigned block = schedule.block;
  return forRange(block, rangeOf(block), 1, [&] { return emitLanes(); });
}

LogicalResult PointwiseLowering::emitBlocks() {
  unsigned block = schedule.block;
  int64_t lanes = schedule.lanes;
  Range outer = rangeOf(lane), inner = rangeOf(block);
  // Whole squares everywhere: the last ones overlap those before.
  auto clampLast = [&](unsigned dim, Range range) {
    if (!nest.dims[dim].size.isMultipleOf(lanes))
      position[dim] = index.min(position[dim],
                                index.sub(range.high, index.constant(lanes)));
  };
  return forRange(lane, outer, lanes, [&] {
    clampLast(lane, outer);
    return forRange(block, inner, lanes, [&] {
      clampLast(block, inner);
      return emitBlock();
    });
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

VectorPoint PointwiseLowering::loopPoint(int64_t lanes, Value active) {
  return VectorPoint::along(position, lane, lanes, /*divisor=*/1, active);
}

OpFoldResult PointwiseLowering::logicalIndex(unsigned logicalDim,
                                             unsigned first) {
  OpFoldResult sum = index.constant(0);
  for (unsigned dim = first; dim < nest.dims.size(); ++dim)
    if (nest.dims[dim].logicalDim == logicalDim)
      sum = index.add(sum, index.mul(position[dim], nest.dims[dim].factor));
  return sum;
}

VectorPoint PointwiseLowering::logicalPoint(int64_t lanes, Value active) {
  unsigned rank = cast<RankedTensorType>(yielded.front().getType()).getRank();
  if (rank == 0)
    return VectorPoint::scalar({});
  Position logical;
  for (unsigned dim = 0; dim < rank; ++dim)
    logical.push_back(logicalIndex(dim));
  // Whether vectors begin at multiples of the lanes. In ranges of unknown
  // length the last one does too.
  bool isAligned =
      ShapedType::isDynamic(knownSizes[lane]) || knownSizes[lane] % lanes == 0;
  return VectorPoint::along(logical, nest.dims[lane].logicalDim, lanes,
                            isAligned ? lanes : 1, active);
}

FailureOr<PointwiseLowering::Values>
PointwiseLowering::evaluate(const VectorPoint &point) {
  Values values;
  for (Value result : yielded) {
    FailureOr<Value> value = region.value(result, point);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return values;
}

FailureOr<PointwiseLowering::Values> PointwiseLowering::compute(int64_t lanes,
                                                                Value active) {
  if (!nest.isLinear)
    return evaluate(logicalPoint(lanes, active));
  // The sources are read here; the ops in between need no index any more.
  VectorPoint point = loopPoint(lanes, active);
  for (auto [source, view] : llvm::zip_equal(nest.sources, sources))
    region.bind(source.tensor, region.load(view, point));
  return evaluate(logicalPoint(lanes));
}

void PointwiseLowering::store(ArrayRef<Value> values, int64_t lanes,
                              Value active) {
  for (auto [view, value] : llvm::zip_equal(results, values))
    region.store(view, loopPoint(lanes, active), value);
}

LogicalResult PointwiseLowering::emitVector(int64_t lanes, Value active) {
  if (nest.isPadded())
    return emitPadded(lanes);
  FailureOr<Values> values = compute(lanes, active);
  if (failed(values))
    return failure();
  store(*values, lanes, active);
  return success();
}

LogicalResult PointwiseLowering::emitPadded(int64_t lanes) {
  Value inside, active;
  auto require = [&](Value condition) {
    inside = inside
                 ? Value(arith::AndIOp::create(builder, loc, inside, condition))
                 : condition;
  };
  for (auto [number, dim] : llvm::enumerate(nest.dims)) {
    if (!dim.limit)
      continue;
    OpFoldResult limit = index.constant(dim.limit);
    OpFoldResult where = logicalIndex(dim.logicalDim, number);
    require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                  index.value(where), index.value(limit)));
    if (dim.logicalDim != nest.dims[lane].logicalDim || lanes == 1)
      continue;
    OpFoldResult most = active ? OpFoldResult(active) : index.constant(lanes);
    active = index.value(index.min(index.sub(limit, where), most));
  }
  Type element = computeType(getElementTypeOrSelf(yielded.front().getType()));
  Type type = lanes == 1 ? element : VectorType::get({lanes}, element);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto choice = scf::IfOp::create(builder, loc, TypeRange(type), inside,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(builder, loc, zero);
    builder.setInsertionPointToStart(choice.thenBlock());
    FailureOr<Values> values = compute(lanes, active);
    if (failed(values))
      return failure();
    Value value = values->front();
    if (active)
      value = arith::SelectOp::create(
          builder, loc, laneMask(builder, loc, active, lanes), value, zero);
    scf::YieldOp::create(builder, loc, value);
  }
  store(choice.getResult(0), lanes);
  return success();
}

//===----------------------------------------------------------------------===//
// Transposed blocks
//===----------------------------------------------------------------------===//

LogicalResult PointwiseLowering::emitBlock() {
  unsigned block = schedule.block;
  int64_t lanes = schedule.lanes;
  OpFoldResult laneStart = position[lane], blockStart = position[block];
  // Operands that are contiguous along the block: a vector per lane, which
  // after the transposition is a vector per index of the block.
  SmallVector<SmallVector<Value>> squares(sources.size());
  for (auto [number, view] : llvm::enumerate(sources)) {
    if (!isGatheredAlong(nest.sourceAccesses[number], block, lane))
      continue;
    SmallVector<Value> rows;
    for (int64_t row = 0; row < lanes; ++row) {
      position[lane] = index.add(laneStart, row);
      rows.push_back(
          region.load(view, VectorPoint::along(position, block, lanes)));
    }
    squares[number] = transposeVectors(builder, loc, rows);
  }
  position[lane] = laneStart;
  for (int64_t row = 0; row < lanes; ++row) {
    position[block] = index.add(blockStart, row);
    for (auto [number, view] : llvm::enumerate(sources)) {
      Value value = squares[number].empty()
                        ? region.load(view, loopPoint(lanes))
                        : squares[number][row];
      region.bind(nest.sources[number].tensor, value);
    }
    FailureOr<Values> values = evaluate(logicalPoint(lanes));
    if (failed(values))
      return failure();
    store(*values, lanes);
  }
  position[block] = blockStart;
  return success();
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

LogicalResult PointwiseLowering::run() {
  yielded.assign(kernel.front().getTerminator()->operand_begin(),
                 kernel.front().getTerminator()->operand_end());
  if (schedule.tiles.tiles == 0)
    return success();
  for (AffineExpr size : nest.sizes())
    sizes.push_back(region.evaluate(size));
  knownSizes = cpu::knownSizes(nest.sizes());
  makeViews();
  position.assign(nest.dims.size(), index.constant(0));
  OpFoldResult tile = launch.createTileLoop().getInductionVar();
  if (schedule.tiles.tiles == 1)
    tile = index.constant(0);
  TileSplit::Place place = schedule.tiles.locate(index, sizes, tile);
  splitRange = {place.low, place.high};
  llvm::copy(place.outer, position.begin());
  return emitLoops(schedule.tiles.split);
}

LogicalResult mlir::atc::cpu::lowerPointwise(func::FuncOp kernel,
                                             const PointwiseNest &nest,
                                             const CpuDescription &cpu) {
  auto config = kernel->getAttrOfType<graph::ConfigAttr>(configAttrName);
  PointwiseSchedule schedule = PointwiseSchedule::fromConfig(config);
  KernelLaunch launch = KernelLaunch::create(kernel, 0, cpu);
  if (failed(PointwiseLowering(kernel, launch, nest, schedule).run()))
    return failure();
  launch.finish();
  return success();
}
