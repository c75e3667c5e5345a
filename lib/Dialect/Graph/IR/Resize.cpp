// Resampling: types, and the form with sizes known.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Creation.h"
#include "atc/Dialect/Graph/IR/Movement.h"
#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"
#include <cmath>

using namespace mlir;
using namespace mlir::atc::graph;

//===----------------------------------------------------------------------===//
// ResizeOp
//===----------------------------------------------------------------------===//

/// floor(size * scale) as ONNX has it, in single precision; nullopt where it
/// does not fit.
static std::optional<int64_t> scaleSize(int64_t size, double scale) {
  float scaled =
      std::floor(static_cast<float>(size) * static_cast<float>(scale));
  if (!(scaled >= 0.0f && scaled < 9.2e18f))
    return std::nullopt;
  return static_cast<int64_t>(scaled);
}

/// resize-C2 to C4.
static LogicalResult verifyResizeAttributes(const InferenceError &error,
                                            ResizeOp::Adaptor adaptor) {
  size_t rank = adaptor.getScales().size();
  for (double scale : adaptor.getScales())
    if (!(std::isfinite(scale) && scale >= 0))
      return error("expects scales that are finite and not negative, got ",
                   scale);
  for (int64_t size : adaptor.getSizes())
    if (size < -1)
      return error("expects sizes of -1 or more, got ", size);
  bool isCrop = adaptor.getCoordinateTransform() ==
                CoordinateTransform::tf_crop_and_resize;
  auto roi = adaptor.getRoi();
  if (roi.has_value() != isCrop || (roi && roi->size() != 2 * rank))
    return error("expects 'roi' of ", 2 * rank,
                 " entries exactly with tf_crop_and_resize");
  return success();
}

LogicalResult ResizeOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  size_t rank = x ? x.getRank() : adaptor.getScales().size();
  // resize-C1
  if (adaptor.getScales().size() != rank || adaptor.getSizes().size() != rank)
    return error("expects ", rank, " scales and sizes, got ",
                 adaptor.getScales().size(), " and ",
                 adaptor.getSizes().size());
  if (failed(verifyResizeAttributes(error, adaptor)))
    return failure();
  SmallVector<int64_t> shape;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t size = x ? x.getDimSize(dim) : ShapedType::kDynamic;
    double scale = adaptor.getScales()[dim];
    int64_t result = adaptor.getSizes()[dim];
    if (result == -1 && scale == 1.0) {
      result = size;
    } else if (result == -1 && (ShapedType::isDynamic(size) || scale == 0)) {
      result = ShapedType::kDynamic;
    } else if (result == -1) {
      auto scaled = scaleSize(size, scale);
      if (!scaled)
        return error("expects a size of dim ", dim, " that fits, got ", size,
                     " times ", scale);
      result = *scaled;
    }
    // resize-C5
    if (size == 0 && result > 0)
      return error("expects dim ", dim, " of 'x' not to be empty");
    shape.push_back(result);
  }
  types.push_back(
      RankedTensorType::get(shape, getElementTypeOrSelf(adaptor.getX())));
  return success();
}

OpFoldResult ResizeOp::fold(FoldAdaptor) {
  // Without a crop, a scale of one maps every coordinate to itself.
  bool isIdentity =
      !getRoi() && getX().getType() == getType() &&
      cast<TensorType>(getType()).hasStaticShape() &&
      llvm::all_of(getScales(), [](double scale) { return scale == 1.0; });
  return isIdentity ? OpFoldResult(getX()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// ResizeDynamicOp
//===----------------------------------------------------------------------===//

/// The elements of a small float constant; nullopt where it is none.
static std::optional<SmallVector<double>> constantReals(Value value,
                                                        size_t count) {
  DenseFPElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != int64_t(count))
    return std::nullopt;
  SmallVector<double> reals;
  for (APFloat element : elements.getValues<APFloat>()) {
    bool losesInfo;
    element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    reals.push_back(element.convertToDouble());
  }
  return reals;
}

namespace {
/// Scales and sizes of all dims, as far as they are known.
struct Resampling {
  /// Nullopt where it is not known.
  SmallVector<std::optional<double>> scales;
  /// `?` where it is not known, -1 where the scale gives it.
  SmallVector<int64_t> sizes;
};
} // namespace

/// Half away from zero, as ONNX rounds sizes under an aspect policy.
static int64_t roundSize(double size) {
  return static_cast<int64_t>(std::floor(size + 0.5));
}

/// Replaces requested sizes by those that keep the aspect ratio.
static void applyAspectPolicy(AspectPolicy policy, ArrayRef<int64_t> axes,
                              ArrayRef<int64_t> x, Resampling &resampling) {
  if (policy == AspectPolicy::stretch)
    return;
  std::optional<double> common;
  bool isLarger = policy == AspectPolicy::not_smaller;
  for (int64_t axis : axes) {
    std::optional<double> scale = resampling.scales[axis];
    if (scale && (!common || (isLarger ? *scale > *common : *scale < *common)))
      common = scale;
    if (!scale) {
      common.reset();
      break;
    }
  }
  for (int64_t axis : axes) {
    resampling.scales[axis] = common;
    resampling.sizes[axis] =
        common ? roundSize(*common * double(x[axis])) : ShapedType::kDynamic;
  }
}

static Resampling evaluateResampling(ResizeDynamicOp::Adaptor adaptor,
                                     RankedTensorType x) {
  Resampling resampling;
  resampling.scales.assign(x.getRank(), 1.0);
  resampling.sizes.assign(x.getRank(), -1);
  ArrayRef<int64_t> axes = adaptor.getAxes();
  if (Value scales = adaptor.getScales()) {
    auto reals = constantReals(scales, axes.size());
    for (auto [index, axis] : llvm::enumerate(axes))
      resampling.scales[axis] =
          reals ? std::optional((*reals)[index]) : std::nullopt;
    return resampling;
  }
  auto sizes = partialShapeValue(adaptor.getSizes());
  for (auto [index, axis] : llvm::enumerate(axes)) {
    int64_t size = sizes && sizes->size() == axes.size() ? (*sizes)[index]
                                                         : ShapedType::kDynamic;
    resampling.sizes[axis] = size;
    bool isKnown = size >= 0 && !x.isDynamicDim(axis) && x.getDimSize(axis) > 0;
    // The ratio in single precision, as the model's framework computes it.
    resampling.scales[axis] =
        isKnown ? std::optional<double>(float(size) / float(x.getDimSize(axis)))
                : std::nullopt;
  }
  applyAspectPolicy(adaptor.getAspectPolicy(), axes, x.getShape(), resampling);
  return resampling;
}

/// resize_dynamic-C1 to C4.
static LogicalResult verifyResizeDynamic(const InferenceError &error,
                                         ResizeDynamicOp::Adaptor adaptor,
                                         RankedTensorType x) {
  // resize_dynamic-C1
  if (bool(adaptor.getScales()) == bool(adaptor.getSizes()))
    return error("expects exactly one of 'scales' and 'sizes'");
  // resize_dynamic-C2
  ArrayRef<int64_t> axes = adaptor.getAxes();
  SmallVector<int64_t> sorted(axes);
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() ||
      (!sorted.empty() &&
       (sorted.front() < 0 || (x && sorted.back() >= x.getRank()))))
    return error("expects distinct axes below the rank of 'x', got ",
                 shapeText(axes));
  // resize_dynamic-C3
  auto hasCount = [](Value operand, int64_t count) {
    auto type = operand ? dyn_cast<RankedTensorType>(operand.getType())
                        : RankedTensorType();
    return !type ||
           (type.getRank() == 1 && mergeDims(type.getDimSize(0), count));
  };
  int64_t count = axes.size();
  if (!hasCount(adaptor.getScales(), count) ||
      !hasCount(adaptor.getSizes(), count) ||
      !hasCount(adaptor.getRoi(), 2 * count))
    return error("expects ", count, " scales or sizes and ", 2 * count,
                 " entries in 'roi'");
  // resize_dynamic-C4
  bool isCrop = adaptor.getCoordinateTransform() ==
                CoordinateTransform::tf_crop_and_resize;
  if (bool(adaptor.getRoi()) != isCrop)
    return error("expects 'roi' exactly with tf_crop_and_resize");
  return success();
}

LogicalResult ResizeDynamicOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  Type element = getElementTypeOrSelf(adaptor.getX());
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (failed(verifyResizeDynamic(error, adaptor, x)))
    return failure();
  if (!x) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  Resampling resampling = evaluateResampling(adaptor, x);
  SmallVector<int64_t> shape;
  for (auto [size, result, scale] :
       llvm::zip_equal(x.getShape(), resampling.sizes, resampling.scales)) {
    int64_t inferred = result < 0 ? ShapedType::kDynamic : result;
    if (result == -1 && scale && *scale == 1.0)
      inferred = size;
    else if (result == -1 && scale && !ShapedType::isDynamic(size))
      inferred = scaleSize(size, *scale).value_or(ShapedType::kDynamic);
    shape.push_back(inferred);
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

std::optional<SmallVector<double>>
mlir::atc::graph::getSizeRatios(ResizeDynamicOp op) {
  auto x = dyn_cast<RankedTensorType>(op.getX().getType());
  // The filter that keeps a shrunk image smooth is as long as its scale.
  bool isSmoothed = op.getAntialias() && op.getMode() != ResizeMode::nearest;
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!x || !type || !op.getSizes() || op.getRoi() || isSmoothed ||
      op.getAspectPolicy() != AspectPolicy::stretch)
    return std::nullopt;
  SmallVector<double> ratios(x.getRank(), 1.0);
  for (int64_t axis : op.getAxes()) {
    // In single precision, as the model's framework computes it.
    int64_t from = x.getDimSize(axis), to = type.getDimSize(axis);
    ratios[axis] = from > 0 && to > 0 ? float(to) / float(from) : 0.0;
  }
  return ratios;
}

namespace {
/// resize_dynamic with known scales or sizes is resize.
struct ResolveResize : OpRewritePattern<ResizeDynamicOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ResizeDynamicOp op,
                                PatternRewriter &rewriter) const override {
    auto x = dyn_cast<RankedTensorType>(op.getX().getType());
    if (!x)
      return rewriter.notifyMatchFailure(op, "rank of 'x' is not known");
    Resampling resampling = evaluateResampling(ResizeDynamicOp::Adaptor(op), x);
    SmallVector<double> scales;
    for (std::optional<double> scale : resampling.scales) {
      if (!scale || !std::isfinite(*scale) || *scale <= 0)
        return rewriter.notifyMatchFailure(op, "a scale is not known");
      scales.push_back(*scale);
    }
    DenseF64ArrayAttr roi;
    if (Value operand = op.getRoi()) {
      size_t count = op.getAxes().size();
      auto region = constantReals(operand, 2 * count);
      if (!region)
        return rewriter.notifyMatchFailure(op, "'roi' is not known");
      // Dims that are not listed are taken whole.
      SmallVector<double> full(2 * x.getRank(), 0.0);
      std::fill(full.begin() + x.getRank(), full.end(), 1.0);
      for (auto [index, axis] : llvm::enumerate(op.getAxes())) {
        full[axis] = (*region)[index];
        full[axis + x.getRank()] = (*region)[index + count];
      }
      roi = rewriter.getDenseF64ArrayAttr(full);
    }
    rewriter.replaceOpWithNewOp<ResizeOp>(
        op, op.getType(), op.getX(), rewriter.getDenseF64ArrayAttr(scales),
        rewriter.getDenseI64ArrayAttr(resampling.sizes), roi, op.getModeAttr(),
        op.getCoordinateTransformAttr(), op.getNearestRoundingAttr(),
        op.getCubicCoefficientAttr(), op.getExtrapolationValueAttr(),
        op.getExcludeOutsideAttr(), op.getAntialiasAttr());
    return success();
  }
};
} // namespace

void ResizeDynamicOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<ResolveResize>(context);
}
