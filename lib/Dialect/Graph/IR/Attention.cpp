// Scaled dot-product attention.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Attention.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Attention.cpp.inc"

void GraphDialect::registerAttentionOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Attention.cpp.inc"
      >();
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto q = cast<TensorType>(adaptor.getQ().getType());
  auto k = cast<TensorType>(adaptor.getK().getType());
  auto v = cast<TensorType>(adaptor.getV().getType());
  Type element = q.getElementType();
  // attention-C6
  for (Value operand : adaptor.getOperands())
    if (getElementTypeOrSelf(operand) != element)
      return error("expects equal element types, got ", element, " and ",
                   getElementTypeOrSelf(operand));
  if (!q.hasRank() || !k.hasRank() || !v.hasRank()) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // attention-C1
  int64_t rank = q.getRank();
  if (rank < 2 || k.getRank() != rank || v.getRank() != rank)
    return error("expects equal ranks of at least 2, got ", rank, ", ",
                 k.getRank(), " and ", v.getRank());
  // attention-C2
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank - 2; ++dim) {
    auto size = mergeDims(q.getDimSize(dim), k.getDimSize(dim));
    if (size)
      size = mergeDims(*size, v.getDimSize(dim));
    if (!size)
      return error("expects dim ", dim, " to agree, got ", q.getDimSize(dim),
                   ", ", k.getDimSize(dim), " and ", v.getDimSize(dim));
    shape.push_back(*size);
  }
  // attention-C3
  if (!mergeDims(q.getDimSize(rank - 1), k.getDimSize(rank - 1)))
    return error("expects the last dims of 'q' and 'k' to agree, got ",
                 q.getDimSize(rank - 1), " and ", k.getDimSize(rank - 1));
  // attention-C4
  auto keys = mergeDims(k.getDimSize(rank - 2), v.getDimSize(rank - 2));
  if (!keys)
    return error("expects 'k' and 'v' to hold as many rows, got ",
                 k.getDimSize(rank - 2), " and ", v.getDimSize(rank - 2));
  int64_t queries = q.getDimSize(rank - 2);
  // attention-C5
  if (Value mask = adaptor.getMask()) {
    SmallVector<int64_t> scores(shape);
    scores.append({queries, *keys});
    auto type = dyn_cast<RankedTensorType>(mask.getType());
    if (type && !broadcastsTo(type.getShape(), scores))
      return error("expects 'mask' to broadcast to ", shapeText(scores),
                   ", got ", shapeText(type.getShape()));
  }
  shape.append({queries, v.getDimSize(rank - 1)});
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}
