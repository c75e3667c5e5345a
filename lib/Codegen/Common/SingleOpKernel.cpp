// A kernel of one op, to ask templates about the op.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Common/SingleOpKernel.h"
#include "atc/Dialect/Graph/IR/EmbeddedConstant.h"

using namespace mlir;
using namespace mlir::atc;

OwningOpRef<graph::KernelOp> mlir::atc::createSingleOpKernel(Operation *op) {
  SmallVector<Value> operands;
  SmallVector<Operation *> constants;
  for (OpOperand &operand : op->getOpOperands())
    if (graph::isEmbeddedConstant(operand))
      constants.push_back(operand.get().getDefiningOp());
    else
      operands.push_back(operand.get());
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
