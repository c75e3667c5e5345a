// Branches, loops and the end of a region.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/ControlFlow.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/ControlFlow.cpp.inc"

void GraphDialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/ControlFlow.cpp.inc"
      >();
}

/// Whether a tensor may hold exactly one element.
static bool isSingle(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return !ranked || llvm::all_of(ranked.getShape(), [](int64_t dim) {
    return dim == 1 || ShapedType::isDynamic(dim);
  });
}

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

LogicalResult IfOp::verifyRegions() {
  // if-C1
  if (!isSingle(getCondition().getType()))
    return emitOpError() << "expects 'condition' of one element, got "
                         << getCondition().getType();
  // if-C2
  for (Region *region : getRegions()) {
    Block &block = region->front();
    auto yield = dyn_cast<YieldOp>(block.getTerminator());
    if (block.getNumArguments() != 0 || !yield)
      return emitOpError() << "expects regions without arguments that yield";
    if (!areCompatibleTypes(yield.getOperandTypes(), getResultTypes())) {
      auto diagnostic = emitOpError()
                        << "expects both regions to yield the result types";
      diagnostic.attachNote(yield.getLoc())
          << "this yields " << yield.getOperandTypes();
      return diagnostic;
    }
  }
  return success();
}

/// What is true of a value of either type.
static Type joinTypes(Type lhs, Type rhs) {
  auto left = dyn_cast<RankedTensorType>(lhs);
  auto right = dyn_cast<RankedTensorType>(rhs);
  if (!left || !right || left.getRank() != right.getRank())
    return lhs == rhs ? lhs
                      : UnrankedTensorType::get(getElementTypeOrSelf(lhs));
  SmallVector<int64_t> shape;
  for (auto [a, b] : llvm::zip_equal(left.getShape(), right.getShape()))
    shape.push_back(a == b ? a : ShapedType::kDynamic);
  return RankedTensorType::get(shape, left.getElementType());
}

void IfOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  Operation *thenYield = getThenRegion().front().getTerminator();
  Operation *elseYield = getElseRegion().front().getTerminator();
  for (auto [present, left, right] :
       llvm::zip_equal(getResultTypes(), thenYield->getOperandTypes(),
                       elseYield->getOperandTypes())) {
    bool areTensors = isa<TensorType>(left) && isa<TensorType>(right);
    Type merged =
        areTensors ? mergeTypes(present, joinTypes(left, right)) : Type();
    types.push_back(merged ? merged : present);
  }
}

//===----------------------------------------------------------------------===//
// LoopOp
//===----------------------------------------------------------------------===//

/// loop-C4: the types of one carried value may differ in shape only, and in
/// that only as far as they do not contradict each other.
static LogicalResult verifyCarried(LoopOp loop, unsigned index, Type type,
                                   StringRef what) {
  Type initial = loop.getInits()[index].getType();
  if (getElementTypeOrSelf(initial) != getElementTypeOrSelf(type))
    return loop.emitOpError()
           << "expects carried value " << index
           << " to keep its element type, got " << type << " as " << what
           << " and " << initial << " at first";
  return success();
}

LogicalResult LoopOp::verifyRegions() {
  // loop-C1
  if (!isSingle(getTripCount().getType()) ||
      !isSingle(getCondition().getType()))
    return emitOpError() << "expects 'trip_count' and 'condition' of one "
                            "element";
  unsigned carried = getNumCarried();
  if (getNumResults() < carried)
    return emitOpError() << "expects a result for each of " << carried
                         << " carried values, got " << getNumResults();
  // loop-C2
  Block &block = getBody().front();
  if (block.getNumArguments() != carried + 1)
    return emitOpError() << "expects " << carried + 1
                         << " arguments of the body, got "
                         << block.getNumArguments();
  auto number = dyn_cast<RankedTensorType>(block.getArgument(0).getType());
  if (!number || number.getRank() != 0 ||
      !number.getElementType().isSignlessInteger(64))
    return emitOpError() << "expects the body's first argument to be a "
                            "tensor<i64>, got "
                         << block.getArgument(0).getType();
  // loop-C3
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != getNumResults() + 1)
    return emitOpError() << "expects the body to yield " << getNumResults() + 1
                         << " values";
  Type condition = yield.getOperand(0).getType();
  if (!getElementTypeOrSelf(condition).isSignlessInteger(1) ||
      !isSingle(condition))
    return emitOpError() << "expects the body to yield a condition first, got "
                         << condition;
  // loop-C4
  for (unsigned i = 0; i < carried; ++i)
    if (failed(verifyCarried(*this, i, block.getArgument(i + 1).getType(),
                             "argument")) ||
        failed(verifyCarried(*this, i, yield.getOperand(i + 1).getType(),
                             "yield")) ||
        failed(verifyCarried(*this, i, getResult(i).getType(), "result")))
      return failure();
  for (unsigned i = carried; i < getNumResults(); ++i) {
    auto part = dyn_cast<TensorType>(yield.getOperand(i + 1).getType());
    auto whole = dyn_cast<TensorType>(getResult(i).getType());
    if (!part || !whole || part.getElementType() != whole.getElementType() ||
        (part.hasRank() && whole.hasRank() &&
         part.getRank() + 1 != whole.getRank()))
      return emitOpError() << "expects result " << i
                           << " to stack what the body yields, got "
                           << getResult(i).getType() << " for "
                           << yield.getOperand(i + 1).getType();
  }
  return success();
}

void LoopOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  Operation *yield = getBody().front().getTerminator();
  for (auto [index, present] : llvm::enumerate(getResultTypes())) {
    Type better = present;
    Type yielded = yield->getOperand(index + 1).getType();
    if (index < getNumCarried()) {
      // The result is the initial value if the body never runs.
      if (isa<TensorType>(yielded) && isa<TensorType>(present))
        better = joinTypes(getInits()[index].getType(), yielded);
    } else if (auto ranked = dyn_cast<RankedTensorType>(yielded)) {
      SmallVector<int64_t> shape{ShapedType::kDynamic};
      llvm::append_range(shape, ranked.getShape());
      better = RankedTensorType::get(shape, ranked.getElementType());
    }
    Type merged =
        isa<TensorType>(present) ? mergeTypes(present, better) : Type();
    types.push_back(merged ? merged : present);
  }
}
