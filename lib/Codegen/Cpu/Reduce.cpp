// Reductions, positions of extrema, cumulative sums.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Reduce.h"
#include "atc/Codegen/Cpu/RowTemplate.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

using State = RowLoops::State;

static Type scalarType(Value tensor) {
  return computeType(getElementTypeOrSelf(tensor.getType()));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {

class ReduceTemplate final : public RowTemplate {
public:
  StringRef getName() const override { return "reduce"; }

protected:
  std::optional<RowProblem> match(Block &block,
                                  std::string &reason) const override {
    RowProblem problem;
    problem.anchor = findRowAnchor(
        block,
        [](Operation *op) {
          return isa<graph::ReduceOp, graph::ArgReduceOp>(op);
        },
        reason);
    if (!problem.anchor)
      return std::nullopt;
    problem.input = problem.anchor->getOperand(0);
    SmallVector<int64_t> axes;
    if (auto reduce = dyn_cast<graph::ReduceOp>(problem.anchor))
      axes.assign(reduce.getAxes().begin(), reduce.getAxes().end());
    else
      axes.push_back(cast<graph::ArgReduceOp>(problem.anchor).getAxis());
    splitDims(problem.input, axes, problem.kept, problem.row);
    return problem;
  }

  RowSchedule schedule(RowNest &nest, const RowProblem &problem,
                       const CpuDescription &cpu) const override {
    // A long prologue keeps the units busy by itself.
    return RowSchedule::choose(nest, cpu, nest.prologueOps > 4 ? 1 : 4);
  }

  double cyclesPerVector(const RowProblem &problem) const override {
    return isa<graph::ArgReduceOp>(problem.anchor) ? 3 : 1;
  }

  LogicalResult emit(KernelLaunch &launch, const RowProblem &problem,
                     const RowNest &nest, const RowSchedule &schedule,
                     RowLoops &loops) const override {
    return loops.forEachRow([&]() -> LogicalResult {
      FailureOr<SmallVector<Value>> results =
          isa<graph::ReduceOp>(problem.anchor)
              ? emitReduce(launch, problem, loops)
              : emitArgReduce(launch, problem, loops);
      if (failed(results))
        return failure();
      return loops.storeRowResults(*results);
    });
  }

private:
  static FailureOr<SmallVector<Value>>
  emitReduce(KernelLaunch &launch, const RowProblem &problem, RowLoops &loops) {
    OpBuilder &builder = *launch.builder;
    Location loc = problem.anchor->getLoc();
    auto reduce = cast<graph::ReductionInterface>(problem.anchor);
    Value identity = reduce.buildReductionIdentity(
        builder, loc, loops.laneType(scalarType(problem.input)));
    FailureOr<SmallVector<Value>> totals = loops.reduceRow(
        identity,
        [&](const RowElement &element) { return loops.input(element); },
        [&](Value accumulator, Value value) {
          return reduce.buildReductionCombiner(builder, loc, accumulator,
                                               value);
        });
    if (failed(totals))
      return failure();
    Value count = IndexBuilder(builder, loc).value(loops.rowSize());
    for (Value &total : *totals)
      total = reduce.buildReductionFinalizer(builder, loc, total, count);
    return totals;
  }

  static FailureOr<SmallVector<Value>> emitArgReduce(KernelLaunch &launch,
                                                     const RowProblem &problem,
                                                     RowLoops &loops);
};

} // namespace

/// Two passes: the extremum, then the position of the first (last) element that
/// equals it.
FailureOr<SmallVector<Value>>
ReduceTemplate::emitArgReduce(KernelLaunch &launch, const RowProblem &problem,
                              RowLoops &loops) {
  OpBuilder &builder = *launch.builder;
  auto op = cast<graph::ArgReduceOp>(problem.anchor);
  Location loc = op.getLoc();
  auto kind = op.getKind() == graph::Extremum::max ? graph::ReductionKind::max
                                                   : graph::ReductionKind::min;
  graph::NumberKind numbers =
      graph::getNumberKind(getElementTypeOrSelf(problem.input.getType()));
  Type type = loops.laneType(scalarType(problem.input));
  Value identity =
      graph::buildReductionIdentity(builder, loc, kind, numbers, type);
  FailureOr<SmallVector<Value>> extrema = loops.reduceRow(
      identity, [&](const RowElement &element) { return loops.input(element); },
      [&](Value accumulator, Value value) {
        return graph::buildReduction(builder, loc, kind, numbers, accumulator,
                                     value);
      });
  if (failed(extrema))
    return failure();

  // 32 bits count as many lanes as the values have, usually.
  auto input = cast<RankedTensorType>(problem.input.getType());
  int64_t size = input.getDimSize(op.getAxis());
  bool isShort = !ShapedType::isDynamic(size) &&
                 size < std::numeric_limits<int32_t>::max();
  Type counter = isShort ? builder.getI32Type() : builder.getI64Type();
  Type counters = loops.laneType(counter);
  bool selectsLast = op.getSelectLast();
  Value none = graph::buildInteger(
      builder, loc, counters,
      selectsLast ? -1
                  : (isShort ? std::numeric_limits<int32_t>::max()
                             : std::numeric_limits<int64_t>::max()));
  auto matches = [&](Value value, Value extremum) -> Value {
    if (!isa<FloatType>(scalarType(problem.input)))
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                   value, extremum);
    // A NaN is the extremum; it only equals itself here.
    Value equal = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        value, extremum);
    Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                        value, value);
    return arith::OrIOp::create(builder, loc, equal, isNan);
  };
  FailureOr<SmallVector<Value>> positions = loops.reduceRow(
      none,
      [&](const RowElement &element) -> FailureOr<Value> {
        FailureOr<Value> value = loops.input(element);
        if (failed(value))
          return failure();
        Value match = matches(*value, loops.spread(*extrema, element));
        return Value(arith::SelectOp::create(
            builder, loc, match, loops.rowIndices(element, counter), none));
      },
      [&](Value accumulator, Value value) -> Value {
        if (selectsLast)
          return arith::MaxSIOp::create(builder, loc, accumulator, value);
        return arith::MinSIOp::create(builder, loc, accumulator, value);
      });
  if (failed(positions))
    return failure();
  for (Value &position : *positions)
    if (isShort)
      position = arith::ExtSIOp::create(
          builder, loc,
          graph::withElementType(position.getType(), builder.getI64Type()),
          position);
  return positions;
}

const Template &mlir::atc::cpu::reduceTemplate() {
  static const ReduceTemplate instance;
  return instance;
}

//===----------------------------------------------------------------------===//
// Cumulative sums
//===----------------------------------------------------------------------===//

namespace {

class ScanTemplate final : public RowTemplate {
public:
  StringRef getName() const override { return "scan"; }

protected:
  std::optional<RowProblem> match(Block &block,
                                  std::string &reason) const override {
    RowProblem problem;
    problem.anchor = findRowAnchor(
        block, [](Operation *op) { return isa<graph::CumulativeSumOp>(op); },
        reason);
    if (!problem.anchor)
      return std::nullopt;
    auto scan = cast<graph::CumulativeSumOp>(problem.anchor);
    problem.input = scan.getX();
    splitDims(problem.input, {static_cast<int64_t>(scan.getAxis())},
              problem.kept, problem.row);
    for (Value result : block.getTerminator()->getOperands())
      problem.results.push_back(result);
    return problem;
  }

  RowSchedule schedule(RowNest &nest, const RowProblem &problem,
                       const CpuDescription &cpu) const override {
    RowSchedule chosen = RowSchedule::choose(nest, cpu, 1);
    // Along a contiguous row each sum waits for the one before: no vectors.
    std::optional<int64_t> rows = getConstantSize(nest.kept.back().size);
    if ((rows && *rows < chosen.lanes) || !wasVertical(nest)) {
      chosen.lanes = 1;
      chosen.chooseTiles(nest);
    }
    return chosen;
  }

  double cyclesPerVector(const RowProblem &problem) const override { return 4; }

  LogicalResult emit(KernelLaunch &launch, const RowProblem &problem,
                     const RowNest &nest, const RowSchedule &schedule,
                     RowLoops &loops) const override {
    OpBuilder &builder = *launch.builder;
    auto scan = cast<graph::CumulativeSumOp>(problem.anchor);
    Location loc = scan.getLoc();
    Type type = loops.laneType(scalarType(problem.input));
    bool isFloat = isa<FloatType>(scalarType(problem.input));
    return loops.forEachRow([&]() -> LogicalResult {
      Value zero =
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
      SmallVector<State> initial(loops.chains(), State{zero});
      return loops.overRow(
          initial,
          [&](const RowElement &element,
              ArrayRef<Value> state) -> FailureOr<State> {
            FailureOr<Value> value = loops.input(element);
            if (failed(value))
              return failure();
            Value sum = isFloat ? Value(arith::AddFOp::create(builder, loc,
                                                              state[0], *value))
                                : Value(arith::AddIOp::create(
                                      builder, loc, state[0], *value));
            if (failed(loops.storeResults(
                    element, scan.getExclusive() ? state[0] : sum)))
              return failure();
            return State{sum};
          },
          scan.getReverse());
    });
  }

  /// Rows run one step at a time in any case.
  void adjust(RowNest &nest) const override { nest.isVertical = true; }

private:
  static bool wasVertical(const RowNest &nest) {
    // Some access is contiguous along the innermost kept loop.
    auto contiguous = [&](const LinearAccess &access) {
      AffineExpr stride = access.strides[nest.kept.size() - 1];
      return isConstantSize(stride, 1) || isConstantSize(stride, -1);
    };
    return llvm::any_of(nest.input.accesses, contiguous) ||
           llvm::any_of(nest.resultAccesses, contiguous);
  }
};

} // namespace

const Template &mlir::atc::cpu::scanTemplate() {
  static const ScanTemplate instance;
  return instance;
}
