// Ops as they stand in kernels, where sizes stand beside them.
// SPDX-License-Identifier: Apache-2.0
#include "KernelForm.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/ShapeValue.h"

using namespace mlir;
using namespace mlir::atc;

namespace {
/// A slice whose bounds are numbers but for its end, which the result's size
/// tells.
struct StaticSlice {
  SmallVector<int64_t> starts, limits, steps;
};
} // namespace

static std::optional<StaticSlice> getStaticSlice(Operation *op) {
  auto slice = dyn_cast<graph::SliceDynamicOp>(op);
  auto type =
      slice ? dyn_cast<RankedTensorType>(slice.getType()) : RankedTensorType();
  if (!type)
    return std::nullopt;
  auto starts = graph::constantShapeValue(slice.getStarts());
  std::optional<SmallVector<int64_t>> steps;
  if (slice.getSteps())
    steps = graph::constantShapeValue(slice.getSteps());
  if (!starts || (slice.getSteps() && !steps))
    return std::nullopt;
  int64_t rank = type.getRank();
  StaticSlice result{
      SmallVector<int64_t>(rank, 0),
      SmallVector<int64_t>(rank, std::numeric_limits<int64_t>::max()),
      SmallVector<int64_t>(rank, 1)};
  for (auto [position, axis] : llvm::enumerate(slice.getAxes())) {
    result.starts[axis] = (*starts)[position];
    if (steps)
      result.steps[axis] = (*steps)[position];
    if (result.starts[axis] < 0 || result.steps[axis] <= 0)
      return std::nullopt;
  }
  return result;
}

/// Whether the op is a resize to sizes that the result's tell.
static bool isOpenResize(Operation *op) {
  auto resize = dyn_cast<graph::ResizeDynamicOp>(op);
  return resize && graph::getSizeRatios(resize);
}

bool mlir::atc::changesInKernel(Operation *op) {
  return isa<graph::ExpandOp>(op) || getStaticSlice(op) || isOpenResize(op);
}

bool mlir::atc::tellsSizes(OpOperand &use) {
  return use.getOperandNumber() > 0 && changesInKernel(use.getOwner());
}

static Operation *cloneResize(OpBuilder &builder, graph::ResizeDynamicOp op,
                              Value x) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(type.getShape(), [](int64_t size) {
        return ShapedType::isDynamic(size) ? -1 : size;
      });
  return graph::ResizeOp::create(
      builder, op.getLoc(), type, x,
      builder.getDenseF64ArrayAttr(*graph::getSizeRatios(op)),
      builder.getDenseI64ArrayAttr(sizes), /*roi=*/DenseF64ArrayAttr(),
      op.getModeAttr(), op.getCoordinateTransformAttr(),
      op.getNearestRoundingAttr(), op.getCubicCoefficientAttr(),
      op.getExtrapolationValueAttr(), op.getExcludeOutsideAttr(),
      op.getAntialiasAttr());
}

Operation *mlir::atc::cloneForKernel(OpBuilder &builder, Operation *op,
                                     IRMapping &mapping) {
  if (std::optional<StaticSlice> bounds = getStaticSlice(op)) {
    auto slice = graph::SliceOp::create(
        builder, op->getLoc(), op->getResult(0).getType(),
        mapping.lookup(op->getOperand(0)), bounds->starts, bounds->limits,
        bounds->steps);
    mapping.map(op->getResult(0), slice.getResult());
    return slice;
  }
  if (auto expand = dyn_cast<graph::ExpandOp>(op)) {
    auto clone = graph::ExpandOp::create(
        builder, op->getLoc(), expand.getType(), mapping.lookup(expand.getX()),
        /*shape=*/Value());
    mapping.map(expand.getResult(), clone.getResult());
    return clone;
  }
  if (isOpenResize(op)) {
    auto resize = cast<graph::ResizeDynamicOp>(op);
    Operation *clone =
        cloneResize(builder, resize, mapping.lookup(resize.getX()));
    mapping.map(resize.getResult(), clone->getResult(0));
    return clone;
  }
  return builder.clone(*op, mapping);
}
