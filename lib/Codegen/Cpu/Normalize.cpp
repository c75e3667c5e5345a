// Softmax and normalizations: passes over rows.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Normalize.h"
#include "atc/Codegen/Cpu/RowTemplate.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "atc/Dialect/Graph/IR/TileMap.h"
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
static AffineMap channelMap(RankedTensorType type) {
  return AffineMap::get(type.getRank(), 0,
                        getAffineDimExpr(1, type.getContext()));
}

static void addParameter(RowProblem &problem, Value tensor, AffineMap map) {
  if (tensor)
    problem.parameters.push_back({tensor, map});
}

/// The map to a parameter that broadcasts to x.
static AffineMap broadcastMap(Value parameter, RankedTensorType type) {
  if (!parameter)
    return {};
  return graph::getBroadcastMap(
      cast<RankedTensorType>(parameter.getType()).getShape(), type.getShape(),
      type.getContext());
}

/// Whether the first parameter multiplies.
static bool hasScale(Operation *anchor) {
  auto layerNorm = dyn_cast<graph::LayerNormOp>(anchor);
  return !layerNorm || layerNorm.getScale();
}

/// Fills loops and parameters by the anchor's kind.
static void describeAnchor(RowProblem &problem) {
  auto type = cast<RankedTensorType>(problem.input.getType());
  int64_t rank = type.getRank();
  auto split = [&](ArrayRef<int64_t> rowDims) {
    splitDims(type, rowDims, problem.kept, problem.row);
  };
  llvm::TypeSwitch<Operation *>(problem.anchor)
      .Case<graph::SoftmaxOp, graph::LogSoftmaxOp>(
          [&](auto op) { split({static_cast<int64_t>(op.getAxis())}); })
      .Case([&](graph::LayerNormOp op) {
        split(dimRange(op.getAxis(), rank));
        addParameter(problem, op.getScale(), broadcastMap(op.getScale(), type));
        addParameter(problem, op.getBias(), broadcastMap(op.getBias(), type));
      })
      .Case([&](graph::RmsNormOp op) {
        split(dimRange(op.getAxis(), rank));
        addParameter(problem, op.getScale(), broadcastMap(op.getScale(), type));
      })
      .Case([&](graph::InstanceNormOp op) {
        split(dimRange(2, rank));
        addParameter(problem, op.getScale(), channelMap(type));
        addParameter(problem, op.getBias(), channelMap(type));
      })
      .Case([&](graph::GroupNormOp op) {
        // Channels are groups times channels of a group.
        split(dimRange(1, rank));
        int64_t groups = op.getGroups();
        int64_t size = type.getDimSize(1) / groups;
        problem.kept.push_back({groups, 1, size});
        problem.row.front() = {size, 1, 1};
        addParameter(problem, op.getScale(), channelMap(type));
        addParameter(problem, op.getBias(), channelMap(type));
      });
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {

/// The passes over the current rows.
class RowPasses {
public:
  RowPasses(KernelLaunch &launch, const RowProblem &problem,
            const RowNest &nest, RowLoops &loops, bool buffersInput)
      : builder(*launch.builder), loc(problem.anchor->getLoc()),
        index(builder, loc), problem(problem), nest(nest), loops(loops),
        buffersInput(buffersInput) {
    scalar = computeType(getElementTypeOrSelf(problem.input.getType()));
    type = loops.laneType(scalar);
    if (needsBuffer(problem, buffersInput))
      buffer = launch.scratchBuffer(0, loops.bufferSize(), scalar);
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
  FailureOr<Values> total =
      sum([&](const RowElement &element) -> FailureOr<Value> {
        FailureOr<Value> x = again(element);
        if (failed(x))
          return failure();
        Value shifted = sub(*x, loops.spread(*maximum, element));
        // Terms below 2^-125 do not count.
        Value power = math::ExpOp::create(builder, loc, shifted,
                                          arith::FastMathFlags::afn);
        if (!isLog)
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
    return mul(kept(element), loops.spread(reciprocals, element));
  });
}

/// Rows of more elements get a corrected mean.
static constexpr int64_t longRow = 4096;

LogicalResult RowPasses::emitNorm(bool centers, double epsilon) {
  double count = static_cast<double>(nest.rowSize());
  Values means;
  if (centers) {
    FailureOr<Values> sums =
        sum([&](const RowElement &element) { return first(element); });
    if (failed(sums))
      return failure();
    for (Value value : *sums)
      means.push_back(mul(value, constant(value.getType(), 1 / count)));
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
  if (centers && nest.rowSize() > longRow) {
    FailureOr<Values> rests = sum(centered);
    if (failed(rests))
      return failure();
    for (auto [mean, rest] : llvm::zip_equal(means, *rests))
      mean = add(mean, mul(rest, constant(rest.getType(), 1 / count)));
  }
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
    Value variance = mul(value, constant(value.getType(), 1 / count));
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
    return std::abs(access.strides[lane]) > 1;
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
    int64_t places = nest.isVertical
                         ? nest.rowSize() * schedule.lanes * schedule.unroll
                         : llvm::alignTo(nest.rowSize(), schedule.lanes);
    Type element = computeType(getElementTypeOrSelf(problem.input.getType()));
    return places * element.getIntOrFloatBitWidth() / 8;
  }

  double cyclesPerVector(const RowProblem &problem) const override {
    return isa<graph::SoftmaxOp, graph::LogSoftmaxOp>(problem.anchor) ? 14 : 6;
  }

  LogicalResult emit(KernelLaunch &launch, const RowProblem &problem,
                     const RowNest &nest, const RowSchedule &schedule,
                     RowLoops &loops) const override {
    RowPasses passes(launch, problem, nest, loops, buffersInput(nest, problem));
    return loops.forEachRow([&] { return passes.emit(); });
  }
};

} // namespace

const Template &mlir::atc::cpu::rowTemplate() {
  static const NormalizeTemplate instance;
  return instance;
}
