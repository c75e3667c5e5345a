// Which values of a model float16 would not hold.
// SPDX-License-Identifier: Apache-2.0
#include "WideValues.h"
#include "atc/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace mlir::atc;

bool mlir::atc::isSingle(Value value) {
  auto tensor = dyn_cast<TensorType>(value.getType());
  return tensor && tensor.getElementType().isF32();
}

bool mlir::atc::isConstantTensor(Value value) {
  return isa_and_present<graph::ConstantOp, graph::WeightOp>(
      value.getDefiningOp());
}

static bool isElementwise(Operation *op) {
  return isa<graph::ScalarBodyInterface>(op) && op->getNumResults() == 1;
}

/// Ops whose result holds elements of float operands, unchanged.
static bool moves(Operation *op) {
  return isa<graph::TransposeOp, graph::ReshapeOp, graph::ExpandOp,
             graph::ConcatOp, graph::SliceOp, graph::TileOp, graph::ReverseOp,
             graph::GatherOp, graph::GatherElementsOp, graph::GatherNDOp>(op);
}

/// Integers that float16 does not count exactly.
static bool isLongInteger(Value value) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
  return type && type.getWidth() >= 16;
}

/// Whether an elementwise op reads a number that float16 has not, or has with
/// fewer digits. A bound beyond the range of float16 bounds nothing there, and
/// may be clamped.
static bool readsForeignNumber(Operation *op) {
  constexpr double smallestNormal = 0x1p-14, largest = 65504.0;
  bool clamps = isa<graph::MaxOp, graph::MinOp, graph::SelectOp>(op);
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    auto constant = operand.getDefiningOp<graph::ConstantOp>();
    if (!constant || !isSingle(operand))
      return false;
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return false;
    APFloat number = abs(splat.getSplatValue<APFloat>());
    if (!number.isFiniteNonZero())
      return false;
    double size = number.convertToDouble();
    return size < smallestNormal || (size > largest && !clamps);
  });
}

WideValues::WideValues(func::FuncOp function) {
  Block &body = function.front();
  findIntegerSources(body);
  for (BlockArgument argument : body.getArguments())
    if (wanted.contains(argument))
      wide.insert(argument);
  for (Operation &op : body.without_terminator())
    if (op.getNumResults() == 1 && isSingle(op.getResult(0)) && isWide(&op))
      wide.insert(op.getResult(0));
}

void WideValues::findIntegerSources(Block &body) {
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    bool becomesInteger = isa<graph::CastOp>(op) &&
                          isLongInteger(op.getResult(0)) &&
                          isSingle(op.getOperand(0));
    bool passesOn =
        (isElementwise(&op) || moves(&op)) && wanted.contains(op.getResult(0));
    if (!becomesInteger && !passesOn)
      continue;
    for (Value operand : op.getOperands())
      if (isSingle(operand))
        wanted.insert(operand);
  }
}

bool WideValues::isWide(Operation *op) const {
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return llvm::is_contained({graph::ReductionKind::sum,
                               graph::ReductionKind::mean,
                               graph::ReductionKind::product},
                              reduce.getKind()) ||
           wide.contains(reduce.getX());
  if (isa<graph::RangeOp>(op))
    return true;
  if (isa<graph::CastOp>(op) && isLongInteger(op->getOperand(0)))
    return true;
  if (!isElementwise(op) && !moves(op))
    return false;
  if (isElementwise(op) && readsForeignNumber(op))
    return true;
  bool readsWide = false;
  for (Value operand : op->getOperands()) {
    if (!isSingle(operand) || isConstantTensor(operand))
      continue;
    if (!wide.contains(operand))
      return false;
    readsWide = true;
  }
  return readsWide;
}

bool WideValues::computesWide(Operation *op) const {
  if (llvm::any_of(op->getResults(),
                   [&](Value result) { return wide.contains(result); }))
    return true;
  // Scales of quantized values are numbers of their own.
  if (isa<graph::QuantizeOp, graph::DequantizeOp>(op))
    return isSingle(op->getOperand(1));
  if (!isElementwise(op) && !isa<graph::ArgReduceOp>(op))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return wide.contains(operand); });
}
