// Which constants a kernel region holds itself.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/EmbeddedConstant.h"
#include "atc/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace mlir::atc;

bool graph::isEmbeddedConstant(OpOperand &operand) {
  auto constant = operand.get().getDefiningOp<ConstantOp>();
  if (!constant || !isa<SplatElementsAttr>(constant.getValue()))
    return false;
  Operation *op = operand.getOwner();
  if (isa<ScalarBodyInterface>(op) && op->getNumResults() == 1)
    return true;
  return constant.getValue().getNumElements() == 1 &&
         !isa<MatMulOp, ConvOp, ConvTransposeOp, ConvWinogradOp>(op);
}
