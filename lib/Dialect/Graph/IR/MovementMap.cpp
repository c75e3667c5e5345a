// Ops that move elements: which element of an operand a result needs.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Movement.h"
#include "atc/Dialect/Graph/IR/TileMap.h"

using namespace mlir;
using namespace mlir::atc::graph;

/// One expression per dim of the first operand, from those of the result.
static FailureOr<AffineMap>
buildMap(Operation *op,
         function_ref<AffineExpr(unsigned dim, AffineExpr index)> build) {
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result)
    return failure();
  SmallVector<AffineExpr> exprs;
  for (unsigned dim = 0; dim < result.getRank(); ++dim)
    exprs.push_back(build(dim, getAffineDimExpr(dim, op->getContext())));
  return AffineMap::get(result.getRank(), 0, exprs, op->getContext());
}

FailureOr<AffineMap> TransposeOp::getOperandMap(unsigned) {
  ArrayRef<int64_t> permutation = getPermutation();
  SmallVector<AffineExpr> exprs(permutation.size());
  for (auto [index, dim] : llvm::enumerate(permutation))
    exprs[dim] = getAffineDimExpr(index, getContext());
  return AffineMap::get(exprs.size(), 0, exprs, getContext());
}

/// A reshape that only adds or drops dims of 1 keeps the order of the others.
FailureOr<AffineMap> ReshapeOp::getOperandMap(unsigned operand) {
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  auto result = dyn_cast<RankedTensorType>(getType());
  if (operand != 0 || !x || !result)
    return failure();
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(result.getShape()))
    if (size != 1)
      kept.push_back(dim);
  SmallVector<AffineExpr> exprs;
  size_t next = 0;
  unsigned dynamic = 0;
  for (int64_t size : x.getShape()) {
    if (size == 1) {
      exprs.push_back(getAffineConstantExpr(0, getContext()));
      continue;
    }
    if (next == kept.size() || result.getDimSize(kept[next]) != size)
      return failure();
    // Two dynamic dims may trade factors.
    if (ShapedType::isDynamic(size) && ++dynamic > 1)
      return failure();
    exprs.push_back(getAffineDimExpr(kept[next++], getContext()));
  }
  if (next != kept.size())
    return failure();
  return AffineMap::get(result.getRank(), 0, exprs, getContext());
}

FailureOr<AffineMap> ExpandOp::getOperandMap(unsigned operand) {
  if (operand != 0)
    return failure();
  return getBroadcastMap(getOperation(), operand);
}

FailureOr<AffineMap> ConcatOp::getOperandMap(unsigned operand) {
  int64_t axis = getAxis(), offset = 0;
  for (Value x : getXs().take_front(operand)) {
    auto type = dyn_cast<RankedTensorType>(x.getType());
    if (!type || type.isDynamicDim(axis))
      return failure();
    offset += type.getDimSize(axis);
  }
  return buildMap(*this, [&](unsigned dim, AffineExpr index) {
    return dim == axis ? index - offset : index;
  });
}

bool ConcatOp::isOperandGuarded(unsigned) { return getXs().size() > 1; }

FailureOr<AffineMap> SliceOp::getOperandMap(unsigned) {
  return buildMap(*this, [&](unsigned dim, AffineExpr index) {
    return index * getSteps()[dim] + getStarts()[dim];
  });
}

FailureOr<AffineMap> PadOp::getOperandMap(unsigned operand) {
  auto type = dyn_cast<RankedTensorType>(getValue().getType());
  if (operand == 1) {
    if (!type)
      return failure();
    SmallVector<AffineExpr> zeros(type.getRank(),
                                  getAffineConstantExpr(0, getContext()));
    return AffineMap::get(getLow().size(), 0, zeros, getContext());
  }
  // Mirrored and wrapped positions are not affine.
  if (getMode() != PadMode::constant)
    return failure();
  return buildMap(*this, [&](unsigned dim, AffineExpr index) {
    return index - getLow()[dim];
  });
}

bool PadOp::isOperandGuarded(unsigned operand) { return operand == 0; }

FailureOr<AffineMap> TileOp::getOperandMap(unsigned) {
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  for (auto [dim, count] : llvm::enumerate(getRepeats()))
    if (!x || (count != 1 && x.isDynamicDim(dim)))
      return failure();
  return buildMap(*this, [&](unsigned dim, AffineExpr index) {
    // A dim without elements has no index.
    bool isRepeated = getRepeats()[dim] != 1 && x.getDimSize(dim) != 0;
    return isRepeated ? index % x.getDimSize(dim) : index;
  });
}

FailureOr<AffineMap> ReverseOp::getOperandMap(unsigned) {
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  for (int64_t axis : getAxes())
    if (!x || x.isDynamicDim(axis))
      return failure();
  return buildMap(*this, [&](unsigned dim, AffineExpr index) {
    bool isReversed = llvm::is_contained(getAxes(), int64_t(dim));
    return isReversed ? x.getDimSize(dim) - 1 - index : index;
  });
}
