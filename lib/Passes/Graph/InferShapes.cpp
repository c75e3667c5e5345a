// Refines types from operands and folds shape arithmetic.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Graph/Passes.h"

namespace mlir::atc {
#define GEN_PASS_DEF_INFERSHAPESPASS
#include "atc/Passes/Graph/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

/// The more precise of two compatible types, dim by dim. Null where they
/// contradict each other.
static Type meet(Type present, Type inferred) {
  auto presentTensor = dyn_cast<TensorType>(present);
  auto inferredTensor = dyn_cast<TensorType>(inferred);
  if (!presentTensor || !inferredTensor)
    return present == inferred ? present : Type();
  if (presentTensor.getElementType() != inferredTensor.getElementType())
    return {};
  if (!presentTensor.hasRank())
    return inferred;
  if (!inferredTensor.hasRank())
    return present;
  if (presentTensor.getRank() != inferredTensor.getRank())
    return {};
  auto ranked = cast<RankedTensorType>(presentTensor);
  SmallVector<int64_t> shape(ranked.getShape());
  for (auto [size, other] : llvm::zip_equal(shape, inferredTensor.getShape())) {
    if (ShapedType::isDynamic(size))
      size = other;
    else if (!ShapedType::isDynamic(other) && other != size)
      return {};
  }
  return RankedTensorType::get(shape, ranked.getElementType(),
                               ranked.getEncoding());
}

/// The result types that follow from the operands, or nothing for ops whose
/// types are given.
static FailureOr<SmallVector<Type>> inferTypes(Operation *op) {
  SmallVector<Type> types;
  if (auto refinement = dyn_cast<graph::TypeRefinementInterface>(op)) {
    refinement.refineResultTypes(types);
    return types;
  }
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return types;
  if (failed(inference.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), types)))
    return failure();
  return types;
}

static LogicalResult refineTypes(Operation *op) {
  FailureOr<SmallVector<Type>> types = inferTypes(op);
  if (failed(types))
    return failure();
  for (auto [result, inferred] : llvm::zip(op->getResults(), *types)) {
    Type refined = meet(result.getType(), inferred);
    if (!refined)
      return op->emitOpError("was declared with result type ")
             << result.getType() << ", but its operands give " << inferred;
    result.setType(refined);
  }
  return success();
}

/// Replaces `op` by what it folds to; it is erased then.
static void foldAway(Operation *op) {
  OpBuilder builder(op);
  SmallVector<Value> values;
  if (failed(builder.tryFold(op, values)) || values.empty())
    return;
  op->replaceAllUsesWith(values);
  op->erase();
}

namespace {

struct InferShapes : mlir::atc::impl::InferShapesPassBase<InferShapes> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    // Operands come first, so one walk reaches the fixpoint.
    for (Operation &op :
         llvm::make_early_inc_range(function.front().without_terminator())) {
      if (failed(refineTypes(&op)))
        return signalPassFailure();
      foldAway(&op);
    }
    Operation *terminator = function.front().getTerminator();
    function.setType(FunctionType::get(&getContext(),
                                       function.getArgumentTypes(),
                                       terminator->getOperandTypes()));
  }
};

} // namespace
