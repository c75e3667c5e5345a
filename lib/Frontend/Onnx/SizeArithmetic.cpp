// Movements and size arithmetic that many operators are imported with.
// SPDX-License-Identifier: Apache-2.0
#include "NodeBinder.h"

#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Support/CheckedMath.h"

namespace mlir::atc::onnx {

static constexpr int64_t kDynamic = ShapedType::kDynamic;

bool saturates(Type elementType) {
  return isa<FloatType>(elementType) &&
         elementType.getIntOrFloatBitWidth() <= 8;
}

Value NodeBinder::cast(Value value, Type elementType) {
  if (failed || getElementTypeOrSelf(value.getType()) == elementType)
    return value;
  return create<graph::CastOp>(value, elementType, saturates(elementType));
}

Value NodeBinder::transpose(Value value, ArrayRef<int64_t> permutation) {
  return create<graph::TransposeOp>(value, permutation);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

int64_t NodeBinder::getKnown(const Size &size) const {
  if (size.value) {
    std::optional<SmallVector<int64_t>> known =
        graph::partialShapeValue(size.value);
    return known && known->size() == 1 ? known->front() : kDynamic;
  }
  if (!size.tensor)
    return size.fixed;
  auto type = mlir::cast<RankedTensorType>(size.tensor.getType());
  int64_t product = 1;
  for (int64_t dim : type.getShape().slice(size.begin, size.end - size.begin)) {
    if (ShapedType::isDynamic(dim))
      return kDynamic;
    std::optional<int64_t> next = ::atc::checkedMultiply(product, dim);
    if (!next)
      return kDynamic;
    product = *next;
  }
  return product;
}

Value NodeBinder::sizes(Value value, int64_t begin, int64_t end) {
  RankedTensorType type = rankedType(value);
  if (failed)
    return {};
  ArrayRef<int64_t> part = type.getShape().slice(begin, end - begin);
  if (!ShapedType::isDynamicShape(part))
    return integerList(part);
  Value shape = create<graph::ShapeOfOp>(value);
  return create<graph::SliceOp>(shape, ArrayRef<int64_t>{begin},
                                ArrayRef<int64_t>{end}, ArrayRef<int64_t>{1});
}

Value NodeBinder::getValue(const Size &size) {
  if (failed)
    return {};
  if (size.value)
    return size.value;
  if (int64_t known = getKnown(size); known != kDynamic)
    return integerList({known});
  Value dims = sizes(size.tensor, size.begin, size.end);
  if (size.end - size.begin == 1)
    return dims;
  return create<graph::ReduceOp>(graph::ReductionKind::product, dims,
                                 ArrayRef<int64_t>{0}, /*keep_dims=*/true);
}

Value NodeBinder::shapeTensor(ArrayRef<Size> sizes) {
  SmallVector<Value> parts;
  SmallVector<int64_t> constants;
  auto flush = [&] {
    if (!constants.empty())
      parts.push_back(integerList(constants));
    constants.clear();
  };
  for (const Size &size : sizes) {
    if (int64_t known = getKnown(size); known != kDynamic) {
      constants.push_back(known);
      continue;
    }
    flush();
    parts.push_back(getValue(size));
  }
  flush();
  if (failed)
    return {};
  if (parts.empty())
    return integerList({});
  return parts.size() == 1 ? parts.front()
                           : create<graph::ConcatOp>(parts, /*axis=*/0);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

Value NodeBinder::reshape(Value value, ArrayRef<Size> sizes) {
  if (failed)
    return {};
  SmallVector<int64_t> known;
  for (const Size &size : sizes)
    known.push_back(getKnown(size));
  auto type =
      RankedTensorType::get(known, getElementTypeOrSelf(value.getType()));
  // One open size is what is left, unless an empty dim hides it.
  Value shape;
  if (llvm::count(known, kDynamic) > 1 ||
      (llvm::is_contained(known, kDynamic) && llvm::is_contained(known, 0)))
    shape = shapeTensor(sizes);
  return createTyped<graph::ReshapeOp>(type, value, shape,
                                       /*allow_zero=*/shape != nullptr);
}

Value NodeBinder::reshape(Value value, ArrayRef<int64_t> sizes) {
  return reshape(value,
                 llvm::map_to_vector(sizes, [](int64_t n) { return Size(n); }));
}

/// Fills in the size that -1 stands for, if the input's sizes that are not
/// copied are known.
void NodeBinder::resolveRest(RankedTensorType type, ArrayRef<bool> copied,
                             size_t rest, SmallVectorImpl<int64_t> &sizes) {
  int64_t given = 1, available = 1;
  auto multiply = [](int64_t &product, int64_t size) {
    std::optional<int64_t> next = ::atc::checkedMultiply(product, size);
    product = next.value_or(kDynamic);
    return next && !ShapedType::isDynamic(size);
  };
  for (size_t i = 0; i < sizes.size(); ++i)
    if (i != rest && !copied[i] && !multiply(given, sizes[i]))
      return;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if ((i >= static_cast<int64_t>(copied.size()) || !copied[i]) &&
        !multiply(available, type.getDimSize(i)))
      return;
  if (given == 0)
    return;
  if (available % given != 0)
    invalid("the shape cannot hold the elements of the input");
  else
    sizes[rest] = available / given;
}

Value NodeBinder::reshapeAs(Value value, Value shape, bool allowZero) {
  RankedTensorType shapeType = rankedType(shape);
  if (failed)
    return {};
  if (shapeType.getRank() != 1) {
    invalid("the shape is not a 1-D tensor");
    return {};
  }
  if (shapeType.isDynamicDim(0)) {
    unsupported("a result of unknown rank");
    return {};
  }
  SmallVector<int64_t> sizes(shapeType.getDimSize(0), kDynamic);
  SmallVector<int64_t> known = graph::partialShapeValue(shape).value_or(sizes);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  SmallVector<bool> copied(sizes.size(), false);
  std::optional<size_t> rest;
  for (size_t i = 0; i < sizes.size() && !failed; ++i) {
    if (known[i] == -1) {
      if (rest)
        invalid("the shape holds -1 twice");
      rest = i;
    } else if (known[i] == 0 && !allowZero) {
      copied[i] = true;
      if (type && static_cast<int64_t>(i) < type.getRank())
        sizes[i] = type.getDimSize(i);
      else if (type)
        invalid("the shape copies dimension " + Twine(i) +
                " of an input of rank " + Twine(type.getRank()));
    } else if (known[i] < 0 && !ShapedType::isDynamic(known[i])) {
      invalid("the shape holds the size " + Twine(known[i]));
    } else {
      sizes[i] = known[i];
    }
  }
  if (failed)
    return {};
  if (rest && type)
    resolveRest(type, copied, *rest, sizes);
  // A static shape, or one that leaves one size open, says all.
  if (!ShapedType::isDynamicShape(sizes) ||
      (llvm::count(sizes, kDynamic) == 1 && !llvm::is_contained(sizes, 0)))
    return reshape(value, sizes);
  return createTyped<graph::ReshapeOp>(
      RankedTensorType::get(sizes, getElementTypeOrSelf(value.getType())),
      value, shape, allowZero);
}

Value NodeBinder::unsqueeze(Value value, ArrayRef<int64_t> axes) {
  RankedTensorType type = rankedType(value);
  if (failed)
    return {};
  SmallVector<Size> sizes;
  int64_t next = 0;
  int64_t rank = type.getRank() + static_cast<int64_t>(axes.size());
  for (int64_t i = 0; i < rank; ++i)
    if (llvm::is_contained(axes, i))
      sizes.push_back(1);
    else
      sizes.push_back({value, next++});
  return reshape(value, sizes);
}

Value NodeBinder::squeeze(Value value, ArrayRef<int64_t> axes) {
  RankedTensorType type = rankedType(value);
  if (failed)
    return {};
  SmallVector<Size> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (!llvm::is_contained(axes, i))
      sizes.push_back({value, i});
    else if (type.getDimSize(i) != 1 && !type.isDynamicDim(i))
      invalid("dimension " + Twine(i) + " of size " +
              Twine(type.getDimSize(i)) + " cannot be squeezed");
  }
  return reshape(value, sizes);
}

Value NodeBinder::expandTo(Value value, Value shape) {
  RankedTensorType type = rankedType(value);
  RankedTensorType shapeType = rankedType(shape);
  if (failed)
    return {};
  if (shapeType.getRank() != 1 || shapeType.isDynamicDim(0)) {
    shapeType.getRank() != 1 ? invalid("the shape is not a 1-D tensor")
                             : unsupported("a result of unknown rank");
    return {};
  }
  int64_t given = shapeType.getDimSize(0);
  SmallVector<int64_t> known = graph::partialShapeValue(shape).value_or(
      SmallVector<int64_t>(given, kDynamic));
  int64_t rank = std::max(type.getRank(), given);
  SmallVector<int64_t> sizes;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t own = i < rank - type.getRank()
                      ? 1
                      : type.getDimSize(i - (rank - type.getRank()));
    int64_t asked = i < rank - given ? 1 : known[i - (rank - given)];
    if (asked < 0 && asked != kDynamic)
      invalid("the shape holds the size " + Twine(asked));
    // Broadcasting: 1 gives way; an open size gives way to a known one above 1.
    if (own == 1 || asked == 1)
      sizes.push_back(own == 1 ? asked : own);
    else
      sizes.push_back(own == kDynamic ? asked : own);
  }
  if (failed)
    return {};
  bool isStatic = !ShapedType::isDynamicShape(sizes);
  return createTyped<graph::ExpandOp>(
      RankedTensorType::get(sizes, type.getElementType()), value,
      isStatic ? Value() : shape);
}

} // namespace mlir::atc::onnx
