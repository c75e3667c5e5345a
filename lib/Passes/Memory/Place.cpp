// Where a tensor lies, and how that changes when elements are only renamed.
// SPDX-License-Identifier: Apache-2.0
#include "Place.h"
#include "atc/Support/CheckedMath.h"
#include "atc/Target/TensorLayout.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::PhysicalLayout;

bool Place::hasHalo() const {
  return llvm::any_of(
      halos, [](const Halo &halo) { return halo.low != 0 || halo.high != 0; });
}

std::optional<int64_t> mlir::atc::getStorageBytes(RankedTensorType type) {
  Type element = type.getElementType();
  std::optional<int64_t> elements =
      getLayout(type).physicalElements(type.getShape().vec());
  if (!elements)
    return std::nullopt;
  if (std::optional<int64_t> bytes = plan::getElementBytes(element))
    return ::atc::checkedMultiply(*elements, *bytes);
  if (!element.isIntOrFloat())
    return std::nullopt;
  // Elements below eight bits lie side by side.
  std::optional<int64_t> bits = ::atc::checkedMultiply<int64_t>(
      *elements, element.getIntOrFloatBitWidth());
  return bits ? std::optional(static_cast<int64_t>(
                    llvm::divideCeil(static_cast<uint64_t>(*bits), 8)))
              : std::nullopt;
}

Place mlir::atc::getOwnPlace(unsigned storage, RankedTensorType type) {
  PhysicalLayout layout = getLayout(type);
  Place place;
  place.storage = storage;
  place.halos.resize(type.getRank());
  for (const PhysicalLayout::Halo &halo : layout.halos)
    place.halos[halo.dim] = {halo.low, halo.high};
  if (!layout.isStrided()) {
    place.tiled = cast<graph::LayoutAttr>(type.getEncoding());
    return place;
  }
  PhysicalLayout::Strides strides = layout.strides(type.getShape().vec());
  place.strides.assign(strides.strides.begin(), strides.strides.end());
  place.offset =
      strides.base * plan::getElementBytes(type.getElementType()).value_or(0);
  return place;
}

bool mlir::atc::fits(const Place &place, RankedTensorType type) {
  PhysicalLayout layout = getLayout(type);
  if (place.isTiled() || !layout.isStrided())
    return place.tiled ==
           dyn_cast_or_null<graph::LayoutAttr>(type.getEncoding());
  for (const PhysicalLayout::Halo &halo : layout.halos)
    if (place.halos[halo.dim].low < halo.low ||
        place.halos[halo.dim].high < halo.high)
      return false;
  // From the innermost dim outwards: the first keeps a stride of one, each
  // further one leaves room for what is inside it.
  std::vector<int64_t> own = layout.strides(type.getShape().vec()).strides;
  int64_t least = 1;
  bool isInnermost = true;
  for (unsigned dim : llvm::reverse(layout.permutation)) {
    int64_t size = type.getDimSize(dim), stride = place.strides[dim];
    if (size <= 1)
      continue;
    if (stride < least || (isInnermost && own[dim] == 1 && stride != 1))
      return false;
    isInnermost = false;
    std::optional<int64_t> extent = ::atc::checkedMultiply(stride, size);
    if (!extent)
      return false;
    least = *extent;
  }
  return true;
}

bool mlir::atc::hasOwnStrides(const Place &place, RankedTensorType type) {
  PhysicalLayout layout = getLayout(type);
  if (place.isTiled() || !layout.isStrided())
    return place.isTiled() && fits(place, type);
  std::vector<int64_t> own = layout.strides(type.getShape().vec()).strides;
  for (auto [size, stride, expected] :
       llvm::zip_equal(type.getShape(), place.strides, own))
    if (size > 1 && stride != expected)
      return false;
  return true;
}

plan::ViewType mlir::atc::getViewType(const Place &place,
                                      RankedTensorType type) {
  // Elements below eight bits have no address; they are dense by construction.
  if (!plan::getElementBytes(type.getElementType()))
    return plan::ViewType::get(type.getShape(), type.getElementType());
  // Dims of size one must not make a dense view look strided.
  auto dense = RankedTensorType::get(type.getShape(), type.getElementType());
  if (!place.isTiled() && hasOwnStrides(place, dense))
    return plan::ViewType::get(type.getShape(), type.getElementType());
  return plan::ViewType::get(type.getShape(), type.getElementType(),
                             place.strides, place.tiled);
}

std::optional<Place> mlir::atc::transposePlace(const Place &operand,
                                               ArrayRef<int64_t> permutation) {
  if (operand.isTiled())
    return std::nullopt;
  Place result = operand;
  for (auto [to, from] : llvm::enumerate(permutation)) {
    result.strides[to] = operand.strides[from];
    result.halos[to] = operand.halos[from];
  }
  return result;
}

std::optional<Place>
mlir::atc::untransposePlace(const Place &result,
                            ArrayRef<int64_t> permutation) {
  if (result.isTiled())
    return std::nullopt;
  Place operand = result;
  for (auto [to, from] : llvm::enumerate(permutation)) {
    operand.strides[from] = result.strides[to];
    operand.halos[from] = result.halos[to];
  }
  return operand;
}

namespace {

/// Splits both shapes into the finest runs of dims with equal products, from
/// the left: [2, 3, 4] and [6, 4] fall into {2, 3 | 6} and {4 | 4}. Dims of
/// size one at the end of a run belong to it.
struct DimRun {
  unsigned fromBegin, fromEnd, toBegin, toEnd;
};

SmallVector<DimRun> matchDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<DimRun> runs;
  unsigned f = 0, t = 0;
  while (f < from.size() || t < to.size()) {
    DimRun run{f, f, t, t};
    int64_t fromSize = f < from.size() ? from[f++] : 1;
    int64_t toSize = t < to.size() ? to[t++] : 1;
    while (fromSize != toSize) {
      if (fromSize < toSize)
        fromSize *= from[f++];
      else
        toSize *= to[t++];
    }
    run.fromEnd = f;
    run.toEnd = t;
    runs.push_back(run);
  }
  return runs;
}

} // namespace

/// Strides for the dims of one run: the operand's dims must merge into one
/// sequence of constant stride, which is then split.
static bool reshapeRun(const Place &operand, ArrayRef<int64_t> from,
                       ArrayRef<int64_t> to, const DimRun &run, Place &result) {
  int64_t stride = 1;
  bool isFirst = true;
  int64_t expected = 0;
  for (unsigned dim = run.fromEnd; dim-- > run.fromBegin;) {
    if (from[dim] == 1)
      continue;
    if (!isFirst && operand.strides[dim] != expected)
      return false;
    if (isFirst)
      stride = operand.strides[dim];
    isFirst = false;
    expected = operand.strides[dim] * from[dim];
  }
  for (unsigned dim = run.toEnd; dim-- > run.toBegin;) {
    result.strides[dim] = stride;
    stride *= to[dim];
  }
  // A dim that stays as it is keeps the zeros around it.
  if (run.fromEnd - run.fromBegin == 1 && run.toEnd - run.toBegin == 1)
    result.halos[run.toBegin] = operand.halos[run.fromBegin];
  return true;
}

std::optional<Place> mlir::atc::reshapePlace(const Place &operand,
                                             ArrayRef<int64_t> from,
                                             ArrayRef<int64_t> to) {
  if (operand.isTiled())
    return from == to ? std::optional(operand) : std::nullopt;
  Place result = operand;
  result.strides.assign(to.size(), 0);
  result.halos.assign(to.size(), {});
  // Without elements every stride is right.
  if (llvm::is_contained(from, 0))
    return result;
  for (const DimRun &run : matchDims(from, to))
    if (!reshapeRun(operand, from, to, run, result))
      return std::nullopt;
  return result;
}

/// Bytes to the part's first tile if the part is one piece: the axis is the
/// slowest dim that has more than one tile, and the part begins and ends with
/// tiles.
static std::optional<int64_t> getTiledOffset(RankedTensorType whole,
                                             ArrayRef<int64_t> starts,
                                             ArrayRef<int64_t> shape) {
  PhysicalLayout layout = getLayout(whole);
  std::optional<int64_t> bytes = plan::getElementBytes(whole.getElementType());
  std::optional<unsigned> axis;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim)
    if (shape[dim] != whole.getDimSize(dim)) {
      if (axis)
        return std::nullopt;
      axis = dim;
    }
  if (!axis)
    return 0;
  int64_t tile = 1;
  for (const PhysicalLayout::Tile &entry : layout.tiles)
    if (entry.dim == *axis) {
      // The outer tile is the one that must stay whole.
      tile = tile == 1 ? entry.size : tile;
    }
  for (unsigned dim : layout.permutation) {
    if (dim == *axis)
      break;
    int64_t outer = whole.getDimSize(dim);
    for (const PhysicalLayout::Tile &entry : layout.tiles)
      if (entry.dim == dim) {
        outer = llvm::divideCeil(outer, entry.size);
        break;
      }
    if (outer != 1)
      return std::nullopt;
  }
  bool endsWhole = starts[*axis] + shape[*axis] == whole.getDimSize(*axis) ||
                   shape[*axis] % tile == 0;
  if (!layout.halos.empty() || !bytes || starts[*axis] % tile != 0 ||
      !endsWhole)
    return std::nullopt;
  return layout.offset(whole.getShape().vec(),
                       std::vector<int64_t>(starts.begin(), starts.end())) *
         *bytes;
}

std::optional<Place> mlir::atc::slicePlace(const Place &operand,
                                           RankedTensorType whole,
                                           ArrayRef<int64_t> starts,
                                           ArrayRef<int64_t> steps,
                                           ArrayRef<int64_t> shape) {
  Place result = operand;
  if (operand.isTiled()) {
    if (!llvm::all_of(steps, [](int64_t step) { return step == 1; }))
      return std::nullopt;
    std::optional<int64_t> offset = getTiledOffset(whole, starts, shape);
    if (!offset)
      return std::nullopt;
    result.offset += *offset;
    return result;
  }
  std::optional<int64_t> bytes = plan::getElementBytes(whole.getElementType());
  if (!bytes)
    return std::nullopt;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    if (shape[dim] == whole.getDimSize(dim) && steps[dim] == 1)
      continue;
    // An empty part has no element that an offset could lead to.
    if (shape[dim] != 0)
      result.offset += starts[dim] * operand.strides[dim] * *bytes;
    result.strides[dim] = operand.strides[dim] * steps[dim];
    result.halos[dim] = {};
  }
  return result;
}
