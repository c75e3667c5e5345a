// Values of ops that choose operands or elements by position: concat, pad, and
// slices and repetitions by tensors.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

/// Ops that choose or index their operands by values nest; deeper nesting than
/// this is refused rather than risked on the stack.
static constexpr unsigned maxDepth = 100;

//===----------------------------------------------------------------------===//
// Control flow around values
//===----------------------------------------------------------------------===//

FailureOr<Value> RegionEmitter::branch(Value condition, Type type,
                                       function_ref<FailureOr<Value>()> yes,
                                       function_ref<FailureOr<Value>()> no) {
  auto ifOp = scf::IfOp::create(builder, loc, TypeRange(type), condition,
                                /*withElseRegion=*/true);
  auto fill = [&](Block *block,
                  function_ref<FailureOr<Value>()> body) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    FailureOr<Value> value = body();
    if (failed(value))
      return failure();
    scf::YieldOp::create(builder, loc, *value);
    return success();
  };
  if (failed(fill(ifOp.thenBlock(), yes)) || failed(fill(ifOp.elseBlock(), no)))
    return failure();
  return ifOp.getResult(0);
}

FailureOr<Value> RegionEmitter::scalarize(
    Type scalarType, const VectorPoint &point,
    function_ref<FailureOr<Value>(const VectorPoint &element)> body) {
  if (point.lanes == 1)
    return body(point);
  auto type = VectorType::get({point.lanes}, scalarType);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value count = point.active ? point.active : index.value(point.lanes);
  auto loop = scf::ForOp::create(builder, loc, index.value(int64_t(0)), count,
                                 index.value(1), zero);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  SmallVector<OpFoldResult> position;
  for (const Coordinate &coordinate : point.coordinates)
    position.push_back(coordinates.atLane(coordinate, lane));
  FailureOr<Value> element = body(VectorPoint::scalar(position));
  if (failed(element))
    return failure();
  Value inserted = vector::InsertOp::create(
      builder, loc, *element, loop.getRegionIterArg(0), OpFoldResult(lane));
  scf::YieldOp::create(builder, loc, inserted);
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Constants with several values
//===----------------------------------------------------------------------===//

/// The bytes of a constant as a dense attribute of its storage type.
static DenseElementsAttr storedElements(DenseElementsAttr value) {
  Type element = value.getElementType();
  if (isPacked(element)) {
    // The attribute has a byte for each.
    unsigned bits = element.getIntOrFloatBitWidth();
    int64_t perByte = 8 / bits;
    SmallVector<int8_t> bytes(llvm::divideCeil(value.getNumElements(), perByte),
                              0);
    for (auto [index, byte] : llvm::enumerate(value.getRawData()))
      bytes[index / perByte] |= (byte & ((1 << bits) - 1))
                                << (index % perByte * bits);
    return DenseElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                              storageType(element)),
        ArrayRef<int8_t>(bytes));
  }
  auto type =
      RankedTensorType::get({value.getNumElements()}, storageType(element));
  if (element.isInteger(1)) {
    SmallVector<int8_t> bytes;
    for (bool bit : value.getValues<bool>())
      bytes.push_back(bit);
    return DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes));
  }
  return DenseElementsAttr::getFromRawBuffer(type, value.getRawData());
}

TensorView RegionEmitter::viewOfConstant(Operation *op) {
  if (const TensorView *known = getView(op->getResult(0)))
    return *known;
  auto constant = cast<graph::ConstantOp>(op);
  DenseElementsAttr elements =
      storedElements(cast<DenseElementsAttr>(constant.getValue()));
  auto function = builder.getInsertionBlock()
                      ->getParentOp()
                      ->getParentOfType<FunctionOpInterface>();
  if (!function)
    function =
        cast<FunctionOpInterface>(builder.getInsertionBlock()->getParentOp());
  auto module = function->getParentOfType<ModuleOp>();
  auto globalType =
      MemRefType::get(elements.getType().getShape(), elements.getElementType());
  // Equal constants share a global.
  memref::GlobalOp global;
  unsigned count = 0;
  for (auto other : module.getOps<memref::GlobalOp>()) {
    ++count;
    if (other.getInitialValue() == elements)
      global = other;
  }
  OpBuilder::InsertionGuard guard(builder);
  if (!global) {
    builder.setInsertionPointToStart(module.getBody());
    global = memref::GlobalOp::create(
        builder, loc, ("constant_" + Twine(count)).str(),
        builder.getStringAttr("private"), globalType, elements,
        /*constant=*/true, /*alignment=*/builder.getI64IntegerAttr(64));
  }
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  Value buffer = memref::GetGlobalOp::create(builder, loc, globalType,
                                             global.getSymName());
  buffer = memref::CastOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic}, elements.getElementType()),
      buffer);
  IndexBuilder entryIndex(builder, loc);
  auto type = cast<RankedTensorType>(constant.getType());
  setView(op->getResult(0),
          TensorView::create(
              entryIndex, buffer,
              RankedTensorType::get(type.getShape(), type.getElementType())));
  return *getView(op->getResult(0));
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

/// Whether positions `first` to `last` lie in one of the parts that end at
/// `ends`.
static Value isWithinOnePart(OpBuilder &builder, Location loc,
                             OpFoldResult first, OpFoldResult last,
                             ArrayRef<OpFoldResult> ends) {
  IndexBuilder index(builder, loc);
  auto compare = [&](arith::CmpIPredicate predicate, OpFoldResult lhs,
                     OpFoldResult rhs) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, index.value(lhs),
                                 index.value(rhs));
  };
  Value result;
  OpFoldResult start = index.constant(0);
  for (OpFoldResult end : ends) {
    Value within = arith::AndIOp::create(
        builder, loc, compare(arith::CmpIPredicate::sge, first, start),
        compare(arith::CmpIPredicate::slt, last, end));
    result = result ? Value(arith::OrIOp::create(builder, loc, result, within))
                    : within;
    start = end;
  }
  return result;
}

FailureOr<Value> RegionEmitter::computeConcat(Operation *op,
                                              const VectorPoint &point) {
  auto concat = cast<graph::ConcatOp>(op);
  unsigned axis = concat.getAxis();
  Type scalar = computeType(getElementTypeOrSelf(concat.getType()));
  const Coordinate &along = point.coordinates[axis];
  SmallVector<OpFoldResult> ends;
  OpFoldResult end = index.constant(0);
  bool crosses = false, isOpen = false;
  for (Value operand : concat.getXs()) {
    end = index.add(end, sizeOf(operand, axis));
    ends.push_back(end);
    // Lanes stay inside one operand if all start at multiples of the same
    // number, at least as large as the vector.
    std::optional<int64_t> known = IndexBuilder::getConstant(end);
    int64_t common = known ? std::gcd(*known, along.divisor) : 1;
    isOpen |= !known;
    crosses |= along.step < 0 ||
               (along.step * (point.lanes - 1) >= common && common != 0);
  }
  auto oneByOne = [&] {
    return scalarize(scalar, point, [&](const VectorPoint &element) {
      return computeConcat(op, element);
    });
  };
  bool isDivided = !along.isUniform() && crosses;
  if (along.perLane || (isDivided && (!isOpen || along.step < 0)))
    return oneByOne();
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  auto take = [&](unsigned number) -> FailureOr<Value> {
    VectorPoint inner = point;
    if (number > 0) {
      Coordinate &shifted = inner.coordinates[axis];
      shifted.base = index.sub(along.base, ends[number - 1]);
      std::optional<int64_t> known =
          IndexBuilder::getConstant(ends[number - 1]);
      shifted.divisor = known ? std::gcd(*known, along.divisor) : 1;
    }
    return value(concat.getXs()[number], inner);
  };
  // Operands without elements are never chosen.
  SmallVector<unsigned> candidates;
  for (auto [number, operand] : llvm::enumerate(concat.getXs()))
    if (!IndexBuilder::isConstant(sizeOf(operand, axis), 0))
      candidates.push_back(number);
  std::function<FailureOr<Value>(ArrayRef<unsigned>)> choose =
      [&](ArrayRef<unsigned> numbers) -> FailureOr<Value> {
    if (numbers.size() == 1)
      return take(numbers.front());
    // A balanced tree of comparisons.
    size_t half = numbers.size() / 2;
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        index.value(along.base),
                                        index.value(ends[numbers[half - 1]]));
    return branch(
        below, point.typeFor(scalar),
        [&] { return choose(numbers.take_front(half)); },
        [&] { return choose(numbers.drop_front(half)); });
  };
  if (!isDivided)
    return choose(candidates);
  // Usually all lanes are inside one operand.
  OpFoldResult lastLane = point.active
                              ? index.sub(point.active, index.constant(1))
                              : index.constant(point.lanes - 1);
  Value together = isWithinOnePart(
      builder, loc, along.base,
      index.add(along.base, index.mul(lastLane, along.step)), ends);
  return branch(
      together, point.typeFor(scalar), [&] { return choose(candidates); },
      oneByOne);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The position in [0, size) that a position outside stands for.
static OpFoldResult wrapPosition(OpBuilder &builder, Location loc,
                                 graph::PadMode mode, OpFoldResult position,
                                 OpFoldResult size) {
  IndexBuilder index(builder, loc);
  OpFoldResult last = index.sub(size, index.constant(1));
  auto euclideanRemainder = [&](OpFoldResult divisor) -> OpFoldResult {
    Value d = index.value(divisor);
    Value remainder =
        arith::RemSIOp::create(builder, loc, index.value(position), d);
    Value negative =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              remainder, index.value(int64_t(0)));
    Value shifted = arith::AddIOp::create(builder, loc, remainder, d);
    return arith::SelectOp::create(builder, loc, negative, shifted, remainder)
        .getResult();
  };
  switch (mode) {
  case graph::PadMode::constant:
  case graph::PadMode::edge:
    return index.max(index.constant(0), index.min(position, last));
  case graph::PadMode::wrap:
    return euclideanRemainder(size);
  case graph::PadMode::reflect: {
    // There and back again; a single element stays.
    OpFoldResult period =
        index.max(index.constant(1), index.mul(last, int64_t(2)));
    OpFoldResult there = euclideanRemainder(period);
    return index.min(there, index.sub(period, there));
  }
  }
  llvm_unreachable("covered switch");
}

FailureOr<Value> RegionEmitter::computePad(Operation *op,
                                           const VectorPoint &point) {
  auto pad = cast<graph::PadOp>(op);
  Type scalar = computeType(getElementTypeOrSelf(pad.getType()));
  unsigned rank = point.coordinates.size();
  VectorPoint inner = point;
  Value inside, allInside;
  auto require = [&](Value &condition, Value next) {
    condition =
        condition ? Value(arith::AndIOp::create(builder, loc, condition, next))
                  : next;
  };
  auto inRange = [&](OpFoldResult position, OpFoldResult size) {
    // One unsigned comparison covers both ends.
    return Value(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       index.value(position),
                                       index.value(size)));
  };
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  bool hasEmptySource = false, hasOpenSource = false;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t low = pad.getLow()[dim], high = pad.getHigh()[dim];
    OpFoldResult size = sizeOf(pad.getX(), dim);
    hasEmptySource |= IndexBuilder::isConstant(size, 0);
    hasOpenSource |= !IndexBuilder::getConstant(size);
    Coordinate &coordinate = inner.coordinates[dim];
    coordinate = coordinates.add(coordinate, coordinates.constant(-low));
    if (low <= 0 && high <= 0)
      continue;
    if (coordinate.isUniform()) {
      if (pad.getMode() == graph::PadMode::constant)
        require(inside, inRange(coordinate.base, size));
      coordinate.base =
          wrapPosition(builder, loc, pad.getMode(), coordinate.base, size);
      coordinate.divisor = 1;
      continue;
    }
    if (coordinate.perLane)
      return scalarize(scalar, point, [&](const VectorPoint &element) {
        return computePad(op, element);
      });
    OpFoldResult lastLane = point.active
                                ? index.sub(point.active, index.constant(1))
                                : index.constant(point.lanes - 1);
    OpFoldResult last =
        index.add(coordinate.base, index.mul(lastLane, coordinate.step));
    require(allInside, inRange(coordinate.base, size));
    require(allInside, inRange(last, size));
  }
  FailureOr<Value> padding = [&]() -> FailureOr<Value> {
    auto valueType = cast<RankedTensorType>(pad.getValue().getType());
    SmallVector<OpFoldResult> zeros(valueType.getRank(), index.constant(0));
    FailureOr<Value> loaded = value(pad.getValue(), VectorPoint::scalar(zeros));
    if (failed(loaded) || point.lanes == 1)
      return loaded;
    return Value(vector::BroadcastOp::create(builder, loc,
                                             point.typeFor(scalar), *loaded));
  }();
  if (failed(padding) || hasEmptySource)
    return padding;
  auto whole = [&]() -> FailureOr<Value> {
    // A source that may turn out empty must not be read.
    if (inside && hasOpenSource)
      return branch(
          inside, point.typeFor(scalar),
          [&] { return value(pad.getX(), inner); }, [&] { return padding; });
    FailureOr<Value> taken = value(pad.getX(), inner);
    if (failed(taken) || !inside)
      return taken;
    return Value(
        arith::SelectOp::create(builder, loc, inside, *taken, *padding));
  };
  if (!allInside)
    return whole();
  return branch(allInside, point.typeFor(scalar), whole, [&] {
    return scalarize(scalar, point, [&](const VectorPoint &element) {
      return computePad(op, element);
    });
  });
}

//===----------------------------------------------------------------------===//
// Slices and repetitions by tensors
//===----------------------------------------------------------------------===//

/// The first element of a slice along a dim: a start below 0 counts from the
/// end, then both are clamped to where a slice of this direction may begin.
static Value sliceStart(OpBuilder &builder, Location loc, Value start,
                        Value step, OpFoldResult size) {
  IndexBuilder index(builder, loc);
  Value zero = index.value(int64_t(0)), end = index.value(size);
  auto isNegative = [&](Value value) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, value,
                                 zero);
  };
  Value fromEnd = arith::AddIOp::create(builder, loc, start, end);
  start =
      arith::SelectOp::create(builder, loc, isNegative(start), fromEnd, start);
  start = arith::MaxSIOp::create(builder, loc, start, zero);
  Value last = index.value(index.sub(size, index.constant(1)));
  Value limit =
      arith::SelectOp::create(builder, loc, isNegative(step), last, end);
  return arith::MinSIOp::create(builder, loc, start, limit);
}

FailureOr<Value> RegionEmitter::computeSliceDynamic(Operation *op,
                                                    const VectorPoint &point) {
  auto slice = cast<graph::SliceDynamicOp>(op);
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  auto element = [&](Value tensor, size_t number) -> FailureOr<Value> {
    FailureOr<Value> loaded =
        value(tensor, VectorPoint::scalar({index.constant(number)}));
    if (failed(loaded))
      return failure();
    return Value(arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), *loaded));
  };
  VectorPoint inner = point;
  for (auto [number, axis] : llvm::enumerate(slice.getAxes())) {
    Value step = index.value(1);
    if (slice.getSteps()) {
      FailureOr<Value> given = element(slice.getSteps(), number);
      if (failed(given))
        return failure();
      step = *given;
    }
    FailureOr<Value> start = element(slice.getStarts(), number);
    if (failed(start))
      return failure();
    Coordinate first;
    first.base =
        sliceStart(builder, loc, *start, step, sizeOf(slice.getX(), axis));
    Coordinate moved =
        slice.getSteps()
            ? coordinates.mul(inner.coordinates[axis], OpFoldResult(step))
            : inner.coordinates[axis];
    inner.coordinates[axis] = coordinates.add(moved, first);
    inner.coordinates[axis].divisor = 1;
  }
  return value(slice.getX(), inner);
}

FailureOr<Value> RegionEmitter::computeTileDynamic(Operation *op,
                                                   const VectorPoint &point) {
  auto tile = cast<graph::TileDynamicOp>(op);
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  VectorPoint inner = point;
  for (auto [dim, coordinate] : llvm::enumerate(inner.coordinates)) {
    OpFoldResult size = sizeOf(tile.getX(), dim);
    if (size != sizeOf(tile.getResult(), dim))
      coordinate = coordinates.mod(coordinate, size);
  }
  return value(tile.getX(), inner);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

FailureOr<Value> RegionEmitter::compute(Operation *op,
                                        const VectorPoint &point) {
  if (depth == maxDepth)
    return op->emitOpError("is nested too deeply in its kernel");
  ++depth;
  auto restore = llvm::scope_exit([&] { --depth; });
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case<graph::ConcatOp>([&](auto) { return computeConcat(op, point); })
      .Case<graph::PadOp>([&](auto) { return computePad(op, point); })
      .Case<graph::SliceDynamicOp>(
          [&](auto) { return computeSliceDynamic(op, point); })
      .Case<graph::TileDynamicOp>(
          [&](auto) { return computeTileDynamic(op, point); })
      .Case<graph::GatherOp>([&](auto) { return computeGather(op, point); })
      .Case<graph::GatherElementsOp>(
          [&](auto) { return computeGatherElements(op, point); })
      .Case<graph::GatherNDOp>([&](auto) { return computeGatherND(op, point); })
      .Case<graph::OneHotOp>([&](auto) { return computeOneHot(op, point); })
      .Case<graph::RangeOp>([&](auto) { return computeRange(op, point); })
      .Case<graph::QuantizeOp, graph::DequantizeOp>(
          [&](auto) { return computeQuantization(op, point); })
      .Case<graph::ResizeOp>([&](auto) { return computeResize(op, point); })
      .Case<graph::BatchNormOp>(
          [&](auto) { return computeBatchNorm(op, point); })
      .Case<graph::LrnOp>([&](auto) { return computeLrn(op, point); })
      .Default([](Operation *op) -> FailureOr<Value> {
        return op->emitOpError("is not computed element by element");
      });
}
