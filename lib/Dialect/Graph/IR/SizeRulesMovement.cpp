// Sizes of ops that move elements.
// SPDX-License-Identifier: Apache-2.0
#include "SizeRules.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

using Sizes = SizeRules::Sizes;
using Kind = SizeConstraint::Kind;

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
  SizeExpr total = SizeExpr::product(x);
  if (left) {
    result[*left] = 1;
    result[*left] = total.floorDiv(SizeExpr::product(result));
  }
  demandEqual(SizeExpr::product(result), total,
              "numbers of elements of both shapes");
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

/// A bound of a slice along `size` elements: counted from the end where it is
/// negative, then at least `low` and at most `high`.
static SizeExpr clampBound(SizeExpr bound, SizeExpr size, SizeExpr low,
                           SizeExpr high) {
  if (bound.isNonNegative())
    return bound.min(high);
  SizeExpr fromEnd = (size + bound).max(low).min(high);
  if (bound.getConstant())
    return fromEnd;
  // A difference such as length - 1 counts from the end if it turns out
  // negative.
  SizeExpr isNegative = (SizeExpr(0) - bound).max(0).min(1);
  return bound.max(0).min(high) * (SizeExpr(1) - isNegative) +
         fromEnd * isNegative;
}

/// The number of elements of a slice; nullopt where its direction is not known.
static std::optional<SizeExpr> countSlice(SizeExpr size, SizeExpr start,
                                          SizeExpr end, SizeExpr step) {
  std::optional<int64_t> number = step.getConstant();
  if (!number || *number == 0 || *number == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  if (*number > 0)
    return (clampBound(end, size, 0, size) - clampBound(start, size, 0, size))
        .ceilDiv(*number)
        .max(0);
  // Down to an end that may lie before the first element.
  SizeExpr last = size - 1;
  return (clampBound(start, size, 0, last) - clampBound(end, size, -1, last))
      .ceilDiv(-*number)
      .max(0);
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
    std::optional<SizeExpr> count =
        countSlice(result[axis], (*starts)[position], (*ends)[position],
                   steps ? (*steps)[position] : SizeExpr(1));
    if (!count)
      return std::nullopt;
    result[axis] = *count;
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
  if (scale == 0) // Open: see ResizeOp.
    return std::nullopt;
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
  for (auto [position, axis] : llvm::enumerate(resize.getAxes())) {
    SizeExpr &size = result[axis], wanted = (*sizes)[position];
    StringRef what = "sizes of the result and of the operand";
    if (!wanted.isNonNegative())
      demand(Kind::AtMost, 0, wanted, what);
    // Of nothing, nothing can be made.
    if (size.getConstant().value_or(0) < 1)
      demand(Kind::AtMost, wanted.min(1), size, what);
    size = wanted;
  }
  return result;
}
