// Convolutions of any spatial rank, and their Winograd form.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Convolution.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"
#include "atc/Dialect/Graph/IR/WindowShape.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Convolution.cpp.inc"

void GraphDialect::registerConvolutionOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Convolution.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

LogicalResult ConvOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto x = cast<TensorType>(adaptor.getX().getType());
  auto w = cast<TensorType>(adaptor.getW().getType());
  // conv-C6
  Type element = inferProductType(x.getElementType(), w.getElementType());
  if (!element)
    return error("expects equal element types or 8-bit integers, got ",
                 x.getElementType(), " in 'x' and ", w.getElementType(),
                 " in 'w'");
  // conv-C2, conv-C3
  size_t spatial = adaptor.getStrides().size();
  if (failed(verifyWindow(error, spatial, "strides", adaptor.getStrides(),
                          "dilations", adaptor.getDilations())) ||
      failed(verifyPads(error, spatial, adaptor.getPads())))
    return failure();
  if (!x.hasRank() || !w.hasRank()) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // conv-C1
  if (x.getRank() < 3 || x.getRank() != w.getRank())
    return error("expects equal ranks of at least 3, got ", x.getRank(),
                 " in 'x' and ", w.getRank(), " in 'w'");
  if (spatial != size_t(x.getRank()) - 2)
    return error("expects ", x.getRank() - 2, " strides, got ", spatial);
  int64_t groups = adaptor.getGroups();
  // conv-C4
  int64_t channels = w.getDimSize(1), outputs = w.getDimSize(0);
  if (!x.isDynamicDim(1) && !w.isDynamicDim(1) &&
      (x.getDimSize(1) % groups || x.getDimSize(1) / groups != channels))
    return error("expects channels of 'x' to be those of 'w' times groups ",
                 groups, ", got ", x.getDimSize(1), " and ", channels);
  // conv-C5
  if (!w.isDynamicDim(0) && outputs % groups)
    return error("expects output channels to be a multiple of groups ", groups,
                 ", got ", outputs);
  SmallVector<int64_t> shape{x.getDimSize(0), outputs};
  for (size_t i = 0; i < spatial; ++i) {
    if (w.isDynamicDim(i + 2)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    Window window{w.getDimSize(i + 2), adaptor.getStrides()[i],
                  adaptor.getDilations()[i], adaptor.getPads()[i],
                  adaptor.getPads()[i + spatial]};
    shape.push_back(
        getWindowCount(x.getDimSize(i + 2), window, /*ceilMode=*/false));
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

//===----------------------------------------------------------------------===//
// ConvTransposeOp
//===----------------------------------------------------------------------===//

/// conv_transpose-C2..C4.
static LogicalResult
verifyConvTransposeAttributes(const InferenceError &error,
                              ConvTransposeOp::Adaptor adaptor) {
  ArrayRef<int64_t> strides = adaptor.getStrides();
  ArrayRef<int64_t> dilations = adaptor.getDilations();
  ArrayRef<int64_t> outputPadding = adaptor.getOutputPadding();
  if (failed(verifyWindow(error, strides.size(), "strides", strides,
                          "dilations", dilations)))
    return failure();
  if (adaptor.getPads().size() != 2 * strides.size() ||
      !areBounded(adaptor.getPads()))
    return error("expects ", 2 * strides.size(), " pads, got ",
                 shapeText(adaptor.getPads()));
  if (outputPadding.size() != strides.size())
    return error("expects ", strides.size(), " output paddings, got ",
                 outputPadding.size());
  for (auto [padding, stride, dilation] :
       llvm::zip_equal(outputPadding, strides, dilations))
    if (padding < 0 || padding >= std::max(stride, dilation))
      return error("expects output padding in [0, ", std::max(stride, dilation),
                   "), got ", padding);
  return success();
}

LogicalResult ConvTransposeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto x = cast<TensorType>(adaptor.getX().getType());
  auto w = cast<TensorType>(adaptor.getW().getType());
  Type element = x.getElementType();
  // conv_transpose-C6
  if (element != w.getElementType())
    return error("expects equal element types, got ", element, " in 'x' and ",
                 w.getElementType(), " in 'w'");
  if (failed(verifyConvTransposeAttributes(error, adaptor)))
    return failure();
  if (!x.hasRank() || !w.hasRank()) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // conv_transpose-C1
  if (x.getRank() < 3 || x.getRank() != w.getRank())
    return error("expects equal ranks of at least 3, got ", x.getRank(),
                 " in 'x' and ", w.getRank(), " in 'w'");
  size_t spatial = adaptor.getStrides().size();
  if (spatial != size_t(x.getRank()) - 2)
    return error("expects ", x.getRank() - 2, " strides, got ", spatial);
  int64_t groups = adaptor.getGroups();
  // conv_transpose-C5
  auto channels = mergeDims(x.getDimSize(1), w.getDimSize(0));
  if (!channels)
    return error("expects channels of 'x' and 'w' to agree, got ",
                 x.getDimSize(1), " and ", w.getDimSize(0));
  if (!ShapedType::isDynamic(*channels) && *channels % groups)
    return error("expects channels to be a multiple of groups ", groups,
                 ", got ", *channels);
  int64_t outputs = w.getDimSize(1);
  if (!w.isDynamicDim(1) && llvm::MulOverflow(outputs, groups, outputs))
    return error("expects fewer output channels, got ", w.getDimSize(1));
  SmallVector<int64_t> shape{x.getDimSize(0), outputs};
  for (size_t i = 0; i < spatial; ++i) {
    int64_t size = x.getDimSize(i + 2), kernel = w.getDimSize(i + 2);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(kernel)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    Window window{kernel, adaptor.getStrides()[i], adaptor.getDilations()[i],
                  adaptor.getPads()[i], adaptor.getPads()[i + spatial]};
    auto result =
        getTransposedSize(size, window, adaptor.getOutputPadding()[i]);
    // conv_transpose-C7
    if (!result || *result < 0)
      return error("expects a result size that is not negative and fits, in "
                   "spatial dim ",
                   i);
    shape.push_back(*result);
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

//===----------------------------------------------------------------------===//
// Winograd
//===----------------------------------------------------------------------===//

static bool isWinogradTile(int64_t tile) {
  return tile == 2 || tile == 4 || tile == 6;
}

LogicalResult WinogradFilterOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto w = cast<TensorType>(adaptor.getW().getType());
  int64_t tile = adaptor.getTile();
  // winograd_filter-C2
  if (!isWinogradTile(tile))
    return error("expects 'tile' 2, 4 or 6, got ", tile);
  // winograd_filter-C1
  if (!w.hasRank() || w.getRank() != 4 || !mergeDims(w.getDimSize(2), 3) ||
      !mergeDims(w.getDimSize(3), 3))
    return error("expects 'w' of rank 4 with a 3x3 kernel, got ", w);
  types.push_back(RankedTensorType::get(
      {(tile + 2) * (tile + 2), w.getDimSize(0), w.getDimSize(1)},
      w.getElementType()));
  return success();
}

LogicalResult ConvWinogradOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto x = cast<TensorType>(adaptor.getX().getType());
  auto u = cast<TensorType>(adaptor.getU().getType());
  int64_t tile = adaptor.getTile();
  // conv_winograd-C1
  if (!x.hasRank() || x.getRank() != 4 || !u.hasRank() || u.getRank() != 3)
    return error("expects 'x' of rank 4 and 'u' of rank 3, got ", x, " and ",
                 u);
  // conv_winograd-C2
  if (!isWinogradTile(tile) ||
      !mergeDims(u.getDimSize(0), (tile + 2) * (tile + 2)))
    return error(
        "expects 'tile' 2, 4 or 6 and (tile + 2)^2 planes in 'u', got ", tile,
        " and ", u.getDimSize(0));
  // conv_winograd-C3
  if (failed(verifyPads(error, 2, adaptor.getPads())))
    return failure();
  // conv_winograd-C4
  if (!mergeDims(x.getDimSize(1), u.getDimSize(2)))
    return error("expects channels to agree, got ", x.getDimSize(1),
                 " in 'x' and ", u.getDimSize(2), " in 'u'");
  // conv_winograd-C5
  if (x.getElementType() != u.getElementType())
    return error("expects equal element types, got ", x.getElementType(),
                 " in 'x' and ", u.getElementType(), " in 'u'");
  SmallVector<int64_t> shape{x.getDimSize(0), u.getDimSize(1)};
  for (unsigned i = 0; i < 2; ++i) {
    Window window{3, 1, 1, adaptor.getPads()[i], adaptor.getPads()[i + 2]};
    shape.push_back(
        getWindowCount(x.getDimSize(i + 2), window, /*ceilMode=*/false));
  }
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}
