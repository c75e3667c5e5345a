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

SizedTensor SizedTensor::get(RankedTensorType type) {
  return {type, llvm::to_vector_of<SizeExpr, 4>(type.getShape())};
}

bool SizedTensor::hasStaticShape() const {
  return llvm::all_of(sizes, [](SizeExpr size) { return size.getConstant(); });
}

std::vector<int64_t> SizedTensor::getStaticSizes() const {
  std::vector<int64_t> numbers;
  for (SizeExpr size : sizes)
    numbers.push_back(*size.getConstant());
  return numbers;
}

namespace {
/// Strides of a strided layout, as PhysicalLayout::strides computes them.
struct OwnStrides {
  SmallVector<SizeExpr, 4> strides;
  /// Of element zero, behind the halo.
  SizeExpr base = 0;
  /// Elements of the buffer.
  SizeExpr count = 1;
};
} // namespace

static OwnStrides getOwnStrides(const PhysicalLayout &layout,
                                ArrayRef<SizeExpr> sizes) {
  OwnStrides own;
  own.strides.resize(sizes.size());
  for (unsigned dim : llvm::reverse(layout.permutation)) {
    int64_t low = 0, high = 0;
    for (const PhysicalLayout::Halo &halo : layout.halos)
      if (halo.dim == dim)
        std::tie(low, high) = std::tie(halo.low, halo.high);
    own.strides[dim] = own.count;
    own.base = own.base + own.count * low;
    own.count = own.count * (sizes[dim] + low + high);
  }
  return own;
}

std::optional<SizeExpr> mlir::atc::getStorageBytes(const SizedTensor &tensor) {
  Type element = tensor.type.getElementType();
  PhysicalLayout layout = getLayout(tensor.type);
  std::optional<int64_t> elementBytes = plan::getElementBytes(element);
  if (!tensor.hasStaticShape()) {
    if (!elementBytes || !layout.isStrided())
      return std::nullopt;
    return getOwnStrides(layout, tensor.sizes).count * SizeExpr(*elementBytes);
  }
  std::optional<int64_t> elements =
      layout.physicalElements(tensor.getStaticSizes());
  if (!elements)
    return std::nullopt;
  if (elementBytes) {
    std::optional<int64_t> bytes =
        ::atc::checkedMultiply(*elements, *elementBytes);
    return bytes ? std::optional<SizeExpr>(*bytes) : std::nullopt;
  }
  if (!element.isIntOrFloat())
    return std::nullopt;
  // Elements below eight bits lie side by side.
  std::optional<int64_t> bits = ::atc::checkedMultiply<int64_t>(
      *elements, element.getIntOrFloatBitWidth());
  return bits ? std::optional<SizeExpr>(static_cast<int64_t>(
                    llvm::divideCeil(static_cast<uint64_t>(*bits), 8)))
              : std::nullopt;
}

Place mlir::atc::getOwnPlace(unsigned storage, const SizedTensor &tensor) {
  PhysicalLayout layout = getLayout(tensor.type);
  Place place;
  place.storage = storage;
  place.halos.resize(tensor.type.getRank());
  for (const PhysicalLayout::Halo &halo : layout.halos)
    place.halos[halo.dim] = {halo.low, halo.high};
  if (!layout.isStrided()) {
    place.tiled = cast<graph::LayoutAttr>(tensor.type.getEncoding());
    return place;
  }
  OwnStrides own = getOwnStrides(layout, tensor.sizes);
  place.strides = std::move(own.strides);
  place.offset =
      own.base *
      plan::getElementBytes(tensor.type.getElementType()).value_or(0);
  return place;
}

/// Dims without a second element have no stride that matters, except to a halo.
static bool isAtMostOne(SizeExpr size) {
  std::optional<int64_t> number = size.getConstant();
  return number && *number <= 1;
}

bool mlir::atc::fits(const Place &place, const SizedTensor &tensor) {
  PhysicalLayout layout = getLayout(tensor.type);
  if (place.isTiled() || !layout.isStrided())
    return place.tiled ==
           dyn_cast_or_null<graph::LayoutAttr>(tensor.type.getEncoding());
  for (const PhysicalLayout::Halo &halo : layout.halos)
    if (place.halos[halo.dim].low < halo.low ||
        place.halos[halo.dim].high < halo.high)
      return false;
  // From the innermost dim outwards: the first keeps a stride of one, each
  // further one leaves room for what is inside it.
  OwnStrides own = getOwnStrides(layout, tensor.sizes);
  SizeExpr least = 1;
  bool isInnermost = true;
  for (unsigned dim : llvm::reverse(layout.permutation)) {
    SizeExpr size = tensor.sizes[dim], stride = place.strides[dim];
    if (isAtMostOne(size))
      continue;
    if (!(stride - least).isNonNegative() ||
        (isInnermost && own.strides[dim].isConstant(1) &&
         !stride.isConstant(1)))
      return false;
    isInnermost = false;
    least = stride * size;
  }
  // A product that does not fit 64 bits says nothing.
  return !least.isConstant(std::numeric_limits<int64_t>::max());
}

bool mlir::atc::hasOwnStrides(const Place &place, const SizedTensor &tensor) {
  PhysicalLayout layout = getLayout(tensor.type);
  if (place.isTiled() || !layout.isStrided())
    return place.isTiled() && fits(place, tensor);
  OwnStrides own = getOwnStrides(layout, tensor.sizes);
  SmallVector<bool> matters = llvm::map_to_vector(
      tensor.sizes, [](SizeExpr size) { return !isAtMostOne(size); });
  // The zeros before and behind a single element are found by its stride.
  for (const PhysicalLayout::Halo &halo : layout.halos)
    matters[halo.dim] = true;
  for (auto [isRead, stride, expected] :
       llvm::zip_equal(matters, place.strides, own.strides))
    if (isRead && stride != expected)
      return false;
  return true;
}

/// The number, or what stands for an open one in types.
static int64_t toStatic(SizeExpr size) {
  return size.getConstant().value_or(ShapedType::kDynamic);
}

plan::ViewType mlir::atc::getViewType(const Place &place,
                                      const SizedTensor &tensor) {
  Type element = tensor.type.getElementType();
  SmallVector<int64_t> shape = llvm::map_to_vector(tensor.sizes, toStatic);
  auto packed = plan::ViewType::get(shape, element);
  // Elements below eight bits have no address; they are dense by construction.
  if (!plan::getElementBytes(element))
    return packed;
  // Dims of size one must not make a dense view look strided.
  SizedTensor dense{RankedTensorType::get(shape, element), tensor.sizes};
  if (!place.isTiled() && hasOwnStrides(place, dense) &&
      !llvm::is_contained(packed.getExplicitStrides(), ShapedType::kDynamic))
    return packed;
  return getExactViewType(place, tensor);
}

plan::ViewType mlir::atc::getExactViewType(const Place &place,
                                           const SizedTensor &tensor) {
  return plan::ViewType::get(
      llvm::map_to_vector(tensor.sizes, toStatic), tensor.type.getElementType(),
      llvm::map_to_vector(place.strides, toStatic), place.tiled);
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

/// Runs of dims of both shapes with equal products: [2, 3, 4] and [6, 4] fall
/// into {2, 3 | 6} and {4 | 4}.
struct DimRun {
  unsigned fromBegin, fromEnd, toBegin, toEnd;
};

/// The shortest run from the left whose products are known to be equal. The
/// rest of both shapes is one in any case.
DimRun matchRun(ArrayRef<SizeExpr> from, unsigned fromBegin,
                ArrayRef<SizeExpr> to, unsigned toBegin) {
  unsigned fromRest = from.size() - fromBegin, toRest = to.size() - toBegin;
  SmallVector<SizeExpr> fromProducts{1}, toProducts{1};
  for (SizeExpr size : from.drop_front(fromBegin))
    fromProducts.push_back(fromProducts.back() * size);
  for (SizeExpr size : to.drop_front(toBegin))
    toProducts.push_back(toProducts.back() * size);
  for (unsigned length = 2; length <= fromRest + toRest; ++length)
    for (unsigned f = 1; f <= std::min(fromRest, length - 1); ++f)
      if (unsigned t = length - f;
          t <= toRest && fromProducts[f] == toProducts[t])
        return {fromBegin, fromBegin + f, toBegin, toBegin + t};
  return {fromBegin, static_cast<unsigned>(from.size()), toBegin,
          static_cast<unsigned>(to.size())};
}

/// The finest runs, from the left. Dims of size one at the end may be a run
/// without a counterpart.
SmallVector<DimRun> matchDims(ArrayRef<SizeExpr> from, ArrayRef<SizeExpr> to) {
  SmallVector<DimRun> runs;
  unsigned f = 0, t = 0;
  while (f < from.size() || t < to.size()) {
    runs.push_back(matchRun(from, f, to, t));
    f = runs.back().fromEnd;
    t = runs.back().toEnd;
  }
  return runs;
}

} // namespace

/// Strides for the dims of one run: the operand's dims must merge into one
/// sequence of constant stride, which is then split.
static bool reshapeRun(const Place &operand, ArrayRef<SizeExpr> from,
                       ArrayRef<SizeExpr> to, const DimRun &run,
                       Place &result) {
  SizeExpr stride = 1;
  bool isFirst = true;
  SizeExpr expected = 0;
  for (unsigned dim = run.fromEnd; dim-- > run.fromBegin;) {
    if (from[dim].isConstant(1))
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
    stride = stride * to[dim];
  }
  // A dim that stays as it is keeps the zeros around it.
  if (run.fromEnd - run.fromBegin == 1 && run.toEnd - run.toBegin == 1)
    result.halos[run.toBegin] = operand.halos[run.fromBegin];
  return true;
}

std::optional<Place> mlir::atc::reshapePlace(const Place &operand,
                                             ArrayRef<SizeExpr> from,
                                             ArrayRef<SizeExpr> to) {
  if (operand.isTiled())
    return from == to ? std::optional(operand) : std::nullopt;
  Place result = operand;
  result.strides.assign(to.size(), 0);
  result.halos.assign(to.size(), {});
  // Without elements every stride is right.
  if (llvm::is_contained(from, SizeExpr()))
    return result;
  for (const DimRun &run : matchDims(from, to))
    if (!reshapeRun(operand, from, to, run, result))
      return std::nullopt;
  return result;
}

/// Bytes to the part's first tile if the part is one piece: the axis is the
/// slowest dim that has more than one tile, and the part begins and ends with
/// tiles. Static shapes.
static std::optional<int64_t> getTiledOffset(RankedTensorType type,
                                             ArrayRef<int64_t> whole,
                                             ArrayRef<int64_t> starts,
                                             ArrayRef<int64_t> shape) {
  PhysicalLayout layout = getLayout(type);
  std::optional<int64_t> bytes = plan::getElementBytes(type.getElementType());
  std::optional<unsigned> axis;
  for (unsigned dim = 0; dim < whole.size(); ++dim)
    if (shape[dim] != whole[dim]) {
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
    int64_t outer = whole[dim];
    for (const PhysicalLayout::Tile &entry : layout.tiles)
      if (entry.dim == dim) {
        outer = llvm::divideCeil(outer, entry.size);
        break;
      }
    if (outer != 1)
      return std::nullopt;
  }
  bool endsWhole =
      starts[*axis] + shape[*axis] == whole[*axis] || shape[*axis] % tile == 0;
  if (!layout.halos.empty() || !bytes || starts[*axis] % tile != 0 ||
      !endsWhole)
    return std::nullopt;
  return layout.offset(whole.vec(), starts.vec()) * *bytes;
}

std::optional<Place> mlir::atc::slicePlace(const Place &operand,
                                           const SizedTensor &whole,
                                           ArrayRef<SizeExpr> starts,
                                           ArrayRef<int64_t> steps,
                                           ArrayRef<SizeExpr> shape) {
  Place result = operand;
  if (operand.isTiled()) {
    // Sizes in a tiled layout are static.
    if (!llvm::all_of(steps, [](int64_t step) { return step == 1; }))
      return std::nullopt;
    std::optional<int64_t> offset =
        getTiledOffset(whole.type, whole.getStaticSizes(),
                       llvm::map_to_vector(starts, toStatic),
                       llvm::map_to_vector(shape, toStatic));
    if (!offset)
      return std::nullopt;
    result.offset = result.offset + *offset;
    return result;
  }
  std::optional<int64_t> bytes =
      plan::getElementBytes(whole.type.getElementType());
  if (!bytes)
    return std::nullopt;
  for (unsigned dim = 0; dim < whole.sizes.size(); ++dim) {
    if (shape[dim] == whole.sizes[dim] && steps[dim] == 1)
      continue;
    // An empty part has no element that an offset could lead to.
    if (!shape[dim].isConstant(0))
      result.offset = result.offset + starts[dim].min(whole.sizes[dim]) *
                                          operand.strides[dim] * *bytes;
    result.strides[dim] = operand.strides[dim] * steps[dim];
    result.halos[dim] = {};
  }
  return result;
}
