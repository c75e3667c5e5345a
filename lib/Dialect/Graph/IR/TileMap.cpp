// Index maps between results and operands.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/TileMap.h"

using namespace mlir;
using namespace mlir::atc;

AffineMap graph::getBroadcastMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                 MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  size_t offset = to.size() - from.size();
  for (auto [index, dim] : llvm::enumerate(from)) {
    // A dim of 1 that stays 1 keeps its plain index: maps of equal shapes are
    // identities.
    bool repeats = dim == 1 && to[offset + index] != 1;
    exprs.push_back(repeats ? getAffineConstantExpr(0, context)
                            : getAffineDimExpr(offset + index, context));
  }
  return AffineMap::get(to.size(), 0, exprs, context);
}

FailureOr<AffineMap> graph::getBroadcastMap(Operation *op, unsigned operand) {
  auto from = dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !to || from.getRank() > to.getRank())
    return failure();
  return getBroadcastMap(from.getShape(), to.getShape(), op->getContext());
}
