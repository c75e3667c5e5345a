// Evaluation of small constants that are moved, not computed.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Folding.h"

using namespace mlir;
using namespace mlir::atc;

DenseElementsAttr graph::getFoldable(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseIntOrFPElementsAttr>(attribute);
  if (!elements || isa<ComplexType>(elements.getElementType()))
    return {};
  if (!elements.isSplat() && elements.getNumElements() > foldLimit)
    return {};
  return elements;
}

SmallVector<int64_t> graph::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

void graph::forEachIndex(ArrayRef<int64_t> shape,
                         function_ref<void(ArrayRef<int64_t> index)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// The number of elements of a static shape, or nullopt where it overflows.
static std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    if (llvm::MulOverflow(count, dim, count))
      return std::nullopt;
  return count;
}

Attribute graph::foldMovement(
    Attribute source, Type resultType,
    function_ref<int64_t(ArrayRef<int64_t> index)> sourceIndex) {
  auto type = dyn_cast<RankedTensorType>(resultType);
  DenseElementsAttr elements = getFoldable(source);
  if (!type || !type.hasStaticShape() || !elements)
    return {};
  std::optional<int64_t> count = countElements(type.getShape());
  if (!count)
    return {};
  type = RankedTensorType::get(type.getShape(), type.getElementType());
  if (elements.isSplat() && *count > 0)
    return elements.resizeSplat(type);
  if (*count > foldLimit)
    return {};
  SmallVector<Attribute> values;
  auto sources = elements.value_begin<Attribute>();
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    values.push_back(sources[sourceIndex(index)]);
  });
  return DenseElementsAttr::get(type, values);
}
