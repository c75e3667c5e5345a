// How the order of dims in memory carries over from operands to results.
// SPDX-License-Identifier: Apache-2.0
#include "DimOrder.h"
#include "atc/Target/TensorLayout.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::PhysicalLayout;

/// Ops whose first operand is their data: each dim of the result runs along
/// the same dim of it.
static bool keepsDims(Operation *op) {
  return isa<graph::SliceOp, graph::SliceDynamicOp, graph::PadOp,
             graph::PadDynamicOp, graph::TileOp, graph::TileDynamicOp,
             graph::ReverseOp, graph::ExpandOp, graph::ResizeOp,
             graph::ResizeDynamicOp, graph::SoftmaxOp, graph::LogSoftmaxOp,
             graph::LayerNormOp, graph::RmsNormOp, graph::CumulativeSumOp>(op);
}

/// Whether dim i of the result runs along dim i of the operand.
static bool alignsDims(OpOperand &use) {
  Operation *op = use.getOwner();
  if (op->getNumResults() == 0)
    return false;
  auto operand = dyn_cast<RankedTensorType>(use.get().getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!operand || !result || operand.getRank() != result.getRank())
    return false;
  return isa<graph::ConcatOp, graph::ScalarBodyInterface>(op) ||
         (keepsDims(op) && use.getOperandNumber() == 0);
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<PhysicalLayout>
mlir::atc::orderBefore(OpOperand &use, const PhysicalLayout &result) {
  Operation *op = use.getOwner();
  if (auto transpose = dyn_cast<graph::TransposeOp>(op))
    return layoutBeforeTranspose(result, transpose.getPermutation());
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op);
      reshape && use.getOperandNumber() == 0)
    return layoutThroughReshape(result, shapeOf(reshape.getResult()),
                                shapeOf(use.get()));
  return alignsDims(use) ? std::optional(result) : std::nullopt;
}

std::optional<PhysicalLayout>
mlir::atc::orderBehind(OpOperand &use, const PhysicalLayout &operand) {
  Operation *op = use.getOwner();
  if (auto transpose = dyn_cast<graph::TransposeOp>(op))
    return layoutThroughTranspose(operand, transpose.getPermutation());
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op);
      reshape && use.getOperandNumber() == 0)
    return layoutThroughReshape(operand, shapeOf(use.get()),
                                shapeOf(reshape.getResult()));
  return alignsDims(use) ? std::optional(operand) : std::nullopt;
}

SmallVector<std::optional<PhysicalLayout>>
mlir::atc::ordersBefore(graph::KernelOp kernel, unsigned index,
                        const PhysicalLayout &result) {
  Block &body = kernel.getBodyBlock();
  DenseMap<Value, PhysicalLayout> orders;
  orders.try_emplace(body.getTerminator()->getOperand(index), result);
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    auto it =
        op.getNumResults() > 0 ? orders.find(op.getResult(0)) : orders.end();
    if (it == orders.end())
      continue;
    PhysicalLayout order = it->second;
    for (OpOperand &use : op.getOpOperands())
      if (std::optional<PhysicalLayout> before = orderBefore(use, order))
        orders.try_emplace(use.get(), *before);
  }
  return llvm::map_to_vector(
      kernel.getTensorArguments(),
      [&](BlockArgument argument) -> std::optional<PhysicalLayout> {
        auto it = orders.find(argument);
        return it == orders.end() ? std::nullopt : std::optional(it->second);
      });
}

SmallVector<PhysicalLayout>
mlir::atc::ordersBehind(graph::KernelOp kernel, unsigned index,
                        ArrayRef<std::optional<PhysicalLayout>> arguments) {
  Block &body = kernel.getBodyBlock();
  DenseMap<Value, SmallVector<PhysicalLayout>> orders;
  auto add = [&](Value value, const PhysicalLayout &layout) {
    SmallVector<PhysicalLayout> &known = orders[value];
    if (!llvm::is_contained(known, layout))
      known.push_back(layout);
  };
  for (auto [argument, layout] :
       llvm::zip_equal(kernel.getTensorArguments(), arguments))
    if (layout)
      add(argument, *layout);
  for (Operation &op : body.without_terminator())
    for (OpOperand &use : op.getOpOperands())
      for (const PhysicalLayout &layout : orders.lookup(use.get()))
        if (std::optional<PhysicalLayout> behind = orderBehind(use, layout))
          add(op.getResult(0), *behind);
  return orders.lookup(body.getTerminator()->getOperand(index));
}
