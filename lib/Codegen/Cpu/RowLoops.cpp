// Emits the loops of a row nest.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/RowLoops.h"
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

RowLoops::RowLoops(KernelLaunch &launch, const RowProblem &problem,
                   const RowNest &nest, const RowSchedule &schedule)
    : launch(launch), problem(problem), nest(nest), schedule(schedule),
      builder(*launch.builder), loc(launch.function.getLoc()),
      index(builder, loc), region(*launch.region) {
  Operation *end = problem.anchor->getBlock()->getTerminator();
  yielded.assign(end->operand_begin(), end->operand_end());
  for (const IterationDim &dim : nest.kept)
    keptSizes.push_back(region.evaluate(dim.size));
  for (const IterationDim &dim : nest.row)
    rowSizes.push_back(region.evaluate(dim.size));
  if (!nest.isLinear)
    return;
  auto makeViews = [&](const RowTensors &tensors,
                       SmallVector<TensorView> &views) {
    for (auto [source, access] :
         llvm::zip_equal(tensors.sources, tensors.accesses))
      views.push_back(loopView(*sourceView(region, source.tensor), access));
  };
  makeViews(nest.input, inputViews);
  makeViews(nest.parameters, parameterViews);
  makeViews(nest.results, sourceViews);
  if (!problem.results.empty())
    for (auto [view, access] :
         llvm::zip_equal(launch.results, nest.resultAccesses))
      resultViews.push_back(loopView(view, access));
}

Type RowLoops::laneType(Type scalar) const {
  if (schedule.lanes == 1)
    return scalar;
  return VectorType::get({schedule.lanes}, scalar);
}

int64_t RowLoops::bufferSize(int64_t places) const {
  if (nest.isVertical)
    return places * schedule.lanes * schedule.unroll;
  // The last vector of a row is written whole.
  return llvm::alignTo(places, schedule.lanes);
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

TensorView RowLoops::loopView(const TensorView &view,
                              const LinearAccess &access) {
  TensorView result;
  result.buffer = view.buffer;
  result.base = region.evaluate(access.base);
  result.sizes = keptSizes;
  llvm::append_range(result.sizes, rowSizes);
  SmallVector<int64_t> shape;
  for (OpFoldResult size : result.sizes)
    shape.push_back(
        IndexBuilder::getConstant(size).value_or(ShapedType::kDynamic));
  for (AffineExpr stride : access.strides)
    result.strides.push_back(region.evaluate(stride));
  result.type = RankedTensorType::get(shape, view.type.getElementType());
  result.layout = ::atc::PhysicalLayout::rowMajor(shape.size());
  return result;
}

VectorPoint RowLoops::loopPoint(const RowElement &element) {
  return VectorPoint::along(element.position, laneLoop(), schedule.lanes,
                            /*divisor=*/1, element.active);
}

VectorPoint RowLoops::logicalPoint(const RowElement &element) {
  unsigned rank = cast<RankedTensorType>(problem.input.getType()).getRank();
  SmallVector<OpFoldResult> logical(rank, index.constant(0));
  VectorPoint point = VectorPoint::scalar(logical);
  point.lanes = schedule.lanes;
  point.active = element.active;
  if (rank == 0)
    return point;
  size_t loop = 0;
  for (const IterationDim &dim :
       llvm::concat<const IterationDim>(nest.kept, nest.row)) {
    Coordinate &coordinate = point.coordinates[dim.logicalDim];
    coordinate.base = index.add(coordinate.base,
                                index.mul(element.position[loop], dim.factor));
    if (loop == laneLoop() && schedule.lanes > 1)
      coordinate.step = dim.factor;
    ++loop;
  }
  return point;
}

RowElement RowLoops::elementAt(ArrayRef<OpFoldResult> rowPosition,
                               unsigned chain, int64_t chainOffset) {
  RowElement element;
  element.chain = chain;
  element.position = kept;
  element.active = activeRows;
  SmallVector<OpFoldResult> inRow(rowPosition);
  if (nest.isVertical) {
    OpFoldResult &lane = element.position.back();
    lane = index.add(lane, chain * schedule.lanes);
  } else {
    inRow.back() = index.add(inRow.back(), chainOffset);
  }
  OpFoldResult place = index.linearize(inRow, rowSizes);
  if (nest.isVertical)
    place = index.add(index.mul(place, schedule.lanes * schedule.unroll),
                      chain * schedule.lanes);
  element.place = place;
  llvm::append_range(element.position, inRow);
  return element;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult RowLoops::forEachRow(function_ref<LogicalResult()> body) {
  if (schedule.tiles.tiles == 0)
    return success();
  OpFoldResult tile = launch.createTileLoop().getInductionVar();
  if (schedule.tiles.tiles == 1)
    tile = index.constant(0);
  TileSplit::Place place = schedule.tiles.locate(index, keptSizes, tile);
  kept.assign(nest.kept.size(), index.constant(0));
  llvm::copy(place.outer, kept.begin());
  unsigned split = schedule.tiles.split;
  for (unsigned dim = split; dim < nest.kept.size(); ++dim) {
    OpFoldResult low = index.constant(0), high = keptSizes[dim];
    if (dim == split) {
      low = place.low;
      high = place.high;
    }
    bool hasLanes = nest.isVertical && dim + 1 == nest.kept.size();
    int64_t step = hasLanes ? schedule.lanes * schedule.unroll : 1;
    if (step > 1 && nest.isOpenAlongLanes())
      return forOpenRows(low, high, body);
    auto loop = scf::ForOp::create(builder, loc, index.value(low),
                                   index.value(high), index.value(step));
    builder.setInsertionPointToStart(loop.getBody());
    kept[dim] = loop.getInductionVar();
    // The last rows are computed again rather than fewer at a time.
    if (!nest.kept[dim].size.isMultipleOf(step))
      kept[dim] = index.min(kept[dim], index.sub(high, index.constant(step)));
  }
  return body();
}

LogicalResult RowLoops::forOpenRows(OpFoldResult low, OpFoldResult high,
                                    function_ref<LogicalResult()> body) {
  int64_t lanes = schedule.lanes;
  OpFoldResult rest = index.rem(index.sub(high, low), index.constant(lanes));
  OpFoldResult whole = index.sub(high, rest);
  auto loop = scf::ForOp::create(builder, loc, index.value(low),
                                 index.value(whole), index.value(lanes));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    kept.back() = loop.getInductionVar();
    if (failed(body()))
      return failure();
  }
  if (nest.kept.back().size.isMultipleOf(lanes))
    return success();
  activeRows = index.value(rest);
  Value hasRest = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        activeRows, index.value(int64_t(0)));
  auto branch = scf::IfOp::create(builder, loc, hasRest);
  builder.setInsertionPointToStart(branch.thenBlock());
  kept.back() = whole;
  LogicalResult result = body();
  activeRows = {};
  return result;
}

FailureOr<SmallVector<Value>>
RowLoops::reduceRow(Value identity,
                    function_ref<FailureOr<Value>(const RowElement &)> values,
                    function_ref<Value(Value, Value)> combiner) {
  reduction = Reduction{identity, combiner};
  SmallVector<State> initial(chains(), State{identity});
  FailureOr<SmallVector<State>> states = overRow(
      initial,
      [&](const RowElement &element,
          ArrayRef<Value> state) -> FailureOr<State> {
        FailureOr<Value> value = values(element);
        if (failed(value))
          return failure();
        Value filled = *value;
        if (element.active) {
          Value mask = laneMask(builder, loc, element.active, schedule.lanes);
          filled =
              arith::SelectOp::create(builder, loc, mask, filled, identity);
        }
        return State{combiner(state[0], filled)};
      });
  reduction.reset();
  if (failed(states))
    return failure();
  SmallVector<Value> perChain;
  for (const State &state : *states)
    perChain.push_back(state[0]);
  return combine(perChain, combiner);
}

FailureOr<SmallVector<Value>> RowLoops::makeLoop(
    OpFoldResult low, OpFoldResult high, int64_t by, ValueRange state,
    function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, loc, index.value(low),
                                 index.value(high), index.value(by), state);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  FailureOr<SmallVector<Value>> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (failed(next))
    return failure();
  // Without state the loop already has its terminator.
  if (!state.empty())
    scf::YieldOp::create(builder, loc, *next);
  return SmallVector<Value>(loop.getResults());
}

FailureOr<SmallVector<RowLoops::State>>
RowLoops::overRow(ArrayRef<State> initial, Step step, bool backwards) {
  isBackwards = backwards;
  stateSize = initial.front().size();
  SmallVector<Value> flat;
  for (const State &state : initial)
    llvm::append_range(flat, state);
  row.assign(nest.row.size(), index.constant(0));
  FailureOr<SmallVector<Value>> result = rowLoop(0, flat, step);
  if (failed(result))
    return failure();
  SmallVector<State> states;
  for (unsigned chain = 0; chain < chains(); ++chain)
    states.emplace_back(ArrayRef(*result).slice(chain * stateSize, stateSize));
  return states;
}

/// Loops of fewer steps are not worth dividing.
static constexpr int64_t shortestBlockedLoop = 256;

FailureOr<SmallVector<Value>> RowLoops::combineBlock(
    ValueRange state,
    function_ref<FailureOr<SmallVector<Value>>(ValueRange)> body) {
  SmallVector<Value> identities(state.size(), reduction->identity);
  FailureOr<SmallVector<Value>> block = body(identities);
  if (failed(block))
    return failure();
  for (auto [total, value] : llvm::zip_equal(state, *block))
    value = reduction->combiner(total, value);
  return block;
}

/// Steps of a block where the length of the row is not known.
static constexpr int64_t openBlockSteps = 64;

FailureOr<SmallVector<Value>> RowLoops::makeBlockedLoop(
    OpFoldResult low, OpFoldResult high, int64_t by, ValueRange state,
    function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body) {
  std::optional<int64_t> length =
      IndexBuilder::getConstant(index.sub(high, low));
  if (!reduction || (length && *length / by < shortestBlockedLoop))
    return makeLoop(low, high, by, state, body);
  int64_t block = by * (length ? static_cast<int64_t>(llvm::PowerOf2Ceil(
                                     std::lround(std::sqrt(*length / by))))
                               : openBlockSteps);
  return makeLoop(
      low, high, block, state, [&](Value position, ValueRange inner) {
        OpFoldResult next = index.add(OpFoldResult(position), block);
        if (!length || *length % block != 0)
          next = index.min(next, high);
        return combineBlock(inner, [&](ValueRange identities) {
          return makeLoop(position, next, by, identities, body);
        });
      });
}

FailureOr<SmallVector<Value>> RowLoops::rowLoop(unsigned dim, ValueRange state,
                                                Step step) {
  bool isInnermost = dim + 1 == nest.row.size();
  if (isInnermost && !nest.isVertical)
    return horizontalLoop(state, step);
  OpFoldResult size = rowSizes[dim];
  // The loops inside of this one are a block as they stand.
  bool hasBlocks = reduction && !isInnermost;
  auto body = [&](Value position,
                  ValueRange inner) -> FailureOr<SmallVector<Value>> {
    row[dim] = position;
    if (isBackwards)
      row[dim] = index.sub(index.sub(size, index.constant(1)), row[dim]);
    if (isInnermost)
      return verticalStep(inner, step);
    if (!hasBlocks)
      return rowLoop(dim + 1, inner, step);
    return combineBlock(inner, [&](ValueRange identities) {
      return rowLoop(dim + 1, identities, step);
    });
  };
  return makeBlockedLoop(index.constant(0), size, 1, state, body);
}

/// Replaces the part of `all` that belongs to a chain.
static void replaceState(SmallVectorImpl<Value> &all, unsigned chain,
                         ArrayRef<Value> state) {
  llvm::copy(state, all.begin() + chain * state.size());
}

FailureOr<SmallVector<Value>> RowLoops::verticalStep(ValueRange state,
                                                     Step step) {
  SmallVector<Value> next(state);
  for (unsigned chain = 0; chain < chains(); ++chain) {
    SmallVector<Value> own(state.slice(chain * stateSize, stateSize));
    FailureOr<State> result = step(elementAt(row, chain, 0), own);
    if (failed(result))
      return failure();
    replaceState(next, chain, *result);
  }
  return next;
}

FailureOr<SmallVector<Value>>
RowLoops::rowEnd(OpFoldResult rest, SmallVector<Value> state,
                 function_ref<LogicalResult(Value, SmallVector<Value> &)> run) {
  if (IndexBuilder::getConstant(rest)) {
    if (!IndexBuilder::isConstant(rest, 0) &&
        failed(run(index.value(rest), state)))
      return failure();
    return state;
  }
  Value active = index.value(rest);
  Value hasRest = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        active, index.value(int64_t(0)));
  auto branch = scf::IfOp::create(builder, loc, TypeRange(ValueRange(state)),
                                  hasRest, /*withElseRegion=*/!state.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> next = state;
  if (failed(run(active, next)))
    return failure();
  if (!state.empty()) {
    scf::YieldOp::create(builder, loc, next);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, state);
  }
  return SmallVector<Value>(branch.getResults());
}

FailureOr<SmallVector<Value>> RowLoops::horizontalLoop(ValueRange state,
                                                       Step step) {
  unsigned last = nest.row.size() - 1;
  OpFoldResult size = rowSizes.back();
  int64_t lanes = schedule.lanes, block = lanes * schedule.unroll;
  SmallVector<Value> current(state);
  auto run = [&](unsigned chain, int64_t offset, Value active,
                 SmallVector<Value> &states) -> LogicalResult {
    RowElement element = elementAt(row, chain, offset);
    element.active = active;
    SmallVector<Value> own(
        ArrayRef(states).slice(chain * stateSize, stateSize));
    FailureOr<State> result = step(element, own);
    if (failed(result))
      return failure();
    replaceState(states, chain, *result);
    return success();
  };
  // The part of the row that vectors of `width` elements fill.
  auto filled = [&](int64_t width) {
    if (nest.row.back().size.isMultipleOf(width))
      return size;
    return index.sub(size, index.rem(size, index.constant(width)));
  };
  OpFoldResult whole = filled(block), vectors = filled(lanes);
  auto loop = [&](OpFoldResult low, OpFoldResult high, int64_t by,
                  unsigned chainCount, bool isShort) -> LogicalResult {
    if (low == high)
      return success();
    auto body = [&](Value position,
                    ValueRange inner) -> FailureOr<SmallVector<Value>> {
      row[last] = position;
      SmallVector<Value> states(inner);
      for (unsigned chain = 0; chain < chainCount; ++chain)
        if (failed(run(chain, chain * lanes, {}, states)))
          return failure();
      return states;
    };
    FailureOr<SmallVector<Value>> result =
        isShort ? makeLoop(low, high, by, current, body)
                : makeBlockedLoop(low, high, by, current, body);
    if (failed(result))
      return failure();
    current = std::move(*result);
    return success();
  };
  if (failed(loop(index.constant(0), whole, block, chains(), false)) ||
      failed(loop(whole, vectors, lanes, 1, true)))
    return failure();
  row[last] = vectors;
  return rowEnd(index.sub(size, vectors), current,
                [&](Value active, SmallVector<Value> &states) {
                  return run(0, 0, active, states);
                });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void RowLoops::bindSources(const RowTensors &tensors,
                           ArrayRef<TensorView> views,
                           const RowElement &element) {
  for (auto [source, view] : llvm::zip_equal(tensors.sources, views))
    region.bind(source.tensor, region.load(view, loopPoint(element)));
}

FailureOr<Value> RowLoops::input(const RowElement &element) {
  if (nest.isLinear)
    bindSources(nest.input, inputViews, element);
  return region.value(problem.input, logicalPoint(element));
}

FailureOr<Value> RowLoops::parameter(unsigned number,
                                     const RowElement &element) {
  if (nest.isLinear)
    bindSources(nest.parameters, parameterViews, element);
  const StridedSource &parameter = problem.parameters[number];
  CoordinateBuilder coordinates(builder, loc, schedule.lanes);
  return region.value(parameter.tensor,
                      coordinates.apply(parameter.map, logicalPoint(element),
                                        [&](AffineExpr expr) {
                                          return region.evaluate(expr);
                                        }));
}

LogicalResult RowLoops::storeResults(const RowElement &element, Value anchor) {
  Value tensor = problem.anchor->getResult(0);
  region.bind(tensor, anchor);
  if (nest.isLinear)
    bindSources(nest.results, sourceViews, element);
  VectorPoint point = logicalPoint(element);
  for (auto [number, result] : llvm::enumerate(yielded)) {
    VectorPoint where = point;
    if (!nest.isLinear) {
      FailureOr<VectorPoint> mapped = region.mapForward(tensor, point, result);
      if (failed(mapped))
        return failure();
      where = *mapped;
    }
    FailureOr<Value> value = region.value(result, where);
    if (failed(value))
      return failure();
    if (nest.isLinear)
      region.store(resultViews[number], loopPoint(element), *value);
    else
      region.store(launch.results[number], where, *value);
  }
  return success();
}

LogicalResult RowLoops::storeRowResults(ArrayRef<Value> values) {
  Value tensor = problem.anchor->getResult(0);
  auto inputRank = cast<RankedTensorType>(problem.input.getType()).getRank();
  auto type = cast<RankedTensorType>(tensor.getType());
  llvm::SmallDenseSet<unsigned> rowDims;
  for (const IterationDim &dim : problem.row)
    rowDims.insert(dim.logicalDim);
  // What the row's elements were bound to ended with their loop.
  for (const RowTensors *tensors : {&nest.input, &nest.parameters})
    for (const StridedSource &source : tensors->sources)
      region.unbind(source.tensor);
  for (auto [chain, value] : llvm::enumerate(values)) {
    RowElement element =
        elementAt(SmallVector<OpFoldResult>(nest.row.size(), index.constant(0)),
                  chain, 0);
    VectorPoint all = logicalPoint(element);
    VectorPoint point;
    if (nest.isVertical) {
      point.lanes = schedule.lanes;
      point.active = activeRows;
    }
    for (unsigned dim = 0; dim < inputRank; ++dim) {
      bool isReduced = rowDims.contains(dim);
      if (isReduced && type.getRank() != inputRank)
        continue;
      Coordinate coordinate = all.coordinates[dim];
      if (isReduced || !nest.isVertical)
        coordinate.step = 0;
      if (isReduced)
        coordinate.base = index.constant(0);
      point.coordinates.push_back(coordinate);
    }
    region.bind(tensor, value);
    for (auto [number, result] : llvm::enumerate(yielded)) {
      FailureOr<VectorPoint> where = region.mapForward(tensor, point, result);
      if (failed(where))
        return failure();
      FailureOr<Value> stored = region.value(result, *where);
      if (failed(stored))
        return failure();
      region.store(launch.results[number], *where, *stored);
    }
  }
  return success();
}

SmallVector<Value>
RowLoops::combine(ArrayRef<Value> chainValues,
                  function_ref<Value(Value, Value)> combiner) {
  if (nest.isVertical)
    return SmallVector<Value>(chainValues);
  // Pairs of neighbours, so that the order depends on the shape alone.
  SmallVector<Value> values(chainValues);
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(combiner(values[i], values[i + 1]));
    values = std::move(next);
  }
  Value total = values.front();
  for (int64_t half = schedule.lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    Value left = vector::ShuffleOp::create(builder, loc, total, total, low);
    Value right = vector::ShuffleOp::create(builder, loc, total, total, high);
    total = combiner(left, right);
  }
  if (schedule.lanes > 1)
    total = vector::ExtractOp::create(builder, loc, total, int64_t(0));
  return {total};
}

Value RowLoops::spread(ArrayRef<Value> perRow, const RowElement &element) {
  if (nest.isVertical)
    return perRow[element.chain];
  if (schedule.lanes == 1)
    return perRow.front();
  Type type = laneType(perRow.front().getType());
  return vector::BroadcastOp::create(builder, loc, type, perRow.front());
}

Value RowLoops::rowIndices(const RowElement &element, Type type) {
  Coordinate coordinate;
  coordinate.base = element.position.back();
  if (!nest.isVertical && schedule.lanes > 1)
    coordinate.step = 1;
  Value position =
      schedule.lanes == 1
          ? index.value(coordinate.base)
          : CoordinateBuilder(builder, loc, schedule.lanes).perLane(coordinate);
  return arith::IndexCastOp::create(builder, loc, laneType(type), position);
}
