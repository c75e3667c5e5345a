// Ops that move elements and compute none: types.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Movement.h"
#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Movement.cpp.inc"

void GraphDialect::registerMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Movement.cpp.inc"
      >();
}

/// A result of the element type of `x`.
static LogicalResult pushShape(Value x, ArrayRef<int64_t> shape,
                               SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get(shape, getElementTypeOrSelf(x)));
  return success();
}

static LogicalResult pushUnranked(Value x, SmallVectorImpl<Type> &types) {
  types.push_back(UnrankedTensorType::get(getElementTypeOrSelf(x)));
  return success();
}

/// Axes are distinct and lie in `rank`.
static LogicalResult verifyAxes(const InferenceError &error,
                                ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<bool> seen(rank, false);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= rank)
      return error("expects axes below rank ", rank, ", got ", axis);
    if (seen[axis])
      return error("expects distinct axes, got ", shapeText(axes));
    seen[axis] = true;
  }
  return success();
}

/// A 1-D operand of `count` elements.
static LogicalResult verifyCount(const InferenceError &error, Value operand,
                                 StringRef name, int64_t count) {
  auto ranked = dyn_cast_if_present<RankedTensorType>(
      operand ? operand.getType() : Type());
  if (!ranked)
    return success();
  if (ranked.getRank() != 1 || !mergeDims(ranked.getDimSize(0), count))
    return error("expects '", name, "' to have shape ", shapeText(count),
                 ", got ", shapeText(ranked.getShape()));
  return success();
}

/// What is known of the elements of an operand that should hold `count`.
static std::optional<SmallVector<int64_t>> knownElements(Value operand,
                                                         size_t count) {
  auto elements = partialShapeValue(operand);
  return elements && elements->size() == count ? elements : std::nullopt;
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  // transpose-C1
  if (!isPermutationVector(permutation) ||
      (x && permutation.size() != size_t(x.getRank())))
    return error("expects a permutation of the dims of 'x', got ",
                 shapeText(permutation));
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(x ? x.getDimSize(dim) : ShapedType::kDynamic);
  return pushShape(adaptor.getX(), shape, types);
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  // concat-C1
  if (adaptor.getXs().empty())
    return error("expects at least one operand");
  Value first = adaptor.getXs().front();
  int64_t axis = adaptor.getAxis();
  std::optional<SmallVector<int64_t>> shape;
  bool isUnranked = false;
  for (auto [index, x] : llvm::enumerate(adaptor.getXs())) {
    auto type = cast<TensorType>(x.getType());
    // concat-C4
    if (type.getElementType() != getElementTypeOrSelf(first))
      return error("expects equal element types, got ", type.getElementType(),
                   " in operand ", index, " and ", getElementTypeOrSelf(first),
                   " in operand 0");
    if (!type.hasRank()) {
      isUnranked = true;
      continue;
    }
    // concat-C2
    if (axis >= type.getRank() ||
        (shape && shape->size() != type.getShape().size()))
      return error("expects equal ranks above 'axis' ", axis, ", got ",
                   type.getRank(), " in operand ", index);
    if (!shape) {
      shape = SmallVector<int64_t>(type.getShape());
      continue;
    }
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      int64_t &total = (*shape)[dim];
      if (int64_t(dim) == axis) {
        bool isDynamic =
            ShapedType::isDynamic(total) || ShapedType::isDynamic(size);
        if (isDynamic)
          total = ShapedType::kDynamic;
        else if (llvm::AddOverflow(total, size, total))
          return error("expects a size of dim ", axis, " that fits");
        continue;
      }
      // concat-C3
      auto merged = mergeDims(total, size);
      if (!merged)
        return error("expects sizes to agree outside 'axis' ", axis, ", got ",
                     size, " at dim ", dim, " of operand ", index, " and ",
                     total, " before it");
      total = *merged;
    }
  }
  if (!shape)
    return pushUnranked(first, types);
  if (isUnranked)
    (*shape)[axis] = ShapedType::kDynamic;
  return pushShape(first, *shape, types);
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

/// Elements start, start + step, ... below limit.
static int64_t countSteps(int64_t start, int64_t limit, int64_t step) {
  if (start >= limit)
    return 0;
  return (limit - start - 1) / step + 1;
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  ArrayRef<int64_t> starts = adaptor.getStarts();
  ArrayRef<int64_t> limits = adaptor.getLimits();
  ArrayRef<int64_t> steps = adaptor.getSteps();
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  size_t rank = x ? x.getRank() : starts.size();
  // slice-C1
  if (starts.size() != rank || limits.size() != rank || steps.size() != rank)
    return error("expects ", rank, " starts, limits and steps, got ",
                 starts.size(), ", ", limits.size(), " and ", steps.size());
  SmallVector<int64_t> shape;
  for (size_t dim = 0; dim < rank; ++dim) {
    // slice-C2
    if (starts[dim] < 0 || limits[dim] < 0)
      return error("expects starts and limits that are not negative, got ",
                   starts[dim], " and ", limits[dim], " at dim ", dim);
    // slice-C3
    if (steps[dim] < 1)
      return error("expects positive steps, got ", steps[dim], " at dim ", dim);
    int64_t size = x ? x.getDimSize(dim) : ShapedType::kDynamic;
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(
          countSteps(starts[dim], std::min(limits[dim], size), steps[dim]));
      continue;
    }
    bool isEmpty = starts[dim] >= limits[dim];
    shape.push_back(isEmpty ? 0 : ShapedType::kDynamic);
  }
  return pushShape(adaptor.getX(), shape, types);
}

//===----------------------------------------------------------------------===//
// SliceDynamicOp
//===----------------------------------------------------------------------===//

/// The number of elements that ONNX Slice takes of a static dim.
static int64_t countDynamicSlice(int64_t size, int64_t start, int64_t end,
                                 int64_t step) {
  auto clamp = [&](int64_t position, int64_t low, int64_t high) {
    if (position < 0)
      position = position < -size ? low : position + size;
    return std::clamp(position, low, high);
  };
  if (step > 0)
    return countSteps(clamp(start, 0, size), clamp(end, 0, size), step);
  // Walking backwards: from `first` down to, but without, `last`.
  if (size == 0)
    return 0;
  int64_t first = clamp(start, 0, size - 1);
  int64_t last = clamp(end, -1, size - 1);
  if (first <= last)
    return 0;
  // -INT64_MIN does not exist; one element is all that such a step takes.
  if (step == std::numeric_limits<int64_t>::min())
    return 1;
  return countSteps(last, first, -step);
}

LogicalResult SliceDynamicOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  ArrayRef<int64_t> axes = adaptor.getAxes();
  int64_t count = axes.size();
  // slice_dynamic-C2
  if (failed(verifyCount(error, adaptor.getStarts(), "starts", count)) ||
      failed(verifyCount(error, adaptor.getEnds(), "ends", count)) ||
      failed(verifyCount(error, adaptor.getSteps(), "steps", count)))
    return failure();
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (!x)
    return pushUnranked(adaptor.getX(), types);
  // slice_dynamic-C1
  if (failed(verifyAxes(error, axes, x.getRank())))
    return failure();
  auto starts = knownElements(adaptor.getStarts(), count);
  auto ends = knownElements(adaptor.getEnds(), count);
  std::optional<SmallVector<int64_t>> steps = SmallVector<int64_t>(count, 1);
  if (Value operand = adaptor.getSteps())
    steps = knownElements(operand, count);
  SmallVector<int64_t> shape(x.getShape());
  for (auto [index, axis] : llvm::enumerate(axes)) {
    int64_t unknown = ShapedType::kDynamic;
    int64_t start = starts ? (*starts)[index] : unknown;
    int64_t end = ends ? (*ends)[index] : unknown;
    int64_t step = steps ? (*steps)[index] : unknown;
    // slice_dynamic-C3
    if (step == 0)
      return error("expects steps other than 0, at axis ", axis);
    bool isKnown = start != unknown && end != unknown && step != unknown;
    shape[axis] = isKnown && !x.isDynamicDim(axis)
                      ? countDynamicSlice(shape[axis], start, end, step)
                      : unknown;
  }
  return pushShape(adaptor.getX(), shape, types);
}

//===----------------------------------------------------------------------===//
// PadOp and PadDynamicOp
//===----------------------------------------------------------------------===//

/// pad-C3: one element of the element type of `x`.
static LogicalResult verifyPadValue(const InferenceError &error, Value x,
                                    Value value) {
  auto type = cast<TensorType>(value.getType());
  bool isSingle =
      !type.hasRank() || llvm::all_of(type.getShape(), [](int64_t size) {
        return size == 1 || ShapedType::isDynamic(size);
      });
  if (type.getElementType() != getElementTypeOrSelf(x) || !isSingle)
    return error("expects 'value' to be one ", getElementTypeOrSelf(x),
                 ", got ", type);
  return success();
}

/// The padded size of one dim; an error where it is illegal.
static FailureOr<int64_t> inferPadded(const InferenceError &error, int64_t dim,
                                      int64_t size, int64_t low, int64_t high,
                                      PadMode mode) {
  bool isKnown = low != ShapedType::kDynamic && high != ShapedType::kDynamic;
  if (!isKnown || ShapedType::isDynamic(size)) {
    bool isUnchanged = isKnown && low == 0 && high == 0;
    return isUnchanged ? size : ShapedType::kDynamic;
  }
  int64_t padded;
  // pad-C2
  if (!areBounded({low, high}) || llvm::AddOverflow(size, low + high, padded) ||
      padded < 0)
    return error("expects a size of dim ", dim,
                 " that is not negative and fits, got ", size, " padded by ",
                 low, " and ", high);
  // pad-C4
  if (mode != PadMode::constant && size == 0 && padded > 0)
    return error("expects dim ", dim, " not to be empty for mode ",
                 stringifyPadMode(mode));
  return padded;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  if (failed(verifyPadValue(error, adaptor.getX(), adaptor.getValue())))
    return failure();
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  size_t rank = x ? x.getRank() : low.size();
  // pad-C1
  if (low.size() != rank || high.size() != rank)
    return error("expects ", rank, " entries in 'low' and 'high', got ",
                 low.size(), " and ", high.size());
  SmallVector<int64_t> shape;
  for (size_t dim = 0; dim < rank; ++dim) {
    FailureOr<int64_t> padded =
        inferPadded(error, dim, x ? x.getDimSize(dim) : ShapedType::kDynamic,
                    low[dim], high[dim], adaptor.getMode());
    if (failed(padded))
      return failure();
    shape.push_back(*padded);
  }
  return pushShape(adaptor.getX(), shape, types);
}

LogicalResult PadDynamicOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  ArrayRef<int64_t> axes = adaptor.getAxes();
  // pad_dynamic-C2, C3
  if (failed(verifyCount(error, adaptor.getPads(), "pads", 2 * axes.size())) ||
      failed(verifyPadValue(error, adaptor.getX(), adaptor.getValue())))
    return failure();
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (!x)
    return pushUnranked(adaptor.getX(), types);
  // pad_dynamic-C1
  if (failed(verifyAxes(error, axes, x.getRank())))
    return failure();
  auto pads = knownElements(adaptor.getPads(), 2 * axes.size());
  SmallVector<int64_t> shape(x.getShape());
  for (auto [index, axis] : llvm::enumerate(axes)) {
    int64_t low = pads ? (*pads)[index] : ShapedType::kDynamic;
    int64_t high = pads ? (*pads)[index + axes.size()] : ShapedType::kDynamic;
    FailureOr<int64_t> padded =
        inferPadded(error, axis, shape[axis], low, high, adaptor.getMode());
    if (failed(padded))
      return failure();
    shape[axis] = *padded;
  }
  return pushShape(adaptor.getX(), shape, types);
}

//===----------------------------------------------------------------------===//
// TileOp and TileDynamicOp
//===----------------------------------------------------------------------===//

/// The shape of `x` repeated; an unknown count gives an unknown size.
static LogicalResult inferTile(const InferenceError &error, Value operand,
                               ArrayRef<int64_t> repeats,
                               SmallVectorImpl<Type> &types) {
  auto x = dyn_cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape;
  for (auto [dim, count] : llvm::enumerate(repeats)) {
    int64_t size = x ? x.getDimSize(dim) : ShapedType::kDynamic;
    bool isKnown = count != ShapedType::kDynamic;
    // tile-C2
    if (isKnown && count < 0)
      return error("expects repeats that are not negative, got ", count);
    if (isKnown && count == 0) {
      shape.push_back(0);
    } else if (!isKnown || ShapedType::isDynamic(size)) {
      shape.push_back(isKnown && count == 1 ? size : ShapedType::kDynamic);
    } else if (llvm::MulOverflow(size, int64_t(count), size)) {
      return error("expects a size of dim ", dim, " that fits");
    } else {
      shape.push_back(size);
    }
  }
  return pushShape(operand, shape, types);
}

LogicalResult TileOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  // tile-C1
  if (x && adaptor.getRepeats().size() != size_t(x.getRank()))
    return error("expects ", x.getRank(), " repeats, got ",
                 adaptor.getRepeats().size());
  return inferTile(error, adaptor.getX(), adaptor.getRepeats(), types);
}

LogicalResult TileDynamicOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (!x)
    return pushUnranked(adaptor.getX(), types);
  // tile_dynamic-C1
  if (failed(verifyCount(error, adaptor.getRepeats(), "repeats", x.getRank())))
    return failure();
  SmallVector<int64_t> unknown(x.getRank(), ShapedType::kDynamic);
  return inferTile(
      error, adaptor.getX(),
      knownElements(adaptor.getRepeats(), x.getRank()).value_or(unknown),
      types);
}

//===----------------------------------------------------------------------===//
// ReverseOp
//===----------------------------------------------------------------------===//

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  InferenceError error(getOperationName(), location);
  ArrayRef<int64_t> axes = adaptor.getAxes();
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (!x)
    return pushUnranked(adaptor.getX(), types);
  // reverse-C1
  if (failed(verifyAxes(error, axes, x.getRank())))
    return failure();
  if (!llvm::is_sorted(axes))
    return error("expects axes to ascend, got ", shapeText(axes));
  return pushShape(adaptor.getX(), x.getShape(), types);
}
