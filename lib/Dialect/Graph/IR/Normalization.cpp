// Normalizations that kernels compute whole.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Normalization.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Normalization.cpp.inc"

void GraphDialect::registerNormalizationOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Normalization.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferSameType(getOperationName(), location, adaptor.getX(),
                       adaptor.getAxis(), types);
}

LogicalResult LogSoftmaxOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferSameType(getOperationName(), location, adaptor.getX(),
                       adaptor.getAxis(), types);
}

//===----------------------------------------------------------------------===//
// Normalization over trailing dims
//===----------------------------------------------------------------------===//

/// layer_norm-C2, C3 and rms_norm-C2, C3.
static LogicalResult verifyScale(const InferenceError &error, Value x,
                                 Value scale, StringRef name) {
  if (!scale)
    return success();
  auto type = cast<TensorType>(x.getType());
  auto scaleType = cast<TensorType>(scale.getType());
  if (type.getElementType() != scaleType.getElementType())
    return error("expects equal element types, got ", type.getElementType(),
                 " in 'x' and ", scaleType.getElementType(), " in '", name,
                 "'");
  if (type.hasRank() && scaleType.hasRank() &&
      !broadcastsTo(scaleType.getShape(), type.getShape()))
    return error("expects '", name, "' to broadcast to ",
                 shapeText(type.getShape()), ", got ",
                 shapeText(scaleType.getShape()));
  return success();
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  if (failed(verifyScale(error, adaptor.getX(), adaptor.getScale(), "scale")) ||
      failed(verifyScale(error, adaptor.getX(), adaptor.getBias(), "bias")))
    return failure();
  // layer_norm-C1
  return inferSameType(getOperationName(), location, adaptor.getX(),
                       adaptor.getAxis(), types);
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  if (failed(verifyScale(error, adaptor.getX(), adaptor.getScale(), "scale")))
    return failure();
  // rms_norm-C1
  return inferSameType(getOperationName(), location, adaptor.getX(),
                       adaptor.getAxis(), types);
}

//===----------------------------------------------------------------------===//
// Normalization by channel
//===----------------------------------------------------------------------===//

/// C1 and C2 of the ops whose parameters have one element per channel.
static LogicalResult inferChannelNorm(const InferenceError &error,
                                      ValueRange operands, int64_t minRank,
                                      SmallVectorImpl<Type> &types) {
  auto x = cast<TensorType>(operands[0].getType());
  if (!x.hasRank()) {
    types.push_back(x);
    return success();
  }
  if (x.getRank() < minRank)
    return error("expects 'x' of rank ", minRank, " or more, got ",
                 x.getRank());
  SmallVector<int64_t> shape(x.getShape());
  for (auto [index, operand] : llvm::enumerate(operands.drop_front())) {
    auto parameter = cast<TensorType>(operand.getType());
    if (!parameter.hasRank())
      continue;
    std::optional<int64_t> channels;
    if (parameter.getRank() == 1)
      channels = mergeDims(shape[1], parameter.getDimSize(0));
    if (!channels)
      return error("expects operand ", index + 1, " to have shape ",
                   shapeText(shape[1]), ", got ",
                   shapeText(parameter.getShape()));
    shape[1] = *channels;
  }
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

/// C3 of instance_norm and group_norm.
static LogicalResult verifyEqualElements(const InferenceError &error,
                                         ValueRange operands) {
  Type element = getElementTypeOrSelf(operands[0]);
  for (auto [index, operand] : llvm::enumerate(operands))
    if (getElementTypeOrSelf(operand) != element)
      return error("expects equal element types, got ", element, " in 'x' and ",
                   getElementTypeOrSelf(operand), " in operand ", index);
  return success();
}

LogicalResult BatchNormOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  // batch_norm-C1, C2
  return inferChannelNorm(InferenceError(getOperationName(), location),
                          adaptor.getOperands(), /*minRank=*/2, types);
}

LogicalResult InstanceNormOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  if (failed(verifyEqualElements(error, adaptor.getOperands())))
    return failure();
  return inferChannelNorm(error, adaptor.getOperands(), /*minRank=*/3, types);
}

LogicalResult GroupNormOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  if (failed(verifyEqualElements(error, adaptor.getOperands())) ||
      failed(
          inferChannelNorm(error, adaptor.getOperands(), /*minRank=*/3, types)))
    return failure();
  // group_norm-C4
  auto ranked = dyn_cast<RankedTensorType>(types.back());
  int64_t groups = adaptor.getGroups();
  if (ranked && !ranked.isDynamicDim(1) && ranked.getDimSize(1) % groups)
    return error("expects channels to be a multiple of groups ", groups,
                 ", got ", ranked.getDimSize(1));
  return success();
}

LogicalResult LrnOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  // lrn-C1: the channel dim is there.
  return inferSameType(getOperationName(), location, adaptor.getX(), /*axis=*/1,
                       types);
}
