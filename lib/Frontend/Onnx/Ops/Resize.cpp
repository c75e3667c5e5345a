// Resampling.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"
#include <cmath>

namespace mlir::atc::onnx {
namespace {

using graph::AspectPolicy;
using graph::CoordinateTransform;
using graph::NearestRounding;
using graph::ResizeMode;

/// The attributes of a resampling, with those of old versions filled in.
struct Resampling {
  ResizeMode mode = ResizeMode::nearest;
  CoordinateTransform transform = CoordinateTransform::asymmetric;
  // The rounding before operator set 11, which does not name one.
  NearestRounding rounding = NearestRounding::simple;
  double cubicCoefficient = -0.75;
  double extrapolation = 0.0;
  bool excludeOutside = false;
  bool antialias = false;
};

/// What the result's sizes come from, for each of `axes`.
struct Target {
  Value scales, sizes, roi;
  SmallVector<int64_t> axes;
  AspectPolicy policy = AspectPolicy::stretch;
};

Resampling readResampling11(NodeBinder &node) {
  Resampling r;
  r.mode = node.choice<ResizeMode>("mode", "nearest",
                                   {{"nearest", ResizeMode::nearest},
                                    {"linear", ResizeMode::linear},
                                    {"cubic", ResizeMode::cubic}});
  r.transform = node.choice<CoordinateTransform>(
      "coordinate_transformation_mode", "half_pixel",
      {{"half_pixel", CoordinateTransform::half_pixel},
       {"half_pixel_symmetric", CoordinateTransform::half_pixel_symmetric},
       {"pytorch_half_pixel", CoordinateTransform::pytorch_half_pixel},
       {"align_corners", CoordinateTransform::align_corners},
       {"asymmetric", CoordinateTransform::asymmetric},
       {"tf_half_pixel_for_nn", CoordinateTransform::tf_half_pixel_for_nn},
       {"tf_crop_and_resize", CoordinateTransform::tf_crop_and_resize}});
  r.rounding = node.choice<NearestRounding>(
      "nearest_mode", "round_prefer_floor",
      {{"round_prefer_floor", NearestRounding::round_prefer_floor},
       {"round_prefer_ceil", NearestRounding::round_prefer_ceil},
       {"floor", NearestRounding::floor},
       {"ceil", NearestRounding::ceil}});
  r.cubicCoefficient = node.real("cubic_coeff_a", -0.75);
  r.extrapolation = node.real("extrapolation_value", 0.0);
  r.excludeOutside = node.boolean("exclude_outside", false);
  if (node.getVersion() >= 18)
    r.antialias = node.boolean("antialias", false);
  return r;
}

/// Arithmetic on sizes and scales is in single precision, as scales are.
int64_t scaleSize(int64_t size, float scale, float roiExtent = 1.0f) {
  return static_cast<int64_t>(
      std::floor(static_cast<float>(size) * roiExtent * scale));
}

/// Applies the policy that keeps the aspect ratio: all axes get the smallest or
/// largest scale, sizes are rounded half up.
void keepAspect(const Target &target, RankedTensorType type,
                SmallVectorImpl<int64_t> &sizes,
                SmallVectorImpl<double> &scales) {
  if (target.policy == AspectPolicy::stretch || sizes.empty())
    return;
  double scale = target.policy == AspectPolicy::not_larger
                     ? *llvm::min_element(scales)
                     : *llvm::max_element(scales);
  for (auto [index, axis] : llvm::enumerate(target.axes)) {
    scales[index] = scale;
    sizes[index] = static_cast<int64_t>(std::floor(
        static_cast<float>(scale) * static_cast<float>(type.getDimSize(axis)) +
        0.5f));
  }
}

/// Scales and sizes of the axes, where they are known; -1 for sizes that follow
/// from a scale and an unknown dim. False if they must be found at run time.
bool resolveTarget(NodeBinder &node, const Target &target,
                   RankedTensorType type, ArrayRef<double> roi,
                   SmallVectorImpl<double> &scales,
                   SmallVectorImpl<int64_t> &sizes) {
  size_t count = target.axes.size();
  if (target.scales) {
    std::optional<SmallVector<double>> known = node.knownFloats(target.scales);
    if (!known)
      return false;
    if (known->size() != count)
      node.invalid(Twine(known->size()) + " scales for " + Twine(count) +
                   " axes");
    for (size_t i = 0; i < count && node.ok(); ++i) {
      float scale = (*known)[i];
      int64_t size = type.getDimSize(target.axes[i]);
      if (!(scale > 0) || !std::isfinite(scale))
        node.invalid("a scale of " + Twine(std::to_string(scale)));
      float extent = roi.empty() ? 1.0f : roi[count + i] - roi[i];
      if (ShapedType::isDynamic(size) && extent != 1.0f)
        return false;
      scales.push_back(scale);
      sizes.push_back(
          ShapedType::isDynamic(size) ? -1 : scaleSize(size, scale, extent));
    }
    return true;
  }
  std::optional<SmallVector<int64_t>> known = node.knownIntegers(target.sizes);
  if (!known)
    return false;
  if (known->size() != count)
    node.invalid(Twine(known->size()) + " sizes for " + Twine(count) + " axes");
  for (size_t i = 0; i < count && node.ok(); ++i) {
    int64_t size = type.getDimSize(target.axes[i]);
    if (ShapedType::isDynamic(size))
      return false;
    if ((*known)[i] < 0)
      node.invalid("a size of " + Twine((*known)[i]));
    sizes.push_back((*known)[i]);
    scales.push_back(size == 0 ? 1.0f
                               : static_cast<float>((*known)[i]) /
                                     static_cast<float>(size));
  }
  keepAspect(target, type, sizes, scales);
  return true;
}

Value buildDynamicResize(NodeBinder &node, Value x, const Target &target,
                         const Resampling &r) {
  Builder &builder = node.getBuilder();
  Value scales = target.scales, sizes = target.sizes;
  if (scales)
    scales = node.cast(scales, builder.getF32Type());
  if (sizes)
    sizes = node.cast(sizes, builder.getI64Type());
  return node.create<graph::ResizeDynamicOp>(
      x, scales, sizes, target.roi, target.axes, target.policy, r.mode,
      r.transform, r.rounding, r.cubicCoefficient, r.extrapolation,
      r.excludeOutside, r.antialias);
}

Value buildResize(NodeBinder &node, Value x, const Target &target,
                  const Resampling &r) {
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return {};
  // Booleans are picked as numbers; there is nothing between two of them.
  if (type.getElementType().isInteger(1)) {
    if (r.mode != ResizeMode::nearest) {
      node.unsupported("interpolation of booleans");
      return {};
    }
    Type number = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
    return node.cast(buildResize(node, node.cast(x, number), target, r),
                     type.getElementType());
  }
  std::optional<SmallVector<double>> roi;
  if (target.roi) {
    roi = node.knownFloats(target.roi);
    if (!roi)
      return buildDynamicResize(node, x, target, r);
    if (roi->size() != 2 * target.axes.size())
      node.invalid(Twine(roi->size()) + " bounds of the region for " +
                   Twine(target.axes.size()) + " axes");
    if (!node.ok())
      return {};
  }
  SmallVector<double> scales;
  SmallVector<int64_t> sizes;
  bool known = resolveTarget(
      node, target, type, roi.value_or(SmallVector<double>()), scales, sizes);
  if (!node.ok())
    return {};
  if (!known)
    return buildDynamicResize(node, x, target, r);

  int64_t rank = type.getRank();
  SmallVector<double> allScales(rank, 1.0), allRoi(rank, 0.0);
  SmallVector<int64_t> allSizes(rank, -1);
  allRoi.append(rank, 1.0);
  for (auto [index, axis] : llvm::enumerate(target.axes)) {
    allScales[axis] = scales[index];
    allSizes[axis] = sizes[index];
    if (roi) {
      allRoi[axis] = (*roi)[index];
      allRoi[rank + axis] = (*roi)[target.axes.size() + index];
    }
  }
  return node.create<graph::ResizeOp>(
      x, allScales, allSizes,
      roi ? node.getBuilder().getDenseF64ArrayAttr(allRoi)
          : DenseF64ArrayAttr(),
      r.mode, r.transform, r.rounding, r.cubicCoefficient, r.extrapolation,
      r.excludeOutside, r.antialias);
}

/// An optional input; an empty tensor counts as omitted.
Value nonEmptyInput(NodeBinder &node, unsigned index) {
  Value value = node.optionalInput(index);
  if (!value)
    return {};
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 0 ? Value()
                                                                     : value;
}

SmallVector<int64_t> allAxes(NodeBinder &node, Value x) {
  RankedTensorType type = node.rankedType(x);
  return type ? llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))
              : SmallVector<int64_t>();
}

void importResize11(NodeBinder &node) {
  Value x = node.input(0);
  Resampling resampling = readResampling11(node);
  Target target;
  target.axes = allAxes(node, x);
  if (node.getVersion() >= 18) {
    if (std::optional<SmallVector<int64_t>> axes = node.integers("axes")) {
      int64_t rank = static_cast<int64_t>(target.axes.size());
      node.axes(*axes, rank);
      target.axes.clear();
      for (int64_t axis : *axes)
        target.axes.push_back(node.axis(axis, rank));
    }
    target.policy =
        node.choice<AspectPolicy>("keep_aspect_ratio_policy", "stretch",
                                  {{"stretch", AspectPolicy::stretch},
                                   {"not_larger", AspectPolicy::not_larger},
                                   {"not_smaller", AspectPolicy::not_smaller}});
  }
  target.scales = nonEmptyInput(node, 2);
  target.sizes = nonEmptyInput(node, 3);
  if (resampling.transform == CoordinateTransform::tf_crop_and_resize) {
    target.roi = nonEmptyInput(node, 1);
    if (!target.roi)
      node.invalid("the region to crop is missing");
  }
  if (!target.scales == !target.sizes)
    node.invalid(target.scales ? "both scales and sizes are given"
                               : "neither scales nor sizes are given");
  if (node.ok())
    node.result(0, buildResize(node, x, target, resampling));
}

ResizeMode readOldMode(NodeBinder &node) {
  return node.choice<ResizeMode>("mode", "nearest",
                                 {{"nearest", ResizeMode::nearest},
                                  {"linear", ResizeMode::linear},
                                  {"bilinear", ResizeMode::linear}});
}

/// Resize 10 and Upsample 9: scales are an input.
void importResize10(NodeBinder &node) {
  Value x = node.input(0);
  Resampling resampling;
  resampling.mode = readOldMode(node);
  Target target;
  target.axes = allAxes(node, x);
  target.scales = node.input(1);
  if (node.ok())
    node.result(0, buildResize(node, x, target, resampling));
}

/// Scales are an attribute.
void importUpsample7(NodeBinder &node) {
  Value x = node.input(0);
  Resampling resampling;
  resampling.mode = readOldMode(node);
  std::optional<SmallVector<double>> scales = node.reals("scales");
  if (!scales)
    node.invalid("attribute 'scales' is missing");
  if (!node.ok())
    return;
  Target target;
  target.axes = allAxes(node, x);
  SmallVector<float> narrow(scales->begin(), scales->end());
  auto type = RankedTensorType::get({static_cast<int64_t>(narrow.size())},
                                    node.getBuilder().getF32Type());
  target.scales =
      node.constant(DenseElementsAttr::get(type, ArrayRef<float>(narrow)));
  node.result(0, buildResize(node, x, target, resampling));
}

} // namespace

void registerResizeOps(OpTable &table) {
  table.on("Resize", {10}, importResize10);
  table.on("Resize", {11, 13, 18, 19}, importResize11);
  table.on("Upsample", {7}, importUpsample7);
  table.on("Upsample", {9}, importResize10);
}

} // namespace mlir::atc::onnx
