// Where the elements of a tensor lie in a buffer.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/TensorView.h"
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "atc/Target/TensorLayout.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

using Layout = ::atc::PhysicalLayout;

Type mlir::atc::cpu::storageType(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer && !isNarrowFloat(elementType))
    return elementType;
  unsigned width = std::max(elementType.getIntOrFloatBitWidth(), 8u);
  return IntegerType::get(elementType.getContext(), width);
}

Type mlir::atc::cpu::computeType(Type elementType) {
  if (elementType.isF16() || elementType.isBF16())
    return Float32Type::get(elementType.getContext());
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  return elementType;
}

Layout mlir::atc::cpu::layoutOf(RankedTensorType type) {
  return getLayout(type);
}

/// Strides by the layout, innermost dim first, or by `pitch`; `base` counts the
/// halos.
static void fillStrides(TensorView &view, IndexBuilder &index,
                        ArrayRef<int64_t> pitch) {
  view.strides.assign(view.getRank(), index.constant(0));
  OpFoldResult stride = index.constant(1);
  for (unsigned dim : llvm::reverse(view.layout.permutation)) {
    int64_t low = 0, high = 0;
    for (const Layout::Halo &halo : view.layout.halos)
      if (halo.dim == dim) {
        low = halo.low;
        high = halo.high;
      }
    if (!pitch.empty())
      stride = index.constant(pitch[dim]);
    view.strides[dim] = stride;
    view.base = index.add(view.base, index.mul(stride, low));
    stride = index.mul(stride, index.add(view.sizes[dim], low + high));
  }
}

TensorView TensorView::create(IndexBuilder &index, Value buffer,
                              RankedTensorType type, ValueRange dynamicSizes,
                              ArrayRef<int64_t> pitch) {
  TensorView view;
  view.buffer = buffer;
  view.type = type;
  view.layout = layoutOf(type);
  view.base = index.constant(0);
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      view.sizes.push_back(dynamicSizes.front());
      dynamicSizes = dynamicSizes.drop_front();
    } else {
      view.sizes.push_back(index.constant(size));
    }
  }
  if (!view.isTiled()) {
    fillStrides(view, index, pitch);
    return view;
  }
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  std::vector<int64_t> zeros(shape.size(), 0);
  view.base = index.constant(view.layout.offset(shape, zeros));
  return view;
}

std::optional<int64_t> TensorView::getStaticSize(unsigned dim) const {
  return IndexBuilder::getConstant(sizes[dim]);
}

std::optional<int64_t> TensorView::getStaticStride(unsigned dim) const {
  return IndexBuilder::getConstant(strides[dim]);
}

bool TensorView::isContiguous() const { return layout.isRowMajor(); }

/// The digits of one dim: a position among its outer parts, then one in each of
/// its tiles.
static SmallVector<OpFoldResult> splitByTiles(IndexBuilder &index,
                                              OpFoldResult position,
                                              ArrayRef<int64_t> tileSizes) {
  SmallVector<OpFoldResult> digits;
  for (int64_t size : tileSizes) {
    digits.push_back(index.div(position, size));
    position = index.rem(position, size);
  }
  digits.push_back(position);
  return digits;
}

OpFoldResult TensorView::offset(IndexBuilder &index,
                                ArrayRef<OpFoldResult> point) const {
  if (!isTiled())
    return index.add(base, index.dot(point, strides));
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  std::vector<int64_t> physical = *layout.physicalShape(shape);
  // Per dim the digits that are still to be placed, outermost first.
  SmallVector<SmallVector<OpFoldResult>> digits;
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    SmallVector<int64_t> tileSizes;
    for (const Layout::Tile &tile : layout.tiles)
      if (tile.dim == dim)
        tileSizes.push_back(tile.size);
    OpFoldResult position = point[dim];
    for (const Layout::Halo &halo : layout.halos)
      if (halo.dim == dim)
        position = index.add(position, halo.low);
    digits.push_back(splitByTiles(index, position, tileSizes));
  }
  SmallVector<size_t> placed(getRank(), 0);
  OpFoldResult linear = index.constant(0);
  size_t axis = 0;
  auto place = [&](unsigned dim) {
    linear = index.add(index.mul(linear, physical[axis++]),
                       digits[dim][placed[dim]++]);
  };
  for (unsigned dim : layout.permutation)
    place(dim);
  for (const Layout::Tile &tile : layout.tiles)
    place(tile.dim);
  return linear;
}

TensorView TensorView::permuted(ArrayRef<int64_t> permutation) const {
  TensorView view = *this;
  SmallVector<int64_t> shape;
  for (auto [position, dim] : llvm::enumerate(permutation)) {
    view.sizes[position] = sizes[dim];
    view.strides[position] = strides[dim];
    shape.push_back(type.getDimSize(dim));
  }
  // Strides say it all; the encoding would name other dims.
  view.type = RankedTensorType::get(shape, type.getElementType());
  if (std::optional<Layout> permutedLayout =
          layoutThroughTranspose(layout, permutation))
    view.layout = *permutedLayout;
  return view;
}
