// Ops that combine elements along dims.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Reduction.h"
#include "atc/Dialect/Graph/IR/Folding.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Reduction.cpp.inc"

void GraphDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Reduction.cpp.inc"
      >();
}

/// `shape` with the given dims removed, or kept with size 1.
static SmallVector<int64_t> dropDims(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> axes, bool keepDims) {
  SmallVector<int64_t> result;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, int64_t(dim)))
      result.push_back(size);
    else if (keepDims)
      result.push_back(1);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto type = cast<TensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  auto ranked = dyn_cast<RankedTensorType>(type);
  // reduce-C1
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (axis <= previous)
      return error("expects axes to ascend, got ", shapeText(axes));
    if (ranked && axis >= ranked.getRank())
      return error("expects axes below rank ", ranked.getRank(), ", got ",
                   axis);
    previous = axis;
  }
  if (!ranked) {
    types.push_back(UnrankedTensorType::get(type.getElementType()));
    return success();
  }
  types.push_back(RankedTensorType::get(
      dropDims(ranked.getShape(), axes, adaptor.getKeepDims()),
      ranked.getElementType()));
  return success();
}

LogicalResult ReduceOp::verify() {
  // reduce-C2
  bool isBool = getNumberKind(getElementTypeOrSelf(getX())) == NumberKind::Bool;
  if (isBool && getKind() != ReductionKind::max &&
      getKind() != ReductionKind::min)
    return emitOpError() << "expects kind max or min for booleans, got "
                         << stringifyReductionKind(getKind());
  return success();
}

ReductionKind ReduceOp::getReductionKind() { return getKind(); }
ArrayRef<int64_t> ReduceOp::getReductionAxes() { return getAxes(); }
bool ReduceOp::getReductionKeepsDims() { return getKeepDims(); }

Value ReduceOp::buildReductionIdentity(OpBuilder &builder, Location loc,
                                       Type type) {
  return graph::buildReductionIdentity(
      builder, loc, getKind(), getNumberKind(getElementTypeOrSelf(getX())),
      type);
}

Value ReduceOp::buildReductionCombiner(OpBuilder &builder, Location loc,
                                       Value accumulator, Value value) {
  return buildReduction(builder, loc, getKind(),
                        getNumberKind(getElementTypeOrSelf(getX())),
                        accumulator, value);
}

Value ReduceOp::buildReductionFinalizer(OpBuilder &builder, Location loc,
                                        Value accumulator, Value count) {
  if (getKind() != ReductionKind::mean)
    return accumulator;
  Type type = accumulator.getType();
  Type element = getElementTypeOrSelf(type);
  NumberKind kind = getNumberKind(getElementTypeOrSelf(getX()));
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count);
  Value divisor;
  if (kind == NumberKind::Float)
    divisor = arith::SIToFPOp::create(builder, loc, element, integer);
  else
    divisor = buildCast(builder, loc, integer, builder.getI64Type(), element,
                        /*saturate=*/false);
  if (auto vector = dyn_cast<VectorType>(type))
    divisor = vector::BroadcastOp::create(builder, loc, vector, divisor);
  switch (kind) {
  case NumberKind::Float:
    return arith::DivFOp::create(builder, loc, accumulator, divisor);
  case NumberKind::Signed:
    return arith::DivSIOp::create(builder, loc, accumulator, divisor);
  default:
    return arith::DivUIOp::create(builder, loc, accumulator, divisor);
  }
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty() && getX().getType() == getType())
    return getX();
  DenseElementsAttr source = getFoldable(adaptor.getX());
  NumberKind kind = getNumberKind(getElementTypeOrSelf(getX()));
  ReductionKind reduction = getKind();
  if (!source || source.getNumElements() > foldLimit ||
      kind == NumberKind::Float || kind == NumberKind::None ||
      reduction == ReductionKind::mean)
    return {};
  ArrayRef<int64_t> shape = source.getType().getShape();
  auto element = cast<IntegerType>(source.getElementType());
  bool isSigned = kind == NumberKind::Signed;
  unsigned width = element.getWidth();
  APInt identity(width, reduction == ReductionKind::product ? 1 : 0);
  if (reduction == ReductionKind::max && isSigned)
    identity = APInt::getSignedMinValue(width);
  if (reduction == ReductionKind::min)
    identity =
        isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  auto combine = [&](const APInt &a, const APInt &b) {
    switch (reduction) {
    case ReductionKind::product:
      return a * b;
    case ReductionKind::max:
      return (isSigned ? a.sge(b) : a.uge(b)) ? a : b;
    case ReductionKind::min:
      return (isSigned ? a.sle(b) : a.ule(b)) ? a : b;
    default:
      return a + b;
    }
  };

  SmallVector<int64_t> kept = dropDims(shape, getAxes(), /*keepDims=*/true);
  auto type =
      RankedTensorType::get(dropDims(shape, getAxes(), getKeepDims()), element);
  if (type.getNumElements() > foldLimit)
    return {};
  SmallVector<APInt> values(type.getNumElements(), identity);
  SmallVector<int64_t> strides = getRowMajorStrides(kept);
  auto sources = source.value_begin<APInt>();
  int64_t position = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t target = 0;
    for (auto [dim, i] : llvm::enumerate(index))
      if (!llvm::is_contained(getAxes(), int64_t(dim)))
        target += strides[dim] * i;
    values[target] = combine(values[target], sources[position++]);
  });
  return DenseElementsAttr::get(type, values);
}

//===----------------------------------------------------------------------===//
// ArgReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  Type index = IntegerType::get(context, 64);
  auto ranked = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (!ranked) {
    types.push_back(UnrankedTensorType::get(index));
    return success();
  }
  int64_t axis = adaptor.getAxis();
  // arg_reduce-C1
  if (axis >= ranked.getRank())
    return error("expects 'axis' below rank ", ranked.getRank(), ", got ",
                 axis);
  SmallVector<int64_t> shape =
      dropDims(ranked.getShape(), axis, adaptor.getKeepDims());
  // arg_reduce-C2
  if (ranked.getDimSize(axis) == 0 && !llvm::is_contained(shape, 0))
    return error("expects dim ", axis, " of 'x' not to be empty");
  types.push_back(RankedTensorType::get(shape, index));
  return success();
}

//===----------------------------------------------------------------------===//
// CumulativeSumOp
//===----------------------------------------------------------------------===//

LogicalResult CumulativeSumOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferSameType(getOperationName(), location, adaptor.getX(),
                       adaptor.getAxis(), types);
}
