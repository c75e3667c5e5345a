// Softmax and normalizations: passes over rows.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Normalize.h"
#include "atc/Codegen/Cpu/RowTemplate.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

using State = RowLoops::State;

//===----------------------------------------------------------------------===//
// Which rows
//===----------------------------------------------------------------------===//

static bool isNormalization(Operation *op) {
  return isa<graph::SoftmaxOp, graph::LogSoftmaxOp, graph::LayerNormOp,
             graph::RmsNormOp, graph::InstanceNormOp, graph::GroupNormOp>(op);
}

/// Dims [from, to) as a list.
static SmallVector<int64_t> dimRange(int64_t from, int64_t to) {
  return llvm::to_vector(llvm::seq<int64_t>(from, to));
}

/// The index of a parameter of shape [C] for an element of x.
static AffineMap channelMap(Value x) {
  AffineMap identity = getKernelIdentityMap(x);
  return identity.getSubMap({1});
}

static void addParameter(RowProblem &problem, Value tensor, AffineMap map) {
  if (tensor)
    problem.parameters.push_back({tensor, map});
}

/// The map to a parameter that broadcasts to x.
static AffineMap broadcastMap(Value parameter, Value x) {
  if (!parameter)
    return {};
  AffineMap from = *graph::getKernelSizes(parameter);
  AffineMap to = *graph::getKernelSizes(x);
  return getKernelBroadcastMap(from.getResults(), to.getResults(),
                               to.getNumSymbols(), x.getContext());
}

/// Whether the first parameter multiplies.
static bool hasScale(Operation *anchor) {
  auto layerNorm = dyn_cast<graph::LayerNormOp>(anchor);
  return !layerNorm || layerNorm.getScale();
}

/// Fills loops and parameters by the anchor's kind.
static void describeAnchor(RowProblem &problem) {
  Value x = problem.input;
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank();
  auto split = [&](ArrayRef<int64_t> rowDims) {
    splitDims(x, rowDims, problem.kept, problem.row);
  };
  llvm::TypeSwitch<Operation *>(problem.anchor)
      .Case<graph::SoftmaxOp, graph::LogSoftmaxOp>(
          [&](auto op) { split({static_cast<int64_t>(op.getAxis())}); })
      .Case([&](graph::LayerNormOp op) {
        split(dimRange(op.getAxis(), rank));
        addParameter(problem, op.getScale(), broadcastMap(op.getScale(), x));
        addParameter(problem, op.getBias(), broadcastMap(op.getBias(), x));
      })
      .Case([&](graph::RmsNormOp op) {
        split(dimRange(op.getAxis(), rank));
        addParameter(problem, op.getScale(), broadcastMap(op.getScale(), x));
      })
      .Case([&](graph::InstanceNormOp op) {
        split(dimRange(2, rank));
        addParameter(problem, op.getScale(), channelMap(x));
        addParameter(problem, op.getBias(), channelMap(x));
      })
      .Case([&](graph::GroupNormOp op) {
        // Channels are groups times channels of a group.
        split(dimRange(1, rank));
        int64_t groups = op.getGroups();
        int64_t size = type.getDimSize(1) / groups;
        auto expr = [&](int64_t value) {
          return getAffineConstantExpr(value, x.getContext());
        };
        problem.kept.push_back({expr(groups), 1, size});
        problem.row.front() = {expr(size), 1, 1};
        addParameter(problem, op.getScale(), channelMap(x));
        addParameter(problem, op.getBias(), channelMap(x));
      });
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Elements that a buffer of rows of open length has room for.
static constexpr int64_t openBufferSize = 8192;

/// The longest row that is buffered.
static int64_t bufferedRowSize(const RowNest &nest, int64_t rowsAtOnce) {
  return getConstantSize(nest.rowSize()).value_or(openBufferSize / rowsAtOnce);
}

namespace {

/// The passes over the current rows.
class RowPasses {
public:
  /// `hasBuffer`: whether the scratch memory has room for the row.
  RowPasses(KernelLaunch &launch, const RowProblem &problem,
            const RowNest &nest, RowLoops &loops, bool buffersInput,
            int64_t rowsAtOnce, bool hasBuffer)
      : builder(*launch.builder), loc(problem.anchor->getLoc()),
        index(builder, loc), problem(problem), nest(nest), loops(loops),
        buffersInput(buffersInput && hasBuffer) {
    scalar = computeType(getElementTypeOrSelf(problem.input.getType()));
    type = loops.laneType(scalar);
    if (hasBuffer && needsBuffer(problem, buffersInput))
      buffer = launch.scratchBuffer(
          0, loops.bufferSize(bufferedRowSize(nest, rowsAtOnce)), scalar);
  }

  static bool needsBuffer(const RowProblem &problem, bool buffersInput) {
    return buffersInput || isa<graph::SoftmaxOp>(problem.anchor);
  }

  LogicalResult emit();

private:
  using Values = SmallVector<Value>;

  LogicalResult emitSoftmax(bool isLog);
  LogicalResult emitNorm(bool centers, double epsilon);

  FailureOr<Values>
  sum(function_ref<FailureOr<Value>(const RowElement &)> values);
  /// Stores a result for each element.
  LogicalResult
  finish(function_ref<FailureOr<Value>(const RowElement &)> values);

  /// The input; from the second pass on out of the buffer, if there is one.
  FailureOr<Value> first(const RowElement &element);
  FailureOr<Value> again(const RowElement &element);
  void keep(const RowElement &element, Value value);
  Value kept(const RowElement &element);

  /// A sum over the number of elements of a row.
  Value mean(Value sum);
  /// Adds the mean of what is left over to each mean.
  FailureOr<Values>
  correct(ArrayRef<Value> means,
          function_ref<FailureOr<Value>(const RowElement &)> centered);
  LogicalResult
  correctLongRows(Values &means,
                  function_ref<FailureOr<Value>(const RowElement &)> centered);

  Value constant(Type like, double value) {
    return graph::buildFloat(builder, loc, like, value);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
  const RowProblem &problem;
  const RowNest &nest;
  RowLoops &loops;
  bool buffersInput;
  Type scalar, type;
  Value buffer;
};

} // namespace

void RowPasses::keep(const RowElement &element, Value value) {
  Value place = index.value(element.place);
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(builder, loc, value, buffer, place);
  else
    memref::StoreOp::create(builder, loc, value, buffer, ValueRange{place});
}

Value RowPasses::kept(const RowElement &element) {
  Value place = index.value(element.place);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::LoadOp::create(builder, loc, vector, buffer, place);
  return memref::LoadOp::create(builder, loc, buffer, ValueRange{place});
}

FailureOr<Value> RowPasses::first(const RowElement &element) {
  FailureOr<Value> value = loops.input(element);
  if (succeeded(value) && buffersInput)
    keep(element, *value);
  return value;
}

FailureOr<Value> RowPasses::again(const RowElement &element) {
  if (buffersInput)
    return kept(element);
  return loops.input(element);
}

FailureOr<RowPasses::Values>
RowPasses::sum(function_ref<FailureOr<Value>(const RowElement &)> values) {
  return loops.reduceRow(constant(type, 0), values,
                         [&](Value a, Value b) { return add(a, b); });
}

LogicalResult
RowPasses::finish(function_ref<FailureOr<Value>(const RowElement &)> values) {
  SmallVector<State> none(loops.chains());
  return loops.overRow(
      none,
      [&](const RowElement &element, ArrayRef<Value>) -> FailureOr<State> {
        FailureOr<Value> value = values(element);
        if (failed(value) || failed(loops.storeResults(element, *value)))
          return failure();
        return State{};
      });
}

LogicalResult RowPasses::emitSoftmax(bool isLog) {
  Value lowest = constant(type, -std::numeric_limits<double>::infinity());
  FailureOr<Values> maximum = loops.reduceRow(
      lowest, [&](const RowElement &element) { return first(element); },
      [&](Value a, Value b) -> Value {
        return arith::MaximumFOp::create(builder, loc, a, b);
      });
  if (failed(maximum))
    return failure();
  auto powerOf = [&](Value x, const RowElement &element) -> Value {
    Value shifted = sub(x, loops.spread(*maximum, element));
    // Terms below 2^-125 do not count.
    return math::ExpOp::create(builder, loc, shifted,
                               arith::FastMathFlags::afn);
  };
  FailureOr<Values> total =
      sum([&](const RowElement &element) -> FailureOr<Value> {
        FailureOr<Value> x = again(element);
        if (failed(x))
          return failure();
        Value power = powerOf(*x, element);
        if (!isLog && buffer)
          keep(element, power);
        return power;
      });
  if (failed(total))
    return failure();
  if (isLog) {
    Values logs;
    for (Value value : *total)
      logs.push_back(math::LogOp::create(builder, loc, value));
    return finish([&](const RowElement &element) -> FailureOr<Value> {
      FailureOr<Value> x = again(element);
      if (failed(x))
        return failure();
      Value shifted = sub(*x, loops.spread(*maximum, element));
      return sub(shifted, loops.spread(logs, element));
    });
  }
  Values reciprocals;
  for (Value value : *total)
    reciprocals.push_back(div(constant(value.getType(), 1), value));
  return finish([&](const RowElement &element) -> FailureOr<Value> {
    if (buffer)
      return mul(kept(element), loops.spread(reciprocals, element));
    FailureOr<Value> x = again(element);
    if (failed(x))
      return failure();
    return mul(powerOf(*x, element), loops.spread(reciprocals, element));
  });
}

/// Rows of more elements get a corrected mean.
static constexpr int64_t longRow = 4096;

Value RowPasses::mean(Value sum) {
  if (std::optional<int64_t> known = getConstantSize(nest.rowSize()))
    return mul(sum, constant(sum.getType(), 1 / static_cast<double>(*known)));
  Value whole = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                           index.value(loops.rowSize()));
  Value count = arith::SIToFPOp::create(builder, loc, scalar, whole);
  Value reciprocal = div(constant(scalar, 1), count);
  if (sum.getType() != scalar)
    reciprocal =
        vector::BroadcastOp::create(builder, loc, sum.getType(), reciprocal);
  return mul(sum, reciprocal);
}

FailureOr<RowPasses::Values> RowPasses::correct(
    ArrayRef<Value> means,
    function_ref<FailureOr<Value>(const RowElement &)> centered) {
  FailureOr<Values> rests = sum(centered);
  if (failed(rests))
    return failure();
  Values corrected;
  for (auto [value, rest] : llvm::zip_equal(means, *rests))
    corrected.push_back(add(value, mean(rest)));
  return corrected;
}

LogicalResult RowPasses::correctLongRows(
    Values &means,
    function_ref<FailureOr<Value>(const RowElement &)> centered) {
  std::optional<int64_t> known = getConstantSize(nest.rowSize());
  if (known && *known <= longRow)
    return success();
  if (known) {
    FailureOr<Values> corrected = correct(means, centered);
    if (failed(corrected))
      return failure();
    means = std::move(*corrected);
    return success();
  }
  Value isLong =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                            index.value(loops.rowSize()), index.value(longRow));
  auto branch =
      scf::IfOp::create(builder, loc, TypeRange(ValueRange(means)), isLong,
                        /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, means);
    builder.setInsertionPointToStart(branch.thenBlock());
    FailureOr<Values> corrected = correct(means, centered);
    if (failed(corrected))
      return failure();
    scf::YieldOp::create(builder, loc, *corrected);
  }
  llvm::copy(branch.getResults(), means.begin());
  return success();
}

LogicalResult RowPasses::emitNorm(bool centers, double epsilon) {
  Values means;
  if (centers) {
    FailureOr<Values> sums =
        sum([&](const RowElement &element) { return first(element); });
    if (failed(sums))
      return failure();
    for (Value value : *sums)
      means.push_back(mean(value));
  }
  // Squares of the differences, not the difference of squares: two numbers that
  // are nearly equal would cancel.
  auto centered = [&](const RowElement &element) -> FailureOr<Value> {
    FailureOr<Value> x = again(element);
    if (failed(x) || !centers)
      return x;
    return sub(*x, loops.spread(means, element));
  };
  // Rounding of a long sum can exceed a spread that is small beside the mean;
  // the sum of what is left over takes it out again.
  if (centers && failed(correctLongRows(means, centered)))
    return failure();
  FailureOr<Values> squares =
      sum([&](const RowElement &element) -> FailureOr<Value> {
        FailureOr<Value> x = centers ? centered(element) : first(element);
        if (failed(x))
          return failure();
        return mul(*x, *x);
      });
  if (failed(squares))
    return failure();
  Values factors;
  for (Value value : *squares) {
    Value variance = mean(value);
    Value shifted = add(variance, constant(value.getType(), epsilon));
    Value deviation = math::SqrtOp::create(builder, loc, shifted);
    factors.push_back(div(constant(value.getType(), 1), deviation));
  }
  return finish([&](const RowElement &element) -> FailureOr<Value> {
    FailureOr<Value> x = centered(element);
    if (failed(x))
      return failure();
    Value y = mul(*x, loops.spread(factors, element));
    for (unsigned number = 0; number < problem.parameters.size(); ++number) {
      FailureOr<Value> parameter = loops.parameter(number, element);
      if (failed(parameter))
        return failure();
      // Scales come before biases.
      bool isScale = number == 0 && hasScale(problem.anchor);
      y = isScale ? mul(y, *parameter) : add(y, *parameter);
    }
    return y;
  });
}

LogicalResult RowPasses::emit() {
  return llvm::TypeSwitch<Operation *, LogicalResult>(problem.anchor)
      .Case<graph::SoftmaxOp>([&](auto) { return emitSoftmax(false); })
      .Case<graph::LogSoftmaxOp>([&](auto) { return emitSoftmax(true); })
      .Case<graph::RmsNormOp>(
          [&](auto op) { return emitNorm(false, op.getEpsilon()); })
      .Case<graph::LayerNormOp, graph::InstanceNormOp, graph::GroupNormOp>(
          [&](auto op) { return emitNorm(true, op.getEpsilon()); });
}

//===----------------------------------------------------------------------===//
// The template
//===----------------------------------------------------------------------===//

/// Whether the first pass copies the input: it is computed, or its lanes are
/// gathered from memory.
static bool buffersInput(const RowNest &nest, const RowProblem &problem) {
  if (!nest.isLinear || nest.prologueOps > 1)
    return true;
  size_t lane = nest.isVertical ? nest.kept.size() - 1
                                : nest.kept.size() + nest.row.size() - 1;
  return llvm::any_of(nest.input.accesses, [&](const LinearAccess &access) {
    std::optional<int64_t> stride = getConstantSize(access.strides[lane]);
    return std::abs(stride ? static_cast<double>(*stride)
                           : typicalSize(access.strides[lane])) > 1;
  });
}

namespace {

class NormalizeTemplate final : public RowTemplate {
public:
  StringRef getName() const override { return "row"; }

protected:
  std::optional<RowProblem> match(Block &block,
                                  std::string &reason) const override {
    RowProblem problem;
    problem.anchor = findRowAnchor(block, isNormalization, reason);
    if (!problem.anchor)
      return std::nullopt;
    problem.input = problem.anchor->getOperand(0);
    auto type = cast<RankedTensorType>(problem.input.getType());
    if (isa<graph::GroupNormOp>(problem.anchor) && type.isDynamicDim(1)) {
      reason = "groups of channels whose number is only known at run time";
      return std::nullopt;
    }
    describeAnchor(problem);
    for (Value result : block.getTerminator()->getOperands())
      problem.results.push_back(result);
    return problem;
  }

  RowSchedule schedule(RowNest &nest, const RowProblem &problem,
                       const CpuDescription &cpu) const override {
    return RowSchedule::choose(nest, cpu, nest.isVertical ? 1 : 4);
  }

  int64_t scratchBytes(const RowNest &nest, const RowProblem &problem,
                       const RowSchedule &schedule) const override {
    if (!RowPasses::needsBuffer(problem, buffersInput(nest, problem)))
      return 0;
    int64_t rowSize = bufferedRowSize(nest, schedule.rowsAtOnce(nest));
    int64_t places = nest.isVertical ? rowSize * schedule.rowsAtOnce(nest)
                                     : llvm::alignTo(rowSize, schedule.lanes);
    Type element = computeType(getElementTypeOrSelf(problem.input.getType()));
    return places * element.getIntOrFloatBitWidth() / 8;
  }

  double cyclesPerVector(const RowProblem &problem) const override {
    return isa<graph::SoftmaxOp, graph::LogSoftmaxOp>(problem.anchor) ? 14 : 6;
  }

  LogicalResult emit(KernelLaunch &launch, const RowProblem &problem,
                     const RowNest &nest, const RowSchedule &schedule,
                     RowLoops &loops) const override {
    bool copies = buffersInput(nest, problem);
    int64_t rowsAtOnce = schedule.rowsAtOnce(nest);
    RowPasses passes(launch, problem, nest, loops, copies, rowsAtOnce,
                     /*hasBuffer=*/true);
    if (getConstantSize(nest.rowSize()) ||
        !RowPasses::needsBuffer(problem, copies))
      return loops.forEachRow([&] { return passes.emit(); });
    // Rows that do not fit into the buffer are computed once more instead.
    RowPasses longPasses(launch, problem, nest, loops, copies, rowsAtOnce,
                         /*hasBuffer=*/false);
    return loops.forEachRow([&]() -> LogicalResult {
      OpBuilder &builder = *launch.builder;
      Location loc = problem.anchor->getLoc();
      IndexBuilder index(builder, loc);
      Value fits = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sle, index.value(loops.rowSize()),
          index.value(bufferedRowSize(nest, rowsAtOnce)));
      auto branch =
          scf::IfOp::create(builder, loc, fits, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      if (failed(passes.emit()))
        return failure();
      builder.setInsertionPointToStart(branch.elseBlock());
      return longPasses.emit();
    });
  }
};

} // namespace

const Template &mlir::atc::cpu::rowTemplate() {
  static const NormalizeTemplate instance;
  return instance;
}
