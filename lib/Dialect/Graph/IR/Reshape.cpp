// Reshape and expand: verifiers, and types from what is known of a shape.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Movement.h"
#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

/// The product of static sizes; nullopt where one is dynamic or it overflows.
static std::optional<int64_t> productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow(product, size, product))
      return std::nullopt;
  return product;
}

/// Whether the sizes of the result stand beside the op, as inside a kernel.
static bool hasSizesBeside(Operation *op) {
  return op->hasAttr(GraphDialect::getSizesAttrName());
}

LogicalResult ReshapeOp::verify() {
  auto x = cast<TensorType>(getX().getType());
  auto result = cast<TensorType>(getType());
  // reshape-C1
  if (x.getElementType() != result.getElementType())
    return emitOpError() << "expects equal element types, got "
                         << x.getElementType() << " and "
                         << result.getElementType();
  if (!result.hasRank())
    return success();
  // reshape-C3
  if (auto shape = getShape()) {
    auto type = dyn_cast<RankedTensorType>(shape.getType());
    if (type && (type.getRank() != 1 ||
                 !mergeDims(type.getDimSize(0), result.getRank())))
      return emitOpError() << "expects 'shape' of " << result.getRank()
                           << " elements, got " << type;
  } else if (result.getNumDynamicDims() > 1 && !hasSizesBeside(*this)) {
    // reshape-C4
    return emitOpError() << "expects at most one dynamic dim without 'shape', "
                            "got "
                         << result;
  }
  // reshape-C2
  if (!x.hasStaticShape() || !result.hasStaticShape())
    return success();
  auto before = productOf(x.getShape()), after = productOf(result.getShape());
  if (!before || before != after)
    return emitOpError() << "expects as many elements as 'x' has, got " << x
                         << " and " << result;
  return success();
}

/// What -1 in a reshape's shape stands for: the elements of `x` over those of
/// the other sizes, where dynamic dims that were copied cancel. Nullopt where
/// it is not known.
static std::optional<int64_t> inferRemaining(ArrayRef<int64_t> x,
                                             ArrayRef<int64_t> requested,
                                             bool allowZero) {
  int64_t elements = 1, others = 1;
  for (auto [dim, size] : llvm::enumerate(x)) {
    bool isCopied = !allowZero && dim < requested.size() && requested[dim] == 0;
    if (isCopied)
      continue;
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow(elements, size, elements))
      return std::nullopt;
  }
  for (int64_t size : requested) {
    if (size == -1 || (size == 0 && !allowZero))
      continue;
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(others, size, others))
      return std::nullopt;
  }
  if (others == 0 || elements % others)
    return std::nullopt;
  return elements / others;
}

/// The shape that the elements of 'shape' ask for, as far as it is known.
static SmallVector<int64_t>
resolveShape(ArrayRef<int64_t> x, ArrayRef<int64_t> requested, bool allowZero) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(requested)) {
    if (size == 0 && !allowZero)
      shape.push_back(dim < x.size() ? x[dim] : ShapedType::kDynamic);
    else if (size == -1)
      shape.push_back(inferRemaining(x, requested, allowZero)
                          .value_or(ShapedType::kDynamic));
    else
      shape.push_back(size < 0 ? ShapedType::kDynamic : size);
  }
  return shape;
}

void ReshapeOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  Type present = getType();
  types.push_back(present);
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  Type element = getElementTypeOrSelf(present);
  if (Value operand = getShape()) {
    if (auto requested = partialShapeValue(operand)) {
      SmallVector<int64_t> unknown(requested->size(), ShapedType::kDynamic);
      ArrayRef<int64_t> source = x ? x.getShape() : ArrayRef<int64_t>();
      SmallVector<int64_t> shape =
          x ? resolveShape(source, *requested, getAllowZero()) : unknown;
      if (Type merged =
              mergeTypes(present, RankedTensorType::get(shape, element)))
        types.back() = merged;
    }
  }
  // One dim that is left follows from the number of elements.
  auto result = dyn_cast<RankedTensorType>(types.back());
  if (!x || !result || result.getNumDynamicDims() != 1)
    return;
  SmallVector<int64_t> shape(result.getShape());
  int64_t *missing = llvm::find(shape, ShapedType::kDynamic);
  *missing = -1;
  auto remaining = inferRemaining(x.getShape(), shape, /*allowZero=*/true);
  if (!remaining)
    return;
  *missing = *remaining;
  types.back() = RankedTensorType::get(shape, element, result.getEncoding());
}

//===----------------------------------------------------------------------===//
// ExpandOp
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::verify() {
  auto x = cast<TensorType>(getX().getType());
  auto result = cast<TensorType>(getType());
  // expand-C1
  if (x.getElementType() != result.getElementType())
    return emitOpError() << "expects equal element types, got "
                         << x.getElementType() << " and "
                         << result.getElementType();
  if (!result.hasRank())
    return success();
  // expand-C3
  if (auto shape = getShape()) {
    auto type = dyn_cast<RankedTensorType>(shape.getType());
    if (type &&
        (type.getRank() != 1 ||
         (!type.isDynamicDim(0) && type.getDimSize(0) > result.getRank())))
      return emitOpError() << "expects 'shape' of at most " << result.getRank()
                           << " elements, got " << type;
  }
  if (!x.hasRank())
    return success();
  // expand-C2
  if (!broadcastsTo(x.getShape(), result.getShape()))
    return emitOpError() << "expects 'x' to broadcast to the result, got " << x
                         << " and " << result;
  // expand-C4
  if (getShape() || hasSizesBeside(*this))
    return success();
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    int64_t source = dim - (result.getRank() - x.getRank());
    if (result.isDynamicDim(dim) && (source < 0 || !x.isDynamicDim(source)))
      return emitOpError() << "expects 'shape' for dim " << dim << " of "
                           << result;
  }
  return success();
}

void ExpandOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  Type present = getType();
  types.push_back(present);
  auto x = dyn_cast<RankedTensorType>(getX().getType());
  if (!x || !getShape())
    return;
  auto requested = partialShapeValue(getShape());
  if (!requested)
    return;
  // A negative size is not legal, so it says nothing.
  for (int64_t &size : *requested)
    if (size < 0)
      size = ShapedType::kDynamic;
  auto shape = broadcastShapes(x.getShape(), *requested);
  if (!shape)
    return;
  if (Type merged = mergeTypes(
          present, RankedTensorType::get(*shape, x.getElementType())))
    types.back() = merged;
}
