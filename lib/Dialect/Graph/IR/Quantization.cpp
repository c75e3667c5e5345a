// Conversions between real and quantized values.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Quantization.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Quantization.cpp.inc"

void GraphDialect::registerQuantizationOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Quantization.cpp.inc"
      >();
}

/// quantize-C3: whether `scale` fits `x` as one number, by axis or by block.
static bool fitsGranularity(RankedTensorType x, RankedTensorType scale,
                            int64_t axis, int64_t block) {
  if (block > 0) {
    if (scale.getRank() != x.getRank() || axis >= x.getRank())
      return false;
    for (int64_t dim = 0; dim < x.getRank(); ++dim) {
      int64_t size = x.getDimSize(dim);
      if (dim == axis && !x.isDynamicDim(dim))
        size = llvm::divideCeil(uint64_t(size), uint64_t(block));
      if (!mergeDims(size, scale.getDimSize(dim)))
        return false;
    }
    return true;
  }
  if (scale.getRank() == 0)
    return true;
  return scale.getRank() == 1 && axis < x.getRank() &&
         mergeDims(x.getDimSize(axis), scale.getDimSize(0));
}

/// The rules that both conversions share; the result has `element`.
template <typename Adaptor>
static LogicalResult inferQuantization(const InferenceError &error,
                                       Adaptor adaptor, Type element,
                                       SmallVectorImpl<Type> &types) {
  auto x = cast<TensorType>(adaptor.getX().getType());
  auto scale = cast<TensorType>(adaptor.getScale().getType());
  auto zero = cast<TensorType>(adaptor.getZeroPoint().getType());
  int64_t axis = adaptor.getAxis(), block = adaptor.getBlock();
  if (!x.hasRank()) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // quantize-C1
  if (axis != 0 && axis >= x.getRank())
    return error("expects 'axis' below rank ", x.getRank(), ", got ", axis);
  // quantize-C2
  if (failed(verifyCompatibleShape(scale, zero)))
    return error("expects one shape of 'scale' and 'zero_point', got ", scale,
                 " and ", zero);
  // quantize-C3
  if (auto ranked = dyn_cast<RankedTensorType>(scale);
      ranked &&
      !fitsGranularity(cast<RankedTensorType>(x), ranked, axis, block))
    return error("expects 'scale' for the tensor, for axis ", axis,
                 " or for blocks of ", block, " of ", shapeText(x.getShape()),
                 ", got ", shapeText(ranked.getShape()));
  types.push_back(RankedTensorType::get(x.getShape(), element));
  return success();
}

LogicalResult QuantizeOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return inferQuantization(InferenceError(getOperationName(), location),
                           adaptor,
                           getElementTypeOrSelf(adaptor.getZeroPoint()), types);
}

LogicalResult DequantizeOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  Type element = getElementTypeOrSelf(adaptor.getX());
  Type zero = getElementTypeOrSelf(adaptor.getZeroPoint());
  // dequantize-C4
  if (element != zero)
    return error("expects equal element types, got ", element, " in 'x' and ",
                 zero, " in 'zero_point'");
  return inferQuantization(error, adaptor,
                           getElementTypeOrSelf(adaptor.getScale()), types);
}
