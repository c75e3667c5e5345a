// Pooling over windows and over whole planes.
// SPDX-License-Identifier: Apache-2.0
#include "../OpTable.h"
#include "Families.h"
#include "Window.h"

namespace mlir::atc::onnx {
namespace {

using graph::ReductionKind;

/// The window of a pooling node over `x`.
Window readPoolWindow(NodeBinder &node, Value x, bool hasDilations) {
  RankedTensorType type = node.rankedType(x);
  std::optional<SmallVector<int64_t>> kernel = node.integers("kernel_shape");
  if (!node.ok())
    return {};
  if (!kernel)
    node.invalid("attribute 'kernel_shape' is missing");
  else if (type.getRank() != static_cast<int64_t>(kernel->size()) + 2)
    node.invalid("a window of rank " + Twine(kernel->size()) +
                 " over an input of rank " + Twine(type.getRank()));
  if (!node.ok())
    return {};
  Window window = readWindow(node, *kernel, hasDilations);
  resolvePads(node, window, type);
  return window;
}

void importMaxPool(NodeBinder &node) {
  Value x = node.input(0);
  Window window = readPoolWindow(node, x, node.getVersion() >= 10);
  bool ceilMode = node.getVersion() >= 10 && node.boolean("ceil_mode", false);
  // Orders the indices of the second output, which is not supported.
  if (node.getVersion() >= 8)
    node.ignore({"storage_order"});
  node.result(0, node.create<graph::MaxPoolOp>(x, window.kernel, window.strides,
                                               window.pads, window.dilations,
                                               ceilMode));
}

void importAveragePool(NodeBinder &node) {
  Value x = node.input(0);
  Window window = readPoolWindow(node, x, node.getVersion() >= 19);
  bool ceilMode = node.getVersion() >= 10 && node.boolean("ceil_mode", false);
  bool countPadding = node.boolean("count_include_pad", false);
  node.result(0, node.create<graph::AvgPoolOp>(x, window.kernel, window.strides,
                                               window.pads, window.dilations,
                                               ceilMode, countPadding));
}

/// |x|^p and value^(1/p).
Value raise(NodeBinder &node, Value x, int64_t p) {
  Value magnitude = node.create<graph::AbsOp>(x);
  if (p == 1)
    return magnitude;
  if (p == 2)
    return node.create<graph::MulOp>(x, x);
  return node.create<graph::PowOp>(magnitude, node.scalarLike(p, x));
}
Value root(NodeBinder &node, Value x, int64_t p) {
  if (p == 1)
    return x;
  if (p == 2)
    return node.create<graph::SqrtOp>(x);
  return node.create<graph::PowOp>(x, node.scalarLike(1.0 / p, x));
}

int64_t readNorm(NodeBinder &node) {
  int64_t p = node.integer("p", 2);
  if (p < 1)
    node.invalid("attribute 'p' holds " + Twine(p));
  return p;
}

/// Whether the first window reaches beyond the input and its padding.
bool isShort(const Window &window, RankedTensorType type) {
  size_t rank = window.kernel.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = type.getDimSize(i + 2);
    if (!ShapedType::isDynamic(size) &&
        size + window.pads[i] + window.pads[i + rank] < window.getExtent(i))
      return true;
  }
  return false;
}

/// (sum of |x|^p over the window)^(1/p): the sum is the mean over a window
/// whose padding counts, times its size.
void importLpPool(NodeBinder &node) {
  Value x = node.input(0);
  Window window = readPoolWindow(node, x, node.getVersion() >= 18);
  int64_t p = readNorm(node);
  if (node.getVersion() >= 18 && node.boolean("ceil_mode", false))
    // Its overhang would not count.
    node.unsupported("attribute 'ceil_mode'");
  if (node.ok() && isShort(window, node.rankedType(x)))
    node.unsupported("a window larger than the input");
  if (!node.ok())
    return;
  double elements = 1;
  for (int64_t size : window.kernel)
    elements *= size;
  Value mean = node.create<graph::AvgPoolOp>(
      raise(node, x, p), window.kernel, window.strides, window.pads,
      window.dilations, /*ceil_mode=*/false, /*count_include_pad=*/true);
  Value sum = node.create<graph::MulOp>(mean, node.scalarLike(elements, mean));
  node.result(0, root(node, sum, p));
}

/// Reduces all dims behind the channels.
Value reduceSpatial(NodeBinder &node, ReductionKind kind, Value x) {
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return {};
  if (type.getRank() < 2) {
    node.invalid("input of rank " + Twine(type.getRank()));
    return {};
  }
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(2, type.getRank()));
  return node.create<graph::ReduceOp>(kind, x, axes, /*keep_dims=*/true);
}

template <ReductionKind kind>
void importGlobalPool(NodeBinder &node) {
  node.result(0, reduceSpatial(node, kind, node.input(0)));
}

void importGlobalLpPool(NodeBinder &node) {
  Value x = node.input(0);
  int64_t p = readNorm(node);
  if (!node.ok())
    return;
  Value sum = reduceSpatial(node, ReductionKind::sum, raise(node, x, p));
  node.result(0, root(node, sum, p));
}

} // namespace

void registerPoolingOps(OpTable &table) {
  table.on("AveragePool", {7, 10, 11, 19, 22}, importAveragePool);
  table.on("GlobalAveragePool", {1, 22}, importGlobalPool<ReductionKind::mean>);
  table.on("GlobalLpPool", {2, 22}, importGlobalLpPool);
  table.on("GlobalMaxPool", {1, 22}, importGlobalPool<ReductionKind::max>);
  table.on("LpPool", {2, 11, 18, 22}, importLpPool);
  table.on("MaxPool", {1, 8, 10, 11, 12, 22}, importMaxPool);
}

} // namespace mlir::atc::onnx
