// Ops that read or write at positions which are data.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Indexing.h"
#include "atc/Dialect/Graph/IR/Folding.h"
#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Indexing.cpp.inc"

void GraphDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Indexing.cpp.inc"
      >();
}

/// A result of the element type of `x`, of unknown rank.
static LogicalResult pushUnranked(Value x, SmallVectorImpl<Type> &types) {
  types.push_back(UnrankedTensorType::get(getElementTypeOrSelf(x)));
  return success();
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t axis = adaptor.getAxis();
  // gather-C1
  if (x && axis >= x.getRank())
    return InferenceError(getOperationName(), location)(
        "expects 'axis' below rank ", x.getRank(), ", got ", axis);
  if (!x || !indices)
    return pushUnranked(adaptor.getX(), types);
  SmallVector<int64_t> shape(x.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, x.getShape().drop_front(axis + 1));
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

FailureOr<AffineMap> GatherOp::getOperandMap(unsigned operand) {
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  auto indices = dyn_cast<RankedTensorType>(getIndices().getType());
  // Where `x` is read depends on the indices.
  if (operand != 1 || !x || !indices)
    return failure();
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < indices.getRank(); ++dim)
    exprs.push_back(getAffineDimExpr(getAxis() + dim, getContext()));
  return AffineMap::get(x.getRank() + indices.getRank() - 1, 0, exprs,
                        getContext());
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  DenseElementsAttr source = getFoldable(adaptor.getX());
  DenseElementsAttr indices = getFoldable(adaptor.getIndices());
  if (!source || !indices || indices.getNumElements() > foldLimit)
    return foldShapeValue(getResult());
  ArrayRef<int64_t> shape = source.getType().getShape();
  int64_t axis = getAxis(), size = shape[axis];
  SmallVector<int64_t> positions;
  for (const APInt &index : indices.getValues<APInt>()) {
    int64_t position = index.getSExtValue();
    if (position < -size || position >= size)
      return {}; // Left to the runtime's rule.
    positions.push_back(position < 0 ? position + size : position);
  }
  SmallVector<int64_t> result(shape.take_front(axis));
  ArrayRef<int64_t> inner = indices.getType().getShape();
  llvm::append_range(result, inner);
  llvm::append_range(result, shape.drop_front(axis + 1));
  SmallVector<int64_t> strides = getRowMajorStrides(shape);
  SmallVector<int64_t> innerStrides = getRowMajorStrides(inner);
  return foldMovement(
      source, RankedTensorType::get(result, source.getElementType()),
      [&](ArrayRef<int64_t> index) {
        int64_t position = 0, picked = 0;
        for (int64_t dim = 0; dim < axis; ++dim)
          position += strides[dim] * index[dim];
        for (size_t dim = 0; dim < inner.size(); ++dim)
          picked += innerStrides[dim] * index[axis + dim];
        position += strides[axis] * positions[picked];
        for (size_t dim = axis + 1; dim < shape.size(); ++dim)
          position += strides[dim] * index[dim - 1 + inner.size()];
        return position;
      });
}

//===----------------------------------------------------------------------===//
// GatherElementsOp
//===----------------------------------------------------------------------===//

LogicalResult GatherElementsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t axis = adaptor.getAxis();
  if (!indices)
    return pushUnranked(adaptor.getX(), types);
  // gather_elements-C1
  if ((x && x.getRank() != indices.getRank()) || axis >= indices.getRank())
    return error("expects equal ranks above 'axis' ", axis, ", got ",
                 adaptor.getX().getType(), " and ", indices);
  // gather_elements-C2
  for (int64_t dim = 0; x && dim < x.getRank(); ++dim) {
    int64_t size = x.getDimSize(dim), count = indices.getDimSize(dim);
    if (dim != axis && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(count) && count > size)
      return error("expects 'indices' not to exceed 'x' outside 'axis' ", axis,
                   ", got ", count, " above ", size, " at dim ", dim);
  }
  types.push_back(RankedTensorType::get(indices.getShape(),
                                        getElementTypeOrSelf(adaptor.getX())));
  return success();
}

//===----------------------------------------------------------------------===//
// GatherNDOp
//===----------------------------------------------------------------------===//

LogicalResult GatherNDOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  if (!x || !indices)
    return pushUnranked(adaptor.getX(), types);
  int64_t batch = adaptor.getBatchDims();
  // gather_nd-C1
  if (x.getRank() <= batch || indices.getRank() <= batch)
    return error("expects ranks above 'batch_dims' ", batch, ", got ", x,
                 " and ", indices);
  int64_t tuple = indices.getShape().back();
  // gather_nd-C3
  if (ShapedType::isDynamic(tuple) || tuple > x.getRank() - batch)
    return error("expects index tuples of at most ", x.getRank() - batch,
                 " entries, got ", shapeText(tuple));
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  for (int64_t dim = 0; dim < batch; ++dim) {
    auto merged = mergeDims(x.getDimSize(dim), shape[dim]);
    // gather_nd-C2
    if (!merged)
      return error("expects batch dims to agree, got ", x.getDimSize(dim),
                   " and ", shape[dim], " at dim ", dim);
    shape[dim] = *merged;
  }
  llvm::append_range(shape, x.getShape().drop_front(batch + tuple));
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterElementsOp and ScatterNDOp
//===----------------------------------------------------------------------===//

/// The type of `x`, without its encoding.
static LogicalResult pushTypeOf(Value x, SmallVectorImpl<Type> &types) {
  auto ranked = dyn_cast<RankedTensorType>(x.getType());
  if (!ranked)
    return pushUnranked(x, types);
  types.push_back(
      RankedTensorType::get(ranked.getShape(), ranked.getElementType()));
  return success();
}

/// scatter_elements-C3 and scatter_nd-C4.
static LogicalResult verifyUpdateElements(const InferenceError &error, Value x,
                                          Value updates) {
  if (getElementTypeOrSelf(x) != getElementTypeOrSelf(updates))
    return error("expects equal element types, got ", getElementTypeOrSelf(x),
                 " in 'x' and ", getElementTypeOrSelf(updates),
                 " in 'updates'");
  return success();
}

LogicalResult ScatterElementsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  if (failed(verifyUpdateElements(error, adaptor.getX(), adaptor.getUpdates())))
    return failure();
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  auto indices = cast<TensorType>(adaptor.getIndices().getType());
  auto updates = cast<TensorType>(adaptor.getUpdates().getType());
  int64_t axis = adaptor.getAxis();
  // scatter_elements-C1
  if (x && (axis >= x.getRank() ||
            (indices.hasRank() && indices.getRank() != x.getRank())))
    return error("expects equal ranks above 'axis' ", axis, ", got ", x,
                 " and ", indices);
  // scatter_elements-C2
  if (failed(verifyCompatibleShape(indices, updates)))
    return error("expects one shape of 'indices' and 'updates', got ", indices,
                 " and ", updates);
  return pushTypeOf(adaptor.getX(), types);
}

LogicalResult ScatterNDOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  if (failed(verifyUpdateElements(error, adaptor.getX(), adaptor.getUpdates())))
    return failure();
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  if (!x || !indices)
    return pushTypeOf(adaptor.getX(), types);
  // scatter_nd-C1
  if (x.getRank() < 1 || indices.getRank() < 1)
    return error("expects ranks of at least 1, got ", x, " and ", indices);
  int64_t tuple = indices.getShape().back();
  // scatter_nd-C2
  if (ShapedType::isDynamic(tuple) || tuple > x.getRank())
    return error("expects index tuples of at most ", x.getRank(),
                 " entries, got ", shapeText(tuple));
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, x.getShape().drop_front(tuple));
  // scatter_nd-C3
  auto updates = cast<TensorType>(adaptor.getUpdates().getType());
  if (failed(verifyCompatibleShape(
          RankedTensorType::get(shape, x.getElementType()), updates)))
    return error("expects 'updates' of shape ", shapeText(shape), ", got ",
                 updates);
  return pushTypeOf(adaptor.getX(), types);
}

//===----------------------------------------------------------------------===//
// OneHotOp
//===----------------------------------------------------------------------===//

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  // one_hot-C3
  Type element = getElementTypeOrSelf(adaptor.getOn());
  if (element != getElementTypeOrSelf(adaptor.getOff()))
    return error("expects one element type of 'on' and 'off', got ", element,
                 " and ", getElementTypeOrSelf(adaptor.getOff()));
  // one_hot-C2
  for (Value scalar : {adaptor.getDepth(), adaptor.getOn(), adaptor.getOff()}) {
    auto ranked = dyn_cast<RankedTensorType>(scalar.getType());
    if (ranked && ranked.getRank() != 0)
      return error("expects 'depth', 'on' and 'off' of rank 0, got ", ranked);
  }
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  if (!indices) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  int64_t axis = adaptor.getAxis();
  // one_hot-C1
  if (axis > indices.getRank())
    return error("expects 'axis' of at most ", indices.getRank(), ", got ",
                 axis);
  int64_t depth = ShapedType::kDynamic;
  if (auto value = constantShapeValue(adaptor.getDepth()))
    depth = std::max<int64_t>(value->front(), 0);
  SmallVector<int64_t> shape(indices.getShape());
  shape.insert(shape.begin() + axis, depth);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}
