// Ops that move elements: folding, and the forms with bounds known.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Folding.h"
#include "atc/Dialect/Graph/IR/Movement.h"
#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::atc::graph;

/// Row-major strides of a foldable constant, or none.
static SmallVector<int64_t> sourceStrides(Attribute source) {
  DenseElementsAttr elements = getFoldable(source);
  return elements ? getRowMajorStrides(elements.getType().getShape())
                  : SmallVector<int64_t>();
}

/// A constant of unchanged order under another shape.
static Attribute foldSameOrder(Attribute source, Type resultType) {
  auto ranked = dyn_cast<RankedTensorType>(resultType);
  if (!ranked || !ranked.hasStaticShape())
    return {};
  int64_t position = 0;
  return foldMovement(source, resultType,
                      [&](ArrayRef<int64_t>) { return position++; });
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (isIdentityPermutation(permutation) && getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<TransposeOp>()) {
    // Dim i of the result is dim inner[outer[i]] of the source.
    SmallVector<int64_t> composed;
    for (int64_t dim : permutation)
      composed.push_back(inner.getPermutation()[dim]);
    setPermutation(composed);
    getXMutable().assign(inner.getX());
    return getResult();
  }
  SmallVector<int64_t> strides = sourceStrides(adaptor.getX());
  return foldMovement(adaptor.getX(), getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [dim, i] : llvm::zip_equal(permutation, index))
      position += strides[dim] * i;
    return position;
  });
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

/// Whether the result type alone gives the shape: at most one size is left, and
/// the others divide the number of elements without being 0.
static bool isShapeImplied(RankedTensorType type) {
  return type.getNumDynamicDims() == 0 ||
         (type.getNumDynamicDims() == 1 &&
          !llvm::is_contained(type.getShape(), 0));
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (type && getX().getType() == type && isShapeImplied(type))
    return getX();
  if (type && getShape() && isShapeImplied(type)) {
    getShapeMutable().clear();
    setAllowZero(false);
    return getResult();
  }
  // Only the number of elements counts, unless sizes are copied from `x`.
  auto inner = getX().getDefiningOp<ReshapeOp>();
  if (inner && !getShape()) {
    getXMutable().assign(inner.getX());
    return getResult();
  }
  if (Attribute constant = foldSameOrder(adaptor.getX(), getType()))
    return constant;
  return foldShapeValue(getResult());
}

//===----------------------------------------------------------------------===//
// ExpandOp
//===----------------------------------------------------------------------===//

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return {};
  if (getX().getType() == type)
    return getX();
  if (getShape()) {
    getShapeMutable().clear();
    return getResult();
  }
  DenseElementsAttr source = getFoldable(adaptor.getX());
  if (!source)
    return {};
  ArrayRef<int64_t> shape = source.getType().getShape();
  SmallVector<int64_t> strides = getRowMajorStrides(shape);
  return foldMovement(source, type, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [size, stride, i] :
         llvm::zip_equal(shape, strides, index.take_back(shape.size())))
      position += size == 1 ? 0 : stride * i;
    return position;
  });
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

/// Concatenates constants that are small together.
static Attribute foldConstantConcat(ConcatOp op, ArrayRef<Attribute> operands) {
  SmallVector<DenseElementsAttr> sources;
  int64_t axis = op.getAxis(), length = 0;
  SmallVector<int64_t> shape;
  for (Attribute operand : operands) {
    DenseElementsAttr source = getFoldable(operand);
    if (!source || source.getNumElements() > foldLimit)
      return {};
    shape.assign(source.getType().getShape().begin(),
                 source.getType().getShape().end());
    length += shape[axis];
    sources.push_back(source);
  }
  shape[axis] = length;
  auto type = RankedTensorType::get(
      shape, cast<TensorType>(op.getType()).getElementType());
  if (type.getNumElements() > foldLimit)
    return {};
  SmallVector<Attribute> values;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t along = index[axis];
    DenseElementsAttr *source = sources.begin();
    while (along >= source->getType().getDimSize(axis))
      along -= (source++)->getType().getDimSize(axis);
    int64_t position = 0;
    for (auto [dim, size] : llvm::enumerate(source->getType().getShape()))
      position = position * size + (int64_t(dim) == axis ? along : index[dim]);
    values.push_back(source->value_begin<Attribute>()[position]);
  });
  return DenseElementsAttr::get(type, values);
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getXs().size() == 1 && getXs().front().getType() == getType())
    return getXs().front();
  // Operands without elements along the axis add nothing.
  auto isEmpty = [&](Value x) {
    auto type = dyn_cast<RankedTensorType>(x.getType());
    return type && type.getDimSize(getAxis()) == 0;
  };
  SmallVector<Value> filled;
  for (Value x : getXs())
    if (!isEmpty(x))
      filled.push_back(x);
  if (!filled.empty() && filled.size() < getXs().size()) {
    getXsMutable().assign(filled);
    return getResult();
  }
  if (Attribute constant = foldConstantConcat(*this, adaptor.getXs()))
    return constant;
  return foldShapeValue(getResult());
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> starts = getStarts(), steps = getSteps();
  auto type = dyn_cast<RankedTensorType>(getX().getType());
  bool isWhole = type && getX().getType() == getType();
  for (size_t dim = 0; isWhole && dim < starts.size(); ++dim) {
    int64_t size = type.getDimSize(dim), limit = getLimits()[dim];
    bool reachesEnd = ShapedType::isDynamic(size)
                          ? limit == std::numeric_limits<int64_t>::max()
                          : limit >= size;
    isWhole = starts[dim] == 0 && steps[dim] == 1 && reachesEnd;
  }
  if (isWhole)
    return getX();
  SmallVector<int64_t> strides = sourceStrides(adaptor.getX());
  Attribute constant =
      foldMovement(adaptor.getX(), getType(), [&](ArrayRef<int64_t> index) {
        int64_t position = 0;
        for (auto [dim, i] : llvm::enumerate(index))
          position += strides[dim] * (starts[dim] + i * steps[dim]);
        return position;
      });
  return constant ? constant : foldShapeValue(getResult());
}

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (llvm::all_of(getLow(), isZero) && llvm::all_of(getHigh(), isZero) &&
      getX().getType() == getType())
    return getX();
  return {};
}

//===----------------------------------------------------------------------===//
// TileOp
//===----------------------------------------------------------------------===//

OpFoldResult TileOp::fold(FoldAdaptor adaptor) {
  if (llvm::all_of(getRepeats(), [](int64_t count) { return count == 1; }) &&
      getX().getType() == getType())
    return getX();
  DenseElementsAttr source = getFoldable(adaptor.getX());
  if (!source)
    return {};
  ArrayRef<int64_t> shape = source.getType().getShape();
  SmallVector<int64_t> strides = getRowMajorStrides(shape);
  return foldMovement(source, getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [size, stride, i] : llvm::zip_equal(shape, strides, index))
      position += stride * (i % size);
    return position;
  });
}

//===----------------------------------------------------------------------===//
// ReverseOp
//===----------------------------------------------------------------------===//

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty() && getX().getType() == getType())
    return getX();
  auto inner = getX().getDefiningOp<ReverseOp>();
  if (inner && inner.getAxes() == getAxes() &&
      inner.getX().getType() == getType())
    return inner.getX();
  DenseElementsAttr source = getFoldable(adaptor.getX());
  if (!source)
    return {};
  ArrayRef<int64_t> shape = source.getType().getShape();
  SmallVector<int64_t> strides = getRowMajorStrides(shape);
  return foldMovement(source, getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [dim, i] : llvm::enumerate(index))
      position += strides[dim] * (llvm::is_contained(getAxes(), int64_t(dim))
                                      ? shape[dim] - 1 - i
                                      : i);
    return position;
  });
}

//===----------------------------------------------------------------------===//
// SliceDynamicOp
//===----------------------------------------------------------------------===//

OpFoldResult SliceDynamicOp::fold(FoldAdaptor) {
  return getAxes().empty() && getX().getType() == getType()
             ? OpFoldResult(getX())
             : OpFoldResult();
}

namespace {
/// The bounds of one dim as graph.slice takes them.
struct StaticSlice {
  int64_t start, limit, step;
  bool isReversed;
};

/// slice_dynamic with known bounds is slice, behind a reverse where steps are
/// negative.
struct ResolveSlice : OpRewritePattern<SliceDynamicOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SliceDynamicOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// Bounds of ONNX Slice for a dim of `size` elements; nullopt where they depend
/// on a size that is not known.
static std::optional<StaticSlice> resolveSlice(int64_t size, int64_t start,
                                               int64_t end, int64_t step) {
  constexpr int64_t maximum = std::numeric_limits<int64_t>::max();
  if (ShapedType::isDynamic(size)) {
    if (step <= 0 || start < 0 || end < 0)
      return std::nullopt;
    return StaticSlice{start, end, step, false};
  }
  auto wrap = [&](int64_t position) {
    return position < 0 ? position + size : position;
  };
  if (step > 0)
    return StaticSlice{std::clamp<int64_t>(wrap(start), 0, size),
                       std::clamp<int64_t>(wrap(end), 0, size), step, false};
  if (step == 0)
    return std::nullopt;
  // Seen from the other end, element i is element size - 1 - i.
  int64_t first = std::clamp<int64_t>(wrap(start), -1, size - 1);
  int64_t last = std::clamp<int64_t>(wrap(end), -1, size - 1);
  if (start < -size) // Clamped to the first element, not before it.
    first = std::min<int64_t>(0, size - 1);
  int64_t stride =
      step == std::numeric_limits<int64_t>::min() ? maximum : -step;
  return StaticSlice{size - 1 - first, size - 1 - last, stride, true};
}

LogicalResult ResolveSlice::matchAndRewrite(SliceDynamicOp op,
                                            PatternRewriter &rewriter) const {
  auto x = dyn_cast<RankedTensorType>(op.getX().getType());
  size_t count = op.getAxes().size();
  auto starts = constantShapeValue(op.getStarts());
  auto ends = constantShapeValue(op.getEnds());
  std::optional<SmallVector<int64_t>> steps = SmallVector<int64_t>(count, 1);
  if (op.getSteps())
    steps = constantShapeValue(op.getSteps());
  if (!x || !starts || !ends || !steps || starts->size() != count ||
      ends->size() != count || steps->size() != count)
    return rewriter.notifyMatchFailure(op, "bounds are not constant");

  SmallVector<int64_t> low(x.getRank(), 0), stride(x.getRank(), 1);
  SmallVector<int64_t> limit(x.getRank(), std::numeric_limits<int64_t>::max());
  SmallVector<int64_t> reversed;
  for (auto [axis, start, end, step] :
       llvm::zip_equal(op.getAxes(), *starts, *ends, *steps)) {
    auto bounds = resolveSlice(x.getDimSize(axis), start, end, step);
    if (!bounds)
      return rewriter.notifyMatchFailure(op, "bounds depend on a dynamic dim");
    low[axis] = bounds->start;
    limit[axis] = bounds->limit;
    stride[axis] = bounds->step;
    if (bounds->isReversed)
      reversed.push_back(axis);
  }
  llvm::sort(reversed);
  Value source = op.getX();
  if (!reversed.empty())
    source = ReverseOp::create(rewriter, op.getLoc(), source, reversed);
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), source, low, limit,
                                       stride);
  return success();
}

void SliceDynamicOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<ResolveSlice>(context);
}

//===----------------------------------------------------------------------===//
// PadDynamicOp and TileDynamicOp
//===----------------------------------------------------------------------===//

namespace {
/// pad_dynamic by constant amounts is pad.
struct ResolvePad : OpRewritePattern<PadDynamicOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(PadDynamicOp op,
                                PatternRewriter &rewriter) const override {
    auto x = dyn_cast<RankedTensorType>(op.getX().getType());
    auto pads = constantShapeValue(op.getPads());
    size_t count = op.getAxes().size();
    if (!x || !pads || pads->size() != 2 * count)
      return rewriter.notifyMatchFailure(op, "'pads' are not constant");
    SmallVector<int64_t> low(x.getRank(), 0), high(x.getRank(), 0);
    for (auto [index, axis] : llvm::enumerate(op.getAxes())) {
      low[axis] = (*pads)[index];
      high[axis] = (*pads)[index + count];
    }
    rewriter.replaceOpWithNewOp<PadOp>(op, op.getType(), op.getX(),
                                       op.getValue(), low, high, op.getMode());
    return success();
  }
};

/// tile_dynamic by constant counts is tile.
struct ResolveTile : OpRewritePattern<TileDynamicOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(TileDynamicOp op,
                                PatternRewriter &rewriter) const override {
    auto x = dyn_cast<RankedTensorType>(op.getX().getType());
    auto repeats = constantShapeValue(op.getRepeats());
    if (!x || !repeats || repeats->size() != size_t(x.getRank()))
      return rewriter.notifyMatchFailure(op, "'repeats' are not constant");
    rewriter.replaceOpWithNewOp<TileOp>(op, op.getType(), op.getX(), *repeats);
    return success();
  }
};
} // namespace

void PadDynamicOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<ResolvePad>(context);
}

void TileDynamicOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<ResolveTile>(context);
}
