// Finds the loops of a group of elementwise ops.
// SPDX-License-Identifier: Apache-2.0
#include "VectorProblem.h"
#include "CubeProblem.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static RankedTensorType typeOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool isComputed(Operation *op) {
  return isa<graph::AbsOp, graph::AddOp, graph::DivOp, graph::ErfOp,
             graph::ExpOp, graph::GeluOp, graph::LeakyReluOp, graph::LogOp,
             graph::MaxOp, graph::MinOp, graph::MulOp, graph::NegOp,
             graph::ReciprocalOp, graph::ReluOp, graph::RsqrtOp,
             graph::SigmoidOp, graph::SqrtOp, graph::SubOp, graph::TanhOp>(op);
}

/// Tiles that the expansion of `op` into instructions works in.
static unsigned countScratch(Operation *op) {
  return isa<graph::ErfOp, graph::GeluOp, graph::TanhOp>(op) ? 3 : 0;
}

bool mlir::atc::npu::isVectorOp(Operation *op, std::string &reason) {
  if (!isComputed(op) && !isa<graph::CastOp, graph::RelayoutOp>(op)) {
    reason =
        ("'" + op->getName().getStringRef() + "' has no NPU kernel yet").str();
    return false;
  }
  auto check = [&](Value value) {
    RankedTensorType type = typeOf(value);
    if (!type || !type.hasStaticShape()) {
      reason = "the shape is not static";
      return false;
    }
    if (getDataType(type.getElementType()))
      return true;
    llvm::raw_string_ostream(reason)
        << "elements of type " << type.getElementType()
        << " have no NPU kernel yet";
    return false;
  };
  return llvm::all_of(op->getOperands(), check) && check(op->getResult(0));
}

Value mlir::atc::npu::lookThroughLayouts(Value value) {
  while (auto relayout = value.getDefiningOp<graph::RelayoutOp>())
    value = relayout.getX();
  return value;
}

std::optional<APFloat> mlir::atc::npu::getSplat(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  auto splat =
      constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
  if (!splat || !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

/// A loop over a dim of the result, with each tensor's distance along it.
struct Loop {
  int64_t size;
  SmallVector<int64_t> strides;
};

/// Distances of a tensor along the dims of a result that it broadcasts to.
SmallVector<int64_t> broadcastStrides(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> strides,
                                      unsigned resultRank) {
  SmallVector<int64_t> result(resultRank, 0);
  unsigned shift = resultRank - shape.size();
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1)
      result[dim + shift] = strides[dim];
  return result;
}

/// Loops in the order of the result's memory, neighbours merged where all
/// tensors allow it.
SmallVector<Loop> makeLoops(ArrayRef<int64_t> shape,
                            ArrayRef<SmallVector<int64_t>> strides,
                            ArrayRef<int64_t> resultStrides) {
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1)
      order.push_back(dim);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(-resultStrides[a], a) <
           std::make_pair(-resultStrides[b], b);
  });
  SmallVector<Loop> loops;
  for (unsigned dim : order) {
    Loop loop{shape[dim], {}};
    for (ArrayRef<int64_t> tensor : strides)
      loop.strides.push_back(tensor[dim]);
    bool merges =
        !loops.empty() &&
        llvm::all_of(llvm::zip_equal(loops.back().strides, loop.strides),
                     [&](auto pair) {
                       auto [outer, inner] = pair;
                       return outer == inner * loop.size;
                     });
    if (merges) {
      loops.back().size *= loop.size;
      loops.back().strides = loop.strides;
    } else {
      loops.push_back(std::move(loop));
    }
  }
  return loops;
}

} // namespace

static void setLoops(VectorProblem &problem, SmallVector<Loop> loops) {
  if (!loops.empty() && llvm::all_of(loops.back().strides, [](int64_t stride) {
        return stride == 1;
      })) {
    problem.run = loops.back().size;
    loops.pop_back();
  }
  // Long loops make the best use of a transfer's rows.
  Loop rows{1, SmallVector<int64_t>(
                   problem.inputs.size() + problem.outputs.size(), 0)};
  if (!loops.empty()) {
    auto longest = std::max_element(
        loops.begin(), loops.end(),
        [](const Loop &a, const Loop &b) { return a.size < b.size; });
    rows = *longest;
    loops.erase(longest);
  }
  problem.rows = rows.size;
  for (const Loop &loop : loops)
    problem.outer.push_back(loop.size);
  unsigned number = 0;
  for (SmallVector<VectorTensor> *group : {&problem.inputs, &problem.outputs})
    for (VectorTensor &tensor : *group) {
      for (const Loop &loop : loops)
        tensor.strides.push_back(loop.strides[number]);
      tensor.strides.push_back(rows.strides[number]);
      ++number;
    }
}

std::optional<VectorProblem>
VectorProblem::analyze(Block &block, ArgumentStrides argumentStrides,
                       ResultStrides resultStrides, std::string &reason) {
  VectorProblem problem;
  Operation *terminator = block.getTerminator();
  if (terminator->getNumOperands() == 0)
    return std::nullopt;
  RankedTensorType result = typeOf(terminator->getOperand(0));
  if (!result)
    return std::nullopt;
  ArrayRef<int64_t> shape = result.getShape();

  SmallVector<SmallVector<int64_t>> distances;
  auto addInput = [&](Value value) {
    if (!isa<BlockArgument>(value) ||
        llvm::any_of(problem.inputs, [&](const VectorTensor &tensor) {
          return tensor.value == value;
        }))
      return;
    RankedTensorType type = typeOf(value);
    problem.inputs.push_back({value, *getDataType(type.getElementType()), {}});
    distances.push_back(broadcastStrides(type.getShape(),
                                         argumentStrides(value), shape.size()));
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<graph::ConstantOp>(op)) {
      if (getSplat(op.getResult(0)))
        continue;
      reason = "a constant of many values lies inside the kernel";
      return std::nullopt;
    }
    if (!isVectorOp(&op, reason))
      return std::nullopt;
    if (typeOf(op.getResult(0)).getShape() != shape) {
      reason = "values in between have another shape than the result";
      return std::nullopt;
    }
    for (Value operand : op.getOperands())
      addInput(operand);
    if (!isa<graph::RelayoutOp>(op))
      problem.ops.push_back(&op);
  }
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    RankedTensorType type = typeOf(value);
    if (!type || type.getShape() != shape || getSplat(value)) {
      reason = "results have different shapes";
      return std::nullopt;
    }
    problem.outputs.push_back({value, *getDataType(type.getElementType()), {}});
    distances.push_back(
        broadcastStrides(shape, resultStrides(number), shape.size()));
  }
  setLoops(problem,
           makeLoops(shape, distances,
                     /*resultStrides=*/distances[problem.inputs.size()]));

  // One rounding by one op is what f32 and a conversion would give as well.
  auto isHalf = [](const VectorTensor &tensor) {
    return tensor.type == hw::DataType::F16;
  };
  if (problem.ops.size() == 1 &&
      isa<graph::AbsOp, graph::AddOp, graph::DivOp, graph::MaxOp, graph::MinOp,
          graph::MulOp, graph::NegOp, graph::ReluOp, graph::SubOp>(
          problem.ops.front()) &&
      llvm::all_of(problem.inputs, isHalf) &&
      llvm::all_of(problem.outputs, isHalf))
    problem.computeType = hw::DataType::F16;
  return problem;
}

//===----------------------------------------------------------------------===//
// Temporaries
//===----------------------------------------------------------------------===//

bool mlir::atc::npu::roundsInside(Operation *op, hw::DataType computeType) {
  auto cast = dyn_cast<graph::CastOp>(op);
  if (!cast)
    return false;
  hw::DataType to = *getDataType(typeOf(cast.getResult()).getElementType());
  return byteSize(to) < byteSize(computeType) &&
         llvm::any_of(
             cast.getResult().getUsers(),
             [](Operation *user) {
               return !user->hasTrait<OpTrait::IsTerminator>();
             });
}

namespace {

/// Gives out the lowest free number.
class TemporaryPool {
public:
  unsigned take() {
    for (unsigned i = 0; i < used.size(); ++i)
      if (!used[i]) {
        used[i] = true;
        return i;
      }
    used.push_back(true);
    return used.size() - 1;
  }
  void release(unsigned number) { used[number] = false; }
  unsigned size() const { return used.size(); }

private:
  SmallVector<bool> used;
};

} // namespace

TemporaryPlan::TemporaryPlan(const VectorProblem &problem) {
  // Casts that need no rounding rename their operand.
  llvm::DenseMap<Value, Value> sameAs;
  auto resolve = [&](Value value) {
    value = lookThroughLayouts(value);
    while (sameAs.contains(value))
      value = lookThroughLayouts(sameAs.lookup(value));
    return value;
  };
  llvm::DenseMap<Value, unsigned> lastUse;
  for (auto [position, op] : llvm::enumerate(problem.ops)) {
    if (isa<graph::CastOp>(op) && !roundsInside(op, problem.computeType))
      sameAs[op->getResult(0)] = op->getOperand(0);
    for (Value operand : op->getOperands())
      lastUse[resolve(operand)] = position;
  }
  for (const VectorTensor &output : problem.outputs)
    lastUse[resolve(output.value)] = problem.ops.size();

  TemporaryPool pool;
  for (const VectorTensor &input : problem.inputs)
    if (input.type != problem.computeType && !problem.ops.empty())
      temporaryOf[input.value] = pool.take();
  for (auto [position, op] : llvm::enumerate(problem.ops)) {
    if (!sameAs.contains(op->getResult(0)))
      temporaryOf[op->getResult(0)] = pool.take();
    if (roundsInside(op, problem.computeType)) {
      unsigned number = pool.take();
      roundingOf[op] = number;
      pool.release(number);
    }
    SmallVector<unsigned, 3> &scratch = scratchOf[op];
    for (unsigned i = 0; i < countScratch(op); ++i)
      scratch.push_back(pool.take());
    llvm::for_each(scratch, [&](unsigned number) { pool.release(number); });
    llvm::SmallPtrSet<void *, 4> released;
    for (Value operand : op->getOperands()) {
      Value value = resolve(operand);
      auto it = temporaryOf.find(value);
      if (it != temporaryOf.end() && lastUse.lookup(value) == position &&
          released.insert(value.getAsOpaquePointer()).second)
        pool.release(it->second);
    }
  }
  count = pool.size();
}
