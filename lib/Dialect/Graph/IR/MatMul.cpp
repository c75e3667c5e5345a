// Matrix products.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/MatMul.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/MatMul.cpp.inc"

void GraphDialect::registerMatMulOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/MatMul.cpp.inc"
      >();
}

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto lhs = cast<TensorType>(adaptor.getLhs().getType());
  auto rhs = cast<TensorType>(adaptor.getRhs().getType());
  // matmul-C4
  Type element = inferProductType(lhs.getElementType(), rhs.getElementType());
  if (!element)
    return error("expects equal element types or 8-bit integers, got ",
                 lhs.getElementType(), " in 'lhs' and ", rhs.getElementType(),
                 " in 'rhs'");
  if (!lhs.hasRank() || !rhs.hasRank()) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // matmul-C1
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return error("expects ranks of at least 2, got ", lhs.getRank(),
                 " in 'lhs' and ", rhs.getRank(), " in 'rhs'");
  ArrayRef<int64_t> left = lhs.getShape(), right = rhs.getShape();
  bool transposeLhs = adaptor.getTransposeLhs();
  bool transposeRhs = adaptor.getTransposeRhs();
  int64_t m = left.take_back(2)[transposeLhs ? 1 : 0];
  int64_t leftK = left.take_back(2)[transposeLhs ? 0 : 1];
  int64_t rightK = right.take_back(2)[transposeRhs ? 1 : 0];
  int64_t n = right.take_back(2)[transposeRhs ? 0 : 1];
  // matmul-C2
  if (!mergeDims(leftK, rightK))
    return error("expects one inner size, got ", leftK, " in 'lhs' and ",
                 rightK, " in 'rhs'");
  // matmul-C3
  auto shape = broadcastShapes(left.drop_back(2), right.drop_back(2));
  if (!shape)
    return error("expects leading dims that broadcast, got ",
                 shapeText(left.drop_back(2)), " in 'lhs' and ",
                 shapeText(right.drop_back(2)), " in 'rhs'");
  shape->append({m, n});
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}
