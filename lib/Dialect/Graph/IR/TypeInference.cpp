// Rules by which result types follow from operands.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/TypeInference.h"
#include "atc/Dialect/Graph/IR/GraphDialect.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

bool graph::areCompatibleTypes(TypeRange lhs, TypeRange rhs) {
  if (lhs.size() != rhs.size())
    return false;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    if (left == right)
      continue;
    auto leftTensor = dyn_cast<TensorType>(left);
    auto rightTensor = dyn_cast<TensorType>(right);
    if (!leftTensor || !rightTensor ||
        leftTensor.getElementType() != rightTensor.getElementType() ||
        failed(verifyCompatibleShape(leftTensor, rightTensor)))
      return false;
  }
  return true;
}

std::optional<int64_t> graph::mergeDims(int64_t lhs, int64_t rhs) {
  if (ShapedType::isDynamic(lhs))
    return rhs;
  if (ShapedType::isDynamic(rhs) || lhs == rhs)
    return lhs;
  return std::nullopt;
}

Type graph::mergeTypes(Type type, Type other) {
  if (!areCompatibleTypes(type, other))
    return {};
  auto ranked = dyn_cast<RankedTensorType>(type);
  auto otherRanked = dyn_cast<RankedTensorType>(other);
  if (!ranked)
    return otherRanked ? other : type;
  if (!otherRanked)
    return type;
  SmallVector<int64_t> shape;
  for (auto [left, right] :
       llvm::zip_equal(ranked.getShape(), otherRanked.getShape()))
    shape.push_back(*mergeDims(left, right));
  return RankedTensorType::get(shape, ranked.getElementType(),
                               ranked.getEncoding());
}

std::optional<int64_t> graph::broadcastDims(int64_t lhs, int64_t rhs) {
  if (lhs == 1)
    return rhs;
  if (rhs == 1 || lhs == rhs)
    return lhs;
  // A dynamic dim beside a static one that is not 1 must be 1 or the same.
  if (ShapedType::isDynamic(lhs))
    return rhs;
  if (ShapedType::isDynamic(rhs))
    return lhs;
  return std::nullopt;
}

std::optional<SmallVector<int64_t>>
graph::broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  SmallVector<int64_t> shape(lhs);
  size_t offset = lhs.size() - rhs.size();
  for (auto [index, dim] : llvm::enumerate(rhs)) {
    std::optional<int64_t> merged = broadcastDims(shape[offset + index], dim);
    if (!merged)
      return std::nullopt;
    shape[offset + index] = *merged;
  }
  return shape;
}

bool graph::broadcastsTo(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from.size() > to.size())
    return false;
  for (auto [dim, target] : llvm::zip_equal(from, to.take_back(from.size())))
    if (dim != 1 && !mergeDims(dim, target))
      return false;
  return true;
}

std::string graph::shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      os << "?";
    else
      os << dim;
  });
  os << "]";
  return text;
}

LogicalResult graph::inferSameType(StringRef op,
                                   std::optional<Location> location, Value x,
                                   int64_t axis, SmallVectorImpl<Type> &types) {
  auto ranked = dyn_cast<RankedTensorType>(x.getType());
  if (!ranked) {
    types.push_back(x.getType());
    return success();
  }
  if (axis >= ranked.getRank())
    return InferenceError(op, location)("expects 'x' of a rank above axis ",
                                        axis, ", got rank ", ranked.getRank());
  types.push_back(
      RankedTensorType::get(ranked.getShape(), ranked.getElementType()));
  return success();
}

Type graph::inferProductType(Type lhs, Type rhs) {
  auto isByte = [](Type type) {
    return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 8;
  };
  if (isByte(lhs) && isByte(rhs))
    return IntegerType::get(lhs.getContext(), 32);
  return lhs == rhs ? lhs : Type();
}

bool graph::areBounded(ArrayRef<int64_t> numbers) {
  constexpr int64_t bound = int64_t(1) << 31;
  return llvm::all_of(numbers, [](int64_t number) {
    return number > -bound && number < bound;
  });
}

LogicalResult graph::verifyWindow(const InferenceError &error, size_t spatial,
                                  StringRef firstName, ArrayRef<int64_t> first,
                                  StringRef secondName,
                                  ArrayRef<int64_t> second) {
  auto check = [&](StringRef name, ArrayRef<int64_t> values) -> LogicalResult {
    if (values.size() != spatial)
      return error("expects ", spatial, " entries in '", name, "', got ",
                   values.size());
    if (!areBounded(values) ||
        llvm::any_of(values, [](int64_t value) { return value < 1; }))
      return error("expects positive '", name, "', got ", shapeText(values));
    return success();
  };
  return success(succeeded(check(firstName, first)) &&
                 succeeded(check(secondName, second)));
}

LogicalResult graph::verifyPads(const InferenceError &error, size_t spatial,
                                ArrayRef<int64_t> pads) {
  if (pads.size() != 2 * spatial)
    return error("expects ", 2 * spatial, " entries in 'pads', got ",
                 pads.size());
  if (!areBounded(pads) ||
      llvm::any_of(pads, [](int64_t pad) { return pad < 0; }))
    return error("expects 'pads' that are not negative, got ", shapeText(pads));
  return success();
}

LogicalResult
graph::inferElementwiseTypes(StringRef op, std::optional<Location> location,
                             ValueRange operands, unsigned firstTyped,
                             Type resultElement, SmallVectorImpl<Type> &types) {
  InferenceError error(op, location);
  auto first = cast<TensorType>(operands[firstTyped].getType());
  // elementwise-C2
  for (unsigned i = firstTyped + 1; i < operands.size(); ++i) {
    Type element = getElementTypeOrSelf(operands[i].getType());
    if (element != first.getElementType())
      return error("expects operands of one element type, got ", element,
                   " in operand ", i, " and ", first.getElementType(),
                   " in operand ", firstTyped);
  }
  if (!resultElement)
    resultElement = first.getElementType();

  SmallVector<int64_t> shape;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    auto ranked = dyn_cast<RankedTensorType>(operand.getType());
    if (!ranked) {
      types.push_back(UnrankedTensorType::get(resultElement));
      return success();
    }
    // elementwise-C1
    auto merged = broadcastShapes(shape, ranked.getShape());
    if (!merged)
      return error("expects shapes that broadcast, got ",
                   shapeText(ranked.getShape()), " in operand ", index, " and ",
                   shapeText(shape), " before it");
    shape = *merged;
  }
  types.push_back(RankedTensorType::get(shape, resultElement));
  return success();
}

LogicalResult graph::refineResultTypes(Operation *op,
                                       SmallVectorImpl<Type> &types) {
  SmallVector<Type> inferred;
  if (auto refinement = dyn_cast<TypeRefinementInterface>(op)) {
    refinement.refineResultTypes(inferred);
  } else if (auto inference = dyn_cast<InferTypeOpInterface>(op)) {
    if (failed(inference.inferReturnTypes(
            op->getContext(), std::nullopt, op->getOperands(),
            op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
            op->getRegions(), inferred)))
      return failure();
  } else {
    return failure();
  }
  for (auto [present, better] :
       llvm::zip_equal(op->getResultTypes(), inferred)) {
    Type merged = mergeTypes(present, better);
    if (!merged)
      return failure();
    types.push_back(merged);
  }
  return success();
}
