// A kernel of one op, to ask templates about the op.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Common/SingleOpKernel.h"

using namespace mlir;
using namespace mlir::atc;

/// Whether fusion would clone the definition of `operand` into a kernel that
/// holds `op`; the same rule as in FuseKernels.
static bool isEmbedded(Value operand, Operation *op) {
  auto constant = operand.getDefiningOp<graph::ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue()) &&
         (isa<graph::ScalarBodyInterface>(op) ||
          constant.getValue().getNumElements() == 1);
}

OwningOpRef<graph::KernelOp> mlir::atc::createSingleOpKernel(Operation *op) {
  SmallVector<Value> operands;
  SmallVector<Operation *> constants;
  for (Value operand : op->getOperands())
    if (isEmbedded(operand, op))
      constants.push_back(operand.getDefiningOp());
    else
      operands.push_back(operand);
  OpBuilder builder(op->getContext());
  OwningOpRef<graph::KernelOp> kernel =
      graph::KernelOp::create(builder, op->getLoc(), op->getResultTypes(),
                              operands, /*dims=*/ValueRange());
  builder.setInsertionPointToEnd(&kernel->getBodyBlock());
  IRMapping mapping;
  mapping.map(operands, kernel->getBodyBlock().getArguments());
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  Operation *clone = builder.clone(*op, mapping);
  // A range of results alone would pass for result types.
  graph::YieldOp::create(builder, op->getLoc(),
                         ValueRange(clone->getResults()));
  return kernel;
}
