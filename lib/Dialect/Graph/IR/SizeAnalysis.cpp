// The sizes of all tensors of a function, as expressions of its input dims.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/SizeAnalysis.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

namespace mlir::atc::graph {

/// The rules by which the sizes of a result follow from those of the operands.
/// Types were inferred before: ranks are right, and static sizes agree. An op
/// without a rule gives sizes that are not known.
class SizeRules {
public:
  using Sizes = SmallVector<SizeExpr, 4>;

  SizeRules(SizeAnalysis &analysis, Operation *op)
      : analysis(analysis), op(op) {}

  /// The sizes of the first result; nullopt without a rule.
  std::optional<Sizes> infer();

private:
  Sizes sizesOf(Value tensor) { return Sizes(analysis.getSizes(tensor)); }
  /// The elements of a tensor of sizes, nullopt unless all are known.
  std::optional<Sizes> elementsOf(Value tensor);

  void demand(SizeConstraint::Kind kind, SizeExpr lhs, SizeExpr rhs,
              StringRef what);
  void demandEqual(SizeExpr lhs, SizeExpr rhs, StringRef what) {
    demand(SizeConstraint::Kind::Equal, lhs, rhs, what);
  }
  /// Demands an element to pick where there are indices.
  void demandElements(ArrayRef<SizeExpr> indices, SizeExpr size);
  /// Broadcasts shapes, aligned at the right.
  Sizes broadcast(ArrayRef<Sizes> shapes, StringRef what);
  /// Demands that a shape, aligned at the right, broadcasts to another.
  void demandBroadcast(ArrayRef<SizeExpr> from, ArrayRef<SizeExpr> to,
                       StringRef what);

  Sizes inferElementwise();
  std::optional<Sizes> inferNormalization();
  Sizes inferMatMul(MatMulOp matmul);
  Sizes inferAttention(AttentionOp attention);
  Sizes inferConv(ConvOp conv);
  Sizes inferConvTranspose(ConvTransposeOp conv);
  Sizes inferWinograd(ConvWinogradOp conv);
  template <typename OpT>
  Sizes inferPool(OpT pool, bool ceilMode);

  std::optional<Sizes> inferReshape(ReshapeOp reshape);
  std::optional<Sizes> inferExpand(ExpandOp expand);
  Sizes inferConcat(ConcatOp concat);
  Sizes inferSlice(SliceOp slice);
  std::optional<Sizes> inferSliceDynamic(SliceDynamicOp slice);
  Sizes inferPad(PadOp pad);
  std::optional<Sizes> inferPadDynamic(PadDynamicOp pad);
  std::optional<Sizes> inferTileDynamic(TileDynamicOp tile);
  std::optional<Sizes> inferResize(ResizeOp resize);
  std::optional<Sizes> inferResizeDynamic(ResizeDynamicOp resize);

  Sizes inferGather(GatherOp gather);
  Sizes inferGatherElements(GatherElementsOp gather);
  std::optional<Sizes> inferGatherND(GatherNDOp gather);
  Sizes inferScatterElements(ScatterElementsOp scatter);
  std::optional<Sizes> inferScatterND(ScatterNDOp scatter);
  std::optional<Sizes> inferOneHot(OneHotOp oneHot);
  std::optional<Sizes> inferRange(RangeOp range);
  Sizes inferReduced(Value x, ArrayRef<int64_t> axes, bool keepDims);

  SizeAnalysis &analysis;
  Operation *op;
};

} // namespace mlir::atc::graph

using Sizes = SizeRules::Sizes;
using Kind = SizeConstraint::Kind;

//===----------------------------------------------------------------------===//
// What the rules share
//===----------------------------------------------------------------------===//

void SizeRules::demand(Kind kind, SizeExpr lhs, SizeExpr rhs, StringRef what) {
  bool holds = lhs == rhs ||
               (kind == Kind::BroadcastsTo && lhs.isConstant(1)) ||
               (kind == Kind::AtMost && (rhs - lhs).isNonNegative());
  if (!holds)
    analysis.constraints.push_back({op, kind, lhs, rhs, what});
}

std::optional<Sizes> SizeRules::elementsOf(Value tensor) {
  std::optional<ShapeElements> elements = analysis.getElements(tensor);
  if (!elements)
    return std::nullopt;
  Sizes result;
  for (std::optional<SizeExpr> element : *elements) {
    if (!element)
      return std::nullopt;
    result.push_back(*element);
  }
  return result;
}

void SizeRules::demandBroadcast(ArrayRef<SizeExpr> from, ArrayRef<SizeExpr> to,
                                StringRef what) {
  for (auto [lhs, rhs] :
       llvm::zip_equal(from, to.take_back(std::min(from.size(), to.size()))))
    demand(Kind::BroadcastsTo, lhs, rhs, what);
}

Sizes SizeRules::broadcast(ArrayRef<Sizes> shapes, StringRef what) {
  size_t rank = 0;
  for (const Sizes &shape : shapes)
    rank = std::max(rank, shape.size());
  Sizes result(rank, SizeExpr(1));
  for (const Sizes &shape : shapes)
    for (auto [size, sum] : llvm::zip_equal(
             shape, MutableArrayRef(result).take_back(shape.size())))
      sum = sum.broadcast(size);
  for (const Sizes &shape : shapes)
    demandBroadcast(shape, result, what);
  return result;
}

static SizeExpr product(ArrayRef<SizeExpr> sizes) {
  SizeExpr result = 1;
  for (SizeExpr size : sizes)
    result = result * size;
  return result;
}

void SizeRules::demandElements(ArrayRef<SizeExpr> indices, SizeExpr size) {
  if (size.getConstant().value_or(0) < 1)
    demand(Kind::AtMost, product(indices).min(1), size,
           "indices and the size that they pick from");
}

//===----------------------------------------------------------------------===//
// Elementwise and normalization
//===----------------------------------------------------------------------===//

Sizes SizeRules::inferElementwise() {
  SmallVector<Sizes> shapes;
  for (Value operand : op->getOperands())
    shapes.push_back(sizesOf(operand));
  return broadcast(shapes, "sizes of the operands");
}

std::optional<Sizes> SizeRules::inferNormalization() {
  Sizes x = sizesOf(op->getOperand(0));
  for (Value parameter : llvm::drop_begin(op->getOperands())) {
    Sizes sizes = sizesOf(parameter);
    StringRef what = "sizes of the input and of a parameter";
    // One number per channel, or what broadcasts to the normalized dims.
    if (isa<BatchNormOp, InstanceNormOp, GroupNormOp>(op))
      demandEqual(sizes[0], x[1], what);
    else
      demandBroadcast(sizes, x, what);
  }
  return x;
}

//===----------------------------------------------------------------------===//
// Products and windows
//===----------------------------------------------------------------------===//

Sizes SizeRules::inferMatMul(MatMulOp matmul) {
  Sizes lhs = sizesOf(matmul.getLhs()), rhs = sizesOf(matmul.getRhs());
  if (matmul.getTransposeLhs())
    std::swap(lhs.end()[-1], lhs.end()[-2]);
  if (matmul.getTransposeRhs())
    std::swap(rhs.end()[-1], rhs.end()[-2]);
  demandEqual(lhs.back(), rhs.end()[-2], "inner sizes of the matrices");
  SizeExpr rows = lhs.end()[-2], columns = rhs.back();
  lhs.pop_back_n(2);
  rhs.pop_back_n(2);
  Sizes result = broadcast({lhs, rhs}, "leading sizes of the matrices");
  result.append({rows, columns});
  return result;
}

Sizes SizeRules::inferAttention(AttentionOp attention) {
  Sizes q = sizesOf(attention.getQ()), k = sizesOf(attention.getK());
  Sizes v = sizesOf(attention.getV());
  size_t rank = q.size();
  for (size_t dim = 0; dim + 2 < rank; ++dim) {
    demandEqual(q[dim], k[dim], "leading sizes of queries and keys");
    demandEqual(q[dim], v[dim], "leading sizes of queries and values");
  }
  demandEqual(q.back(), k.back(), "head sizes of queries and keys");
  demandEqual(k[rank - 2], v[rank - 2], "lengths of keys and values");
  if (attention.getMask()) {
    Sizes scores = q;
    scores.back() = k[rank - 2];
    demandBroadcast(sizesOf(attention.getMask()), scores,
                    "sizes of mask and scores");
  }
  q.back() = v.back();
  return q;
}

/// The number of windows that fit a padded dim.
static SizeExpr countWindows(SizeExpr size, int64_t kernel, int64_t stride,
                             int64_t dilation, int64_t begin, int64_t end,
                             bool ceilMode) {
  int64_t extent = (kernel - 1) * dilation + 1;
  SizeExpr padded = size + begin + end;
  if (!ceilMode)
    return (padded - extent + stride).floorDiv(stride).max(0);
  SizeExpr windows = (padded - extent).ceilDiv(stride) + 1;
  // A last window that would start behind the elements is dropped.
  SizeExpr starts = (size + begin).ceilDiv(stride);
  return windows.min(starts).max(0);
}

Sizes SizeRules::inferConv(ConvOp conv) {
  Sizes x = sizesOf(conv.getX()), w = sizesOf(conv.getW());
  demandEqual(x[1], w[1] * SizeExpr(conv.getGroups()),
              "channels of input and filter");
  Sizes result{x[0], w[0]};
  unsigned spatial = conv.getSpatialRank();
  for (unsigned dim = 0; dim < spatial; ++dim) {
    std::optional<int64_t> kernel = w[dim + 2].getConstant();
    result.push_back(
        kernel ? countWindows(x[dim + 2], *kernel, conv.getStrides()[dim],
                              conv.getDilations()[dim], conv.getPads()[dim],
                              conv.getPads()[dim + spatial], false)
               : analysis.context.createUnknown());
  }
  return result;
}

Sizes SizeRules::inferConvTranspose(ConvTransposeOp conv) {
  Sizes x = sizesOf(conv.getX()), w = sizesOf(conv.getW());
  demandEqual(x[1], w[0], "channels of input and filter");
  Sizes result{x[0], w[1] * SizeExpr(conv.getGroups())};
  unsigned spatial = conv.getSpatialRank();
  for (unsigned dim = 0; dim < spatial; ++dim) {
    SizeExpr size = (x[dim + 2] - 1) * SizeExpr(conv.getStrides()[dim]) +
                    conv.getOutputPadding()[dim] +
                    (w[dim + 2] - 1) * SizeExpr(conv.getDilations()[dim]) + 1 -
                    conv.getPads()[dim] - conv.getPads()[dim + spatial];
    demand(Kind::AtMost, 0, size, "zero and a size of the result");
    result.push_back(size);
  }
  return result;
}

Sizes SizeRules::inferWinograd(ConvWinogradOp conv) {
  Sizes x = sizesOf(conv.getX()), u = sizesOf(conv.getU());
  demandEqual(x[1], u[2], "channels of input and filter");
  Sizes result{x[0], u[1]};
  for (unsigned dim = 0; dim < 2; ++dim)
    result.push_back(countWindows(x[dim + 2], 3, 1, 1, conv.getPads()[dim],
                                  conv.getPads()[dim + 2], false));
  return result;
}

template <typename OpT>
Sizes SizeRules::inferPool(OpT pool, bool ceilMode) {
  Sizes result = sizesOf(pool.getX());
  unsigned spatial = pool.getSpatialRank();
  for (unsigned dim = 0; dim < spatial; ++dim) {
    int64_t kernel = pool.getKernel()[dim];
    int64_t dilation = pool.getDilations()[dim];
    int64_t begin = pool.getPads()[dim], end = pool.getPads()[dim + spatial];
    SizeExpr &size = result[dim + 2];
    // What a shorter input gives depends on how far it falls short.
    if (!size.getConstant())
      demand(Kind::AtMost, (kernel - 1) * dilation + 1, size + begin + end,
             "the window and the padded size");
    size = countWindows(size, kernel, pool.getStrides()[dim], dilation, begin,
                        end, ceilMode);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

std::optional<Sizes> SizeRules::inferReshape(ReshapeOp reshape) {
  Sizes x = sizesOf(reshape.getX());
  auto type = cast<RankedTensorType>(reshape.getType());
  Sizes result(type.getRank(), SizeExpr(0));
  // Sizes of the type first, then those of `shape`; one may be what is left.
  std::optional<Sizes> shape;
  if (reshape.getShape())
    shape = elementsOf(reshape.getShape());
  std::optional<unsigned> left;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      result[dim] = type.getDimSize(dim);
      continue;
    }
    if (!shape && reshape.getShape())
      return std::nullopt;
    if (!shape || (*shape)[dim].isConstant(-1)) {
      if (left)
        return std::nullopt;
      left = dim;
      continue;
    }
    bool copies = (*shape)[dim].isConstant(0) && !reshape.getAllowZero();
    if (copies && dim >= x.size())
      return std::nullopt;
    result[dim] = copies ? x[dim] : (*shape)[dim];
  }
  SizeExpr total = product(x);
  if (left) {
    result[*left] = 1;
    result[*left] = total.floorDiv(product(result));
  }
  demandEqual(product(result), total, "numbers of elements of both shapes");
  return result;
}

std::optional<Sizes> SizeRules::inferExpand(ExpandOp expand) {
  Sizes x = sizesOf(expand.getX());
  Sizes result;
  if (expand.getShape()) {
    std::optional<Sizes> shape = elementsOf(expand.getShape());
    if (!shape)
      return std::nullopt;
    return broadcast({x, *shape}, "sizes of the operand and the shape");
  }
  auto type = cast<RankedTensorType>(expand.getType());
  unsigned added = type.getRank() - x.size();
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    result.push_back(type.isDynamicDim(dim) ? x[dim - added]
                                            : SizeExpr(type.getDimSize(dim)));
  demandBroadcast(x, result, "sizes of the operand and the shape");
  return result;
}

Sizes SizeRules::inferConcat(ConcatOp concat) {
  Sizes result = sizesOf(concat.getXs()[0]);
  unsigned axis = concat.getAxis();
  for (Value x : llvm::drop_begin(concat.getXs())) {
    Sizes sizes = sizesOf(x);
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (dim == axis)
        result[dim] = result[dim] + sizes[dim];
      else
        demandEqual(sizes[dim], result[dim], "sizes beside the axis");
  }
  return result;
}

Sizes SizeRules::inferSlice(SliceOp slice) {
  Sizes result = sizesOf(slice.getX());
  for (auto [dim, size] : llvm::enumerate(result)) {
    SizeExpr end = size.min(slice.getLimits()[dim]);
    size = (end - slice.getStarts()[dim]).ceilDiv(slice.getSteps()[dim]).max(0);
  }
  return result;
}

/// A bound of a slice in [0, size]: counted from the end where it is negative.
/// Nullopt where its sign is not known.
static std::optional<SizeExpr> clampBound(SizeExpr bound, SizeExpr size) {
  if (bound.isNonNegative())
    return bound.min(size);
  std::optional<int64_t> number = bound.getConstant();
  if (number)
    return (size + *number).max(0);
  // A difference such as length - 1 may fall below zero, and counts from the
  // end then; only its sign at run time would tell.
  return std::nullopt;
}

std::optional<Sizes> SizeRules::inferSliceDynamic(SliceDynamicOp slice) {
  Sizes result = sizesOf(slice.getX());
  std::optional<Sizes> starts = elementsOf(slice.getStarts());
  std::optional<Sizes> ends = elementsOf(slice.getEnds());
  std::optional<Sizes> steps;
  if (slice.getSteps())
    steps = elementsOf(slice.getSteps());
  if (!starts || !ends || (slice.getSteps() && !steps))
    return std::nullopt;
  for (auto [position, axis] : llvm::enumerate(slice.getAxes())) {
    SizeExpr step = steps ? (*steps)[position] : SizeExpr(1);
    std::optional<SizeExpr> start =
        clampBound((*starts)[position], result[axis]);
    std::optional<SizeExpr> end = clampBound((*ends)[position], result[axis]);
    if (!start || !end || step.getConstant().value_or(0) <= 0)
      return std::nullopt;
    result[axis] = (*end - *start).ceilDiv(step).max(0);
  }
  return result;
}

Sizes SizeRules::inferPad(PadOp pad) {
  Sizes result = sizesOf(pad.getX());
  for (auto [dim, size] : llvm::enumerate(result)) {
    int64_t low = pad.getLow()[dim], high = pad.getHigh()[dim];
    SizeExpr padded = size + low + high;
    demand(Kind::AtMost, 0, padded, "zero and a size of the result");
    // A mirror has no more elements than it shows.
    if (pad.getMode() != PadMode::constant && (low > 0 || high > 0))
      demand(Kind::AtMost,
             pad.getMode() == PadMode::reflect
                 ? SizeExpr(std::max(low, high)) + 1
                 : SizeExpr(1),
             size, "the padding and the padded size");
    size = padded;
  }
  return result;
}

std::optional<Sizes> SizeRules::inferPadDynamic(PadDynamicOp pad) {
  Sizes result = sizesOf(pad.getX());
  std::optional<Sizes> pads = elementsOf(pad.getPads());
  if (!pads)
    return std::nullopt;
  size_t count = pad.getAxes().size();
  for (auto [position, axis] : llvm::enumerate(pad.getAxes())) {
    result[axis] = result[axis] + (*pads)[position] + (*pads)[position + count];
    demand(Kind::AtMost, 0, result[axis], "zero and a size of the result");
  }
  return result;
}

std::optional<Sizes> SizeRules::inferTileDynamic(TileDynamicOp tile) {
  Sizes result = sizesOf(tile.getX());
  std::optional<Sizes> repeats = elementsOf(tile.getRepeats());
  if (!repeats)
    return std::nullopt;
  for (auto [size, repeat] : llvm::zip_equal(result, *repeats))
    size = size * repeat;
  return result;
}

/// floor(size * scale) in single precision, where it is exact for all sizes
/// below 2^24: whole scales, and reciprocals of powers of two.
static std::optional<SizeExpr> scaleSize(SizeExpr size, double scale) {
  if (scale == std::floor(scale) && scale < 1 << 20)
    return size * SizeExpr(static_cast<int64_t>(scale));
  double divisor = 1 / scale;
  if (divisor == std::floor(divisor) && divisor < 1 << 20 &&
      llvm::isPowerOf2_64(static_cast<uint64_t>(divisor)))
    return size.floorDiv(static_cast<int64_t>(divisor));
  return std::nullopt;
}

std::optional<Sizes> SizeRules::inferResize(ResizeOp resize) {
  Sizes result = sizesOf(resize.getX());
  for (auto [dim, size] : llvm::enumerate(result)) {
    if (resize.getSizes()[dim] >= 0) {
      size = resize.getSizes()[dim];
      continue;
    }
    std::optional<SizeExpr> scaled = scaleSize(size, resize.getScales()[dim]);
    if (!scaled)
      return std::nullopt;
    size = *scaled;
  }
  return result;
}

std::optional<Sizes> SizeRules::inferResizeDynamic(ResizeDynamicOp resize) {
  Sizes result = sizesOf(resize.getX());
  std::optional<Sizes> sizes;
  if (resize.getSizes() && resize.getAspectPolicy() == AspectPolicy::stretch)
    sizes = elementsOf(resize.getSizes());
  if (!sizes)
    return std::nullopt;
  for (auto [position, axis] : llvm::enumerate(resize.getAxes()))
    result[axis] = (*sizes)[position];
  return result;
}

//===----------------------------------------------------------------------===//
// Indexing and reduction
//===----------------------------------------------------------------------===//

Sizes SizeRules::inferGather(GatherOp gather) {
  Sizes x = sizesOf(gather.getX()), indices = sizesOf(gather.getIndices());
  unsigned axis = gather.getAxis();
  demandElements(indices, x[axis]);
  Sizes result(x.begin(), x.begin() + axis);
  llvm::append_range(result, indices);
  result.append(x.begin() + axis + 1, x.end());
  return result;
}

Sizes SizeRules::inferGatherElements(GatherElementsOp gather) {
  Sizes x = sizesOf(gather.getX()), indices = sizesOf(gather.getIndices());
  demandElements(indices, x[gather.getAxis()]);
  for (unsigned dim = 0; dim < x.size(); ++dim)
    if (dim != gather.getAxis())
      demand(Kind::AtMost, indices[dim], x[dim],
             "sizes of the indices and the operand");
  return indices;
}

std::optional<Sizes> SizeRules::inferGatherND(GatherNDOp gather) {
  Sizes x = sizesOf(gather.getX()), result = sizesOf(gather.getIndices());
  std::optional<int64_t> length = result.back().getConstant();
  if (!length)
    return std::nullopt;
  unsigned batch = gather.getBatchDims();
  for (unsigned dim = 0; dim < batch; ++dim)
    demandEqual(result[dim], x[dim], "batch sizes");
  result.pop_back();
  for (int64_t dim = batch; dim < batch + *length; ++dim)
    demandElements(result, x[dim]);
  result.append(x.begin() + batch + *length, x.end());
  return result;
}

Sizes SizeRules::inferScatterElements(ScatterElementsOp scatter) {
  Sizes x = sizesOf(scatter.getX());
  Sizes indices = sizesOf(scatter.getIndices());
  Sizes updates = sizesOf(scatter.getUpdates());
  demandElements(indices, x[scatter.getAxis()]);
  for (unsigned dim = 0; dim < x.size(); ++dim) {
    demandEqual(indices[dim], updates[dim], "sizes of indices and updates");
    if (dim != scatter.getAxis())
      demand(Kind::AtMost, indices[dim], x[dim],
             "sizes of the indices and the operand");
  }
  return x;
}

std::optional<Sizes> SizeRules::inferScatterND(ScatterNDOp scatter) {
  Sizes x = sizesOf(scatter.getX());
  Sizes expected = sizesOf(scatter.getIndices());
  std::optional<int64_t> length = expected.back().getConstant();
  if (!length)
    return std::nullopt;
  expected.pop_back();
  for (int64_t dim = 0; dim < *length; ++dim)
    demandElements(expected, x[dim]);
  expected.append(x.begin() + *length, x.end());
  for (auto [size, wanted] :
       llvm::zip_equal(sizesOf(scatter.getUpdates()), expected))
    demandEqual(size, wanted, "sizes of updates and indices");
  return x;
}

std::optional<Sizes> SizeRules::inferOneHot(OneHotOp oneHot) {
  Sizes result = sizesOf(oneHot.getIndices());
  std::optional<Sizes> depth = elementsOf(oneHot.getDepth());
  if (!depth)
    return std::nullopt;
  result.insert(result.begin() + oneHot.getAxis(), depth->front());
  return result;
}

std::optional<Sizes> SizeRules::inferRange(RangeOp range) {
  std::optional<Sizes> start = elementsOf(range.getStart());
  std::optional<Sizes> limit = elementsOf(range.getLimit());
  std::optional<Sizes> delta = elementsOf(range.getDelta());
  if (!start || !limit || !delta ||
      delta->front().getConstant().value_or(0) <= 0)
    return std::nullopt;
  return Sizes{
      (limit->front() - start->front()).ceilDiv(delta->front()).max(0)};
}

Sizes SizeRules::inferReduced(Value x, ArrayRef<int64_t> axes, bool keepDims) {
  Sizes result;
  for (auto [dim, size] : llvm::enumerate(sizesOf(x)))
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      result.push_back(size);
    else if (keepDims)
      result.push_back(1);
  return result;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::optional<Sizes> SizeRules::infer() {
  using Result = std::optional<Sizes>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](ScalarBodyInterface) { return inferElementwise(); })
      .Case<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp, BatchNormOp,
            InstanceNormOp, GroupNormOp, LrnOp>(
          [&](Operation *) { return inferNormalization(); })
      .Case<CumulativeSumOp, ReverseOp, RelayoutOp, QuantizeOp, DequantizeOp>(
          [&](Operation *) { return sizesOf(op->getOperand(0)); })
      .Case([&](MatMulOp op) { return inferMatMul(op); })
      .Case([&](AttentionOp op) { return inferAttention(op); })
      .Case([&](ConvOp op) { return inferConv(op); })
      .Case([&](ConvTransposeOp op) { return inferConvTranspose(op); })
      .Case([&](ConvWinogradOp op) { return inferWinograd(op); })
      .Case([&](MaxPoolOp op) { return inferPool(op, op.getCeilMode()); })
      .Case([&](AvgPoolOp op) { return inferPool(op, op.getCeilMode()); })
      .Case([&](TransposeOp op) {
        Sizes x = sizesOf(op.getX()), result;
        for (int64_t dim : op.getPermutation())
          result.push_back(x[dim]);
        return result;
      })
      .Case([&](ReshapeOp op) { return inferReshape(op); })
      .Case([&](ExpandOp op) { return inferExpand(op); })
      .Case([&](ConcatOp op) { return inferConcat(op); })
      .Case([&](SliceOp op) { return inferSlice(op); })
      .Case([&](SliceDynamicOp op) { return inferSliceDynamic(op); })
      .Case([&](PadOp op) { return inferPad(op); })
      .Case([&](PadDynamicOp op) { return inferPadDynamic(op); })
      .Case([&](TileOp op) {
        Sizes result = sizesOf(op.getX());
        for (auto [size, repeat] : llvm::zip_equal(result, op.getRepeats()))
          size = size * SizeExpr(repeat);
        return result;
      })
      .Case([&](TileDynamicOp op) { return inferTileDynamic(op); })
      .Case([&](ResizeOp op) { return inferResize(op); })
      .Case([&](ResizeDynamicOp op) { return inferResizeDynamic(op); })
      .Case([&](GatherOp op) { return inferGather(op); })
      .Case([&](GatherElementsOp op) { return inferGatherElements(op); })
      .Case([&](GatherNDOp op) { return inferGatherND(op); })
      .Case([&](ScatterElementsOp op) { return inferScatterElements(op); })
      .Case([&](ScatterNDOp op) { return inferScatterND(op); })
      .Case([&](OneHotOp op) { return inferOneHot(op); })
      .Case([&](RangeOp op) { return inferRange(op); })
      .Case([&](ReduceOp op) {
        return inferReduced(op.getX(), op.getAxes(), op.getKeepDims());
      })
      .Case([&](ArgReduceOp op) {
        return inferReduced(op.getX(), op.getAxis(), op.getKeepDims());
      })
      .Default([](Operation *) { return Result(); });
}

//===----------------------------------------------------------------------===//
// SizeAnalysis
//===----------------------------------------------------------------------===//

SizeAnalysis::SizeAnalysis(func::FuncOp function) : context(function) {
  if (function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        sizes[argument].push_back(context.getDim(argument, dim));
  for (Operation &op : function.front().without_terminator())
    visit(&op);
}

ArrayRef<SizeExpr> SizeAnalysis::getSizes(Value tensor) const {
  auto found = sizes.find(tensor);
  return found == sizes.end() ? ArrayRef<SizeExpr>() : found->second;
}

void SizeAnalysis::copySizes(Value from, Value to) {
  Sizes copied(getSizes(from));
  sizes[to] = std::move(copied);
}

std::optional<SizeExpr> SizeAnalysis::getSize(Value tensor, unsigned dim) {
  ArrayRef<SizeExpr> known = getSizes(tensor);
  return dim < known.size() && known[dim].isKnown() ? std::optional(known[dim])
                                                    : std::nullopt;
}

std::optional<ShapeElements> SizeAnalysis::getElements(Value value) {
  auto found = elements.find(value);
  return found == elements.end() ? unknownElements(value.getType())
                                 : std::optional(found->second);
}

void SizeAnalysis::assign(Value result, ArrayRef<SizeExpr> inferred) {
  auto type = cast<RankedTensorType>(result.getType());
  Sizes &own = sizes[result];
  own.clear();
  for (auto [size, expr] : llvm::zip_equal(type.getShape(), inferred)) {
    if (ShapedType::isDynamic(size)) {
      own.push_back(expr);
      continue;
    }
    own.push_back(size);
    if (!expr.isConstant(size) && expr.isKnown())
      constraints.push_back({result.getDefiningOp(),
                             SizeConstraint::Kind::Equal, expr, size,
                             "sizes of the result and of its declaration"});
  }
}

/// The maps that give the sizes of operands and results, and the values of
/// their symbols; null where the op is no kernel or all is static.
static std::pair<ArrayAttr, ValueRange> getKernelShapes(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return {kernel.getShapesAttr(), kernel.getDims()};
  auto launch = dyn_cast<LaunchOp>(op);
  if (!launch)
    return {};
  auto module = SymbolTable::lookupNearestSymbolFrom<ModuleOp>(
      launch, launch.getKernelAttr());
  auto function =
      module ? module.lookupSymbol<func::FuncOp>(launch.getKernel()) : nullptr;
  if (!function)
    return {};
  return {function->getAttrOfType<ArrayAttr>("graph.shapes"), launch.getDims()};
}

void SizeAnalysis::visit(Operation *op) {
  auto [shapes, dims] = getKernelShapes(op);
  std::optional<Sizes> inferred;
  bool isStatic = llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
  // Demands on operands hold for static results as well, but types have
  // checked those where all is static.
  bool readsDynamic = llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
  if ((!isStatic || readsDynamic) && op->getNumResults() == 1 &&
      llvm::all_of(op->getOperandTypes(),
                   [](Type type) { return !isa<UnrankedTensorType>(type); }))
    inferred = SizeRules(*this, op).infer();
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    Sizes own;
    if (number == 0 && inferred) {
      own = std::move(*inferred);
    } else if (shapes) {
      SmallVector<SizeExpr> symbols = llvm::map_to_vector(
          dims, [&](Value dim) { return context.fromValue(dim); });
      unsigned position = shapes.size() - op->getNumResults() + number;
      for (AffineExpr expr :
           cast<AffineMapAttr>(shapes[position]).getValue().getResults())
        own.push_back(context.evaluate(expr, symbols));
    } else {
      for (int64_t size : type.getShape())
        own.push_back(ShapedType::isDynamic(size) ? context.createUnknown()
                                                  : SizeExpr(size));
    }
    assign(result, own);
  }
  if (op->getNumResults() != 1 || !isShapeValue(op->getResult(0).getType()))
    return;
  if (auto pack = dyn_cast<PackSizesOp>(op)) {
    for (Value size : pack.getSizes())
      elements[pack.getResult()].push_back(context.fromValue(size));
    return;
  }
  if (std::optional<ShapeElements> known = evaluateShapeElements(op, *this))
    elements[op->getResult(0)] = std::move(*known);
}
