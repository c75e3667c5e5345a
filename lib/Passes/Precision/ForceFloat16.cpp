// Narrows float32 to float16 between inputs and outputs.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Precision/Passes.h"

namespace mlir::atc {
#define GEN_PASS_DEF_FORCEFLOAT16PASS
#include "atc/Passes/Precision/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

/// The float16 type that takes the place of a float32 tensor type, else null.
static TensorType narrowed(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor || !tensor.getElementType().isF32())
    return {};
  return tensor.clone(Float16Type::get(type.getContext()));
}

/// Clamps to the range of float16 first, where a constant could leave it.
static Value narrowConstant(OpBuilder &builder, Location loc, Value value) {
  constexpr double largest = 65504.0;
  auto bound = [&](double number) -> Value {
    auto type = RankedTensorType::get({}, builder.getF32Type());
    return graph::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getF32FloatAttr(number)));
  };
  Value low = graph::MaxOp::create(builder, loc, value, bound(-largest));
  Value clamped = graph::MinOp::create(builder, loc, low, bound(largest));
  return graph::CastOp::create(builder, loc, clamped, builder.getF16Type());
}

namespace {

struct ForceFloat16 : mlir::atc::impl::ForceFloat16PassBase<ForceFloat16> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    OpBuilder builder(function.getContext());
    Block &body = function.front();
    SmallVector<Operation *> ops = llvm::map_to_vector(
        body.without_terminator(), [](Operation &op) { return &op; });

    builder.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments())
      if (narrowed(argument.getType())) {
        Value cast = graph::CastOp::create(builder, argument.getLoc(), argument,
                                           builder.getF16Type());
        argument.replaceAllUsesExcept(cast, cast.getDefiningOp());
      }
    for (Operation *op : ops)
      narrowOp(builder, op);
    widenResults(builder, function);
  }

private:
  static void narrowOp(OpBuilder &builder, Operation *op) {
    if (isa<graph::WeightOp, graph::ConstantOp>(op)) {
      Value value = op->getResult(0);
      if (!narrowed(value.getType()))
        return;
      builder.setInsertionPointAfter(op);
      SmallVector<OpOperand *> uses = llvm::map_to_vector(
          value.getUses(), [](OpOperand &use) { return &use; });
      Value narrow = narrowConstant(builder, op->getLoc(), value);
      for (OpOperand *use : uses)
        use->set(narrow);
      return;
    }
    if (auto cast = dyn_cast<graph::CastOp>(op);
        cast && narrowed(cast.getType()))
      cast.setTo(builder.getF16Type());
    for (Value result : op->getResults())
      if (TensorType type = narrowed(result.getType()))
        result.setType(type);
  }

  static void widenResults(OpBuilder &builder, func::FuncOp function) {
    Operation *terminator = function.front().getTerminator();
    builder.setInsertionPoint(terminator);
    for (auto [operand, type] :
         llvm::zip_equal(terminator->getOpOperands(),
                         function.getFunctionType().getResults()))
      if (narrowed(type) && operand.get().getType() != type)
        operand.set(graph::CastOp::create(builder, operand.get().getLoc(),
                                          operand.get(), builder.getF32Type()));
  }
};

} // namespace
