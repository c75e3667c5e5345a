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

/// start, start + step, ...: `count` numbers along dim `dim` of `rank` dims, of
/// which all others have one element.
Value buildRamp(NodeBinder &node, int64_t start, int64_t step, int64_t count,
                size_t dim, size_t rank) {
  Type i64 = node.getBuilder().getI64Type();
  auto number = [&](int64_t value) {
    return node.scalar(static_cast<double>(value), i64);
  };
  Value ramp = node.create<graph::RangeOp>(
      number(start), number(start + count * step), number(step));
  SmallVector<int64_t> shape(rank, 1);
  shape[dim] = count;
  return node.reshape(ramp, ArrayRef<int64_t>(shape));
}

/// What the taps of all windows read, each [windows, taps].
struct Taps {
  /// Their element in a plane of `x`, row-major; in the padding, the nearest.
  Value elements;
  /// The same, counted as the model wants it.
  Value numbers;
  Value isInside;
};

/// The distance of neighbours along each dim of a plane, whose last dim counts
/// fastest; the first, if `columnMajor`.
SmallVector<int64_t> getPitches(ArrayRef<int64_t> sizes, bool columnMajor) {
  SmallVector<int64_t> pitches(sizes.size());
  int64_t pitch = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    size_t dim = columnMajor ? i : sizes.size() - 1 - i;
    pitches[dim] = pitch;
    pitch *= sizes[dim];
  }
  return pitches;
}

/// Computed from ramps along the dims of windows and of taps, all constant.
Taps buildTaps(NodeBinder &node, const Window &window, ArrayRef<int64_t> sizes,
               ArrayRef<int64_t> counts, bool columnMajor) {
  size_t rank = sizes.size();
  auto number = [&](int64_t value) {
    return node.scalar(static_cast<double>(value),
                       node.getBuilder().getI64Type());
  };
  auto addScaled = [&](Value sum, Value place, int64_t factor) -> Value {
    Value term = node.create<graph::MulOp>(place, number(factor));
    return sum ? node.create<graph::AddOp>(sum, term) : term;
  };
  SmallVector<int64_t> pitches = getPitches(sizes, false);
  SmallVector<int64_t> numberPitches = getPitches(sizes, columnMajor);
  Taps taps;
  for (size_t i = 0; i < rank; ++i) {
    Value start = buildRamp(node, -window.pads[i], window.strides[i], counts[i],
                            i, 2 * rank);
    Value tap = buildRamp(node, 0, window.dilations[i], window.kernel[i],
                          rank + i, 2 * rank);
    Value place = node.create<graph::AddOp>(start, tap);
    Value nearest = node.create<graph::MinOp>(
        node.create<graph::MaxOp>(place, number(0)), number(sizes[i] - 1));
    Value same = node.create<graph::CompareOp>(graph::ComparePredicate::eq,
                                               place, nearest);
    taps.isInside =
        taps.isInside ? node.create<graph::AndOp>(taps.isInside, same) : same;
    taps.elements = addScaled(taps.elements, nearest, pitches[i]);
    taps.numbers = addScaled(taps.numbers, nearest, numberPitches[i]);
  }
  SmallVector<int64_t> shape{ShapedType::getNumElements(counts),
                             ShapedType::getNumElements(window.kernel)};
  for (Value *table : {&taps.elements, &taps.numbers, &taps.isInside})
    *table = node.reshape(*table, ArrayRef<int64_t>(shape));
  return taps;
}

/// The element type's lowest value, which no other loses to.
Value buildLowest(NodeBinder &node, Value x) {
  Type element = getElementTypeOrSelf(x.getType());
  auto type = RankedTensorType::get({}, element);
  if (auto number = dyn_cast<FloatType>(element))
    return node.constant(DenseElementsAttr::get(
        type, APFloat::getInf(number.getFloatSemantics(), /*Negative=*/true)));
  unsigned width = element.getIntOrFloatBitWidth();
  return node.constant(DenseElementsAttr::get(
      type, element.isUnsignedInteger() ? APInt::getMinValue(width)
                                        : APInt::getSignedMinValue(width)));
}

/// Tables of taps beyond this would dwarf the model.
constexpr int64_t kMaxTaps = int64_t(1) << 22;

/// The position in `x`, over all its dims, of the first largest element of each
/// window: all taps side by side, the largest found, its number looked up.
Value buildMaxIndices(NodeBinder &node, Value x, Value pooled,
                      const Window &window, bool columnMajor) {
  RankedTensorType type = node.rankedType(x);
  RankedTensorType pooledType = node.rankedType(pooled);
  if (!node.ok())
    return {};
  if (!type.hasStaticShape() || !pooledType.hasStaticShape()) {
    node.unsupported("positions of the maxima in an input of unknown shape");
    return {};
  }
  ArrayRef<int64_t> sizes = type.getShape().drop_front(2);
  ArrayRef<int64_t> counts = pooledType.getShape().drop_front(2);
  double tapCount = 1;
  for (int64_t size : llvm::concat<const int64_t>(window.kernel, counts))
    tapCount *= static_cast<double>(size);
  if (tapCount > kMaxTaps) {
    node.unsupported("positions of the maxima of that many windows");
    return {};
  }
  if (pooledType.getNumElements() == 0)
    return node.constant(DenseElementsAttr::get(
        RankedTensorType::get(pooledType.getShape(),
                              node.getBuilder().getI64Type()),
        int64_t(0)));
  Taps taps = buildTaps(node, window, sizes, counts, columnMajor);
  int64_t batch = type.getDimSize(0), channels = type.getDimSize(1);
  int64_t plane = ShapedType::getNumElements(sizes);
  int64_t windows = ShapedType::getNumElements(counts);
  int64_t width = ShapedType::getNumElements(window.kernel);
  Value flat = node.reshape(x, ArrayRef<int64_t>{batch, channels, plane});
  // The lowest value stands in for padding, and loses to all but itself.
  Value spread = node.create<graph::SelectOp>(
      taps.isInside, node.create<graph::GatherOp>(flat, taps.elements, 2),
      buildLowest(node, x));
  Value best = node.create<graph::ArgReduceOp>(graph::Extremum::max, spread, 3,
                                               /*keep_dims=*/false,
                                               /*select_last=*/false);
  Value entry =
      node.create<graph::AddOp>(best, buildRamp(node, 0, width, windows, 0, 1));
  Value numbers = node.create<graph::GatherOp>(
      node.reshape(taps.numbers, ArrayRef<int64_t>{windows * width}), entry, 0);
  Value base = node.reshape(buildRamp(node, 0, plane, batch * channels, 0, 1),
                            ArrayRef<int64_t>{batch, channels, 1});
  return node.reshape(node.create<graph::AddOp>(numbers, base),
                      pooledType.getShape());
}

void importMaxPool(NodeBinder &node) {
  Value x = node.input(0);
  Window window = readPoolWindow(node, x, node.getVersion() >= 10);
  bool ceilMode = node.getVersion() >= 10 && node.boolean("ceil_mode", false);
  bool columnMajor =
      node.getVersion() >= 8 && node.boolean("storage_order", false);
  Value pooled =
      node.create<graph::MaxPoolOp>(x, window.kernel, window.strides,
                                    window.pads, window.dilations, ceilMode);
  node.result(0, pooled);
  if (node.isOutputUsed(1))
    node.result(1, buildMaxIndices(node, x, pooled, window, columnMajor));
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

/// Lengthens the end padding to what windows of `ceil_mode` reach into, so that
/// it counts as padding does.
void padOverhang(NodeBinder &node, Window &window, RankedTensorType type) {
  size_t rank = window.kernel.size();
  for (size_t i = 0; i < rank && node.ok(); ++i) {
    int64_t size = type.getDimSize(2 + i), stride = window.strides[i];
    if (ShapedType::isDynamic(size))
      return node.unsupported(
          "attribute 'ceil_mode' for a dimension of unknown "
          "size; fix it with --input_shape");
    int64_t begin = window.pads[i];
    int64_t &end = window.pads[rank + i];
    int64_t room = size + begin + end - window.getExtent(i);
    // Rounding up finds a window even where less than a stride is missing.
    if (room <= -stride)
      continue;
    int64_t last = room < 0 ? 0 : llvm::divideCeil(room, stride) * stride;
    // A window that starts behind the elements is dropped.
    if (last >= size + begin)
      last -= stride;
    end = std::max(end, last + window.getExtent(i) - size - begin);
  }
}

/// (sum of |x|^p over the window)^(1/p): the sum is the mean over a window
/// whose padding counts, times its size.
void importLpPool(NodeBinder &node) {
  Value x = node.input(0);
  Window window = readPoolWindow(node, x, node.getVersion() >= 18);
  int64_t p = readNorm(node);
  if (node.getVersion() >= 18 && node.boolean("ceil_mode", false))
    padOverhang(node, window, node.rankedType(x));
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
