// Sizes of elementwise ops, products, windows, indexing and reductions.
// SPDX-License-Identifier: Apache-2.0
#include "SizeRules.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

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

void SizeRules::demandElements(ArrayRef<SizeExpr> indices, SizeExpr size) {
  if (size.getConstant().value_or(0) < 1)
    demand(Kind::AtMost, SizeExpr::product(indices).min(1), size,
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

/// How far a float type counts without a gap.
static int64_t countsUpTo(FloatType type) {
  return int64_t(1) << std::min(type.getFPMantissaWidth(), 62u);
}

std::optional<SizeExpr> SizeRules::wholeNumber(Value scalar) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(scalar));
  if (!type) {
    std::optional<Sizes> elements = elementsOf(scalar);
    return elements && elements->size() == 1 ? std::optional(elements->front())
                                             : std::nullopt;
  }
  DenseFPElementsAttr constant;
  if (matchPattern(scalar, m_Constant(&constant))) {
    APFloat number = constant.getSplatValue<APFloat>();
    APSInt integer(64, /*isUnsigned=*/false);
    bool isExact;
    if (number.convertToInteger(integer, APFloat::rmTowardZero, &isExact) !=
            APFloat::opOK ||
        integer.abs().sgt(countsUpTo(type)))
      return std::nullopt;
    return integer.getSExtValue();
  }
  auto cast = scalar.getDefiningOp<CastOp>();
  if (!cast || !isa<IntegerType>(getElementTypeOrSelf(cast.getX())))
    return std::nullopt;
  std::optional<SizeExpr> size = wholeNumber(cast.getX());
  return size && size->isNonNegative() ? size : std::nullopt;
}

std::optional<Sizes> SizeRules::inferRange(RangeOp range) {
  std::optional<SizeExpr> start = wholeNumber(range.getStart());
  std::optional<SizeExpr> limit = wholeNumber(range.getLimit());
  std::optional<SizeExpr> delta = wholeNumber(range.getDelta());
  if (!start || !limit || !delta || delta->getConstant().value_or(0) <= 0)
    return std::nullopt;
  if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(range.getLimit())))
    for (SizeExpr bound : {*start, *limit})
      demand(Kind::AtMost, bound, countsUpTo(type),
             "a bound and what its float type counts up to");
  return Sizes{(*limit - *start).ceilDiv(*delta).max(0)};
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
