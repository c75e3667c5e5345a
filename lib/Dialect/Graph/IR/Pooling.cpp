// Pooling over windows.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Pooling.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"
#include "atc/Dialect/Graph/IR/WindowShape.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Pooling.cpp.inc"

void GraphDialect::registerPoolingOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Pooling.cpp.inc"
      >();
}

/// Both poolings obey the same rules.
template <typename Adaptor>
static LogicalResult inferPool(const InferenceError &error, Adaptor adaptor,
                               SmallVectorImpl<Type> &types) {
  auto x = cast<TensorType>(adaptor.getX().getType());
  size_t spatial = adaptor.getKernel().size();
  // pool-C2, pool-C3
  if (failed(verifyWindow(error, spatial, "kernel", adaptor.getKernel(),
                          "strides", adaptor.getStrides())) ||
      failed(verifyWindow(error, spatial, "kernel", adaptor.getKernel(),
                          "dilations", adaptor.getDilations())) ||
      failed(verifyPads(error, spatial, adaptor.getPads())))
    return failure();
  if (!x.hasRank()) {
    types.push_back(x);
    return success();
  }
  // pool-C1
  if (x.getRank() < 3)
    return error("expects 'x' of rank 3 or more, got ", x.getRank());
  if (spatial != size_t(x.getRank()) - 2)
    return error("expects ", x.getRank() - 2, " kernel sizes, got ", spatial);
  SmallVector<int64_t> shape{x.getDimSize(0), x.getDimSize(1)};
  for (size_t i = 0; i < spatial; ++i) {
    Window window{adaptor.getKernel()[i], adaptor.getStrides()[i],
                  adaptor.getDilations()[i], adaptor.getPads()[i],
                  adaptor.getPads()[i + spatial]};
    // pool-C3
    int64_t extent = (window.kernel - 1) * window.dilation + 1;
    if (std::max(window.begin, window.end) >= extent)
      return error("expects pads smaller than the window of ", extent, ", got ",
                   std::max(window.begin, window.end), " in spatial dim ", i);
    int64_t size = x.getDimSize(i + 2);
    int64_t count = getWindowCount(size, window, adaptor.getCeilMode());
    // Where less than a stride is missing for the first window, it covers what
    // there is: ONNX and ONNX Runtime round numbers of strides toward zero.
    if (count == 0 && size > 0)
      count = getWindowCount(size, window, /*ceilMode=*/true);
    shape.push_back(count);
  }
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferPool(InferenceError(getOperationName(), location), adaptor,
                   types);
}

LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferPool(InferenceError(getOperationName(), location), adaptor,
                   types);
}
