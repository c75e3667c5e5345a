// Ops on the sizes of tensors.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Shape.h"
#include "atc/Dialect/Graph/IR/Folding.h"
#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"
#include <cmath>

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Shape.cpp.inc"

void GraphDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Shape.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ShapeOfOp
//===----------------------------------------------------------------------===//

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  int64_t rank = x ? x.getRank() : ShapedType::kDynamic;
  types.push_back(RankedTensorType::get(rank, IntegerType::get(context, 64)));
  return success();
}

OpFoldResult ShapeOfOp::fold(FoldAdaptor) {
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  if (!x || !x.hasStaticShape())
    return {};
  auto type = RankedTensorType::get(
      x.getRank(), cast<TensorType>(getType()).getElementType());
  return DenseElementsAttr::get(type, x.getShape());
}

//===----------------------------------------------------------------------===//
// DimOp
//===----------------------------------------------------------------------===//

LogicalResult DimOp::verify() {
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  // dim-C1
  if (x && getAxis() >= x.getRank())
    return emitOpError() << "expects 'axis' below rank " << x.getRank()
                         << ", got " << getAxis();
  return success();
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  if (!x || getAxis() >= x.getRank() || x.isDynamicDim(getAxis()))
    return {};
  return IntegerAttr::get(IndexType::get(getContext()),
                          x.getDimSize(getAxis()));
}

//===----------------------------------------------------------------------===//
// PackSizesOp
//===----------------------------------------------------------------------===//

LogicalResult PackSizesOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  // pack_sizes-C1
  if (!type || type.getRank() > 1 || !type.hasStaticShape() ||
      type.getNumElements() != static_cast<int64_t>(getSizes().size()))
    return emitOpError() << "expects a result of rank 0 or 1 with "
                         << getSizes().size() << " elements, got " << getType();
  return success();
}

OpFoldResult PackSizesOp::fold(FoldAdaptor adaptor) {
  auto type = cast<RankedTensorType>(getType());
  SmallVector<Attribute> values;
  for (Attribute size : adaptor.getSizes()) {
    auto number = dyn_cast_or_null<IntegerAttr>(size);
    if (!number)
      return {};
    values.push_back(IntegerAttr::get(type.getElementType(),
                                      number.getValue().getSExtValue()));
  }
  return DenseElementsAttr::get(type, values);
}

//===----------------------------------------------------------------------===//
// RangeOp
//===----------------------------------------------------------------------===//

/// The only element of a constant as a double; nullopt where it is none.
static std::optional<double> constantReal(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  APFloat element = *elements.value_begin<APFloat>();
  bool losesInfo;
  element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return element.convertToDouble();
}

/// The number of elements of an integer range; nullopt where it does not fit.
static std::optional<int64_t> countIntegers(int64_t start, int64_t limit,
                                            int64_t delta) {
  __int128 distance = __int128(limit) - start, step = delta;
  if (step < 0) {
    distance = -distance;
    step = -step;
  }
  if (distance <= 0)
    return 0;
  __int128 count = (distance + step - 1) / step;
  return count <= std::numeric_limits<int64_t>::max()
             ? std::optional<int64_t>(int64_t(count))
             : std::nullopt;
}

LogicalResult RangeOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  Type element = getElementTypeOrSelf(adaptor.getStart());
  for (Value operand : adaptor.getOperands()) {
    auto type = cast<TensorType>(operand.getType());
    // range-C1
    if (type.hasRank() && type.getRank() != 0)
      return error("expects operands of rank 0, got ", type);
    // range-C2
    if (type.getElementType() != element)
      return error("expects equal element types, got ", element, " and ",
                   type.getElementType());
  }
  int64_t size = ShapedType::kDynamic;
  if (isa<FloatType>(element)) {
    auto start = constantReal(adaptor.getStart());
    auto limit = constantReal(adaptor.getLimit());
    auto delta = constantReal(adaptor.getDelta());
    // range-C3
    if (delta && *delta == 0)
      return error("expects 'delta' not to be 0");
    if (start && limit && delta) {
      double count = std::ceil((*limit - *start) / *delta);
      if (count < 9.2e18)
        size = count > 0 ? int64_t(count) : 0;
    }
  } else {
    auto start = constantShapeValue(adaptor.getStart());
    auto limit = constantShapeValue(adaptor.getLimit());
    auto delta = constantShapeValue(adaptor.getDelta());
    if (delta && delta->front() == 0)
      return error("expects 'delta' not to be 0");
    if (start && limit && delta)
      size = countIntegers(start->front(), limit->front(), delta->front())
                 .value_or(ShapedType::kDynamic);
  }
  types.push_back(RankedTensorType::get(size, element));
  return success();
}

OpFoldResult RangeOp::fold(FoldAdaptor) {
  auto start = constantShapeValue(getStart());
  auto limit = constantShapeValue(getLimit());
  auto delta = constantShapeValue(getDelta());
  if (!start || !limit || !delta || delta->front() == 0)
    return {};
  auto count = countIntegers(start->front(), limit->front(), delta->front());
  if (!count || *count > foldLimit)
    return {};
  Type element = getElementTypeOrSelf(getStart());
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < *count; ++i)
    values.push_back(
        IntegerAttr::get(element, start->front() + i * delta->front()));
  return DenseElementsAttr::get(RankedTensorType::get(*count, element), values);
}
