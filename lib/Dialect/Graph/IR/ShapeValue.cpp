// What is known of small integer tensors that hold sizes.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Dialect/Graph/IR/Folding.h"
#include "atc/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

namespace {
using Elements = SmallVector<int64_t>;

/// The marker of an element that is not known. A constant of this very value is
/// unknown, too.
constexpr int64_t unknown = ShapedType::kDynamic;

/// Evaluates the ops behind a value. Bounded in depth and in ops: what lies
/// deeper is unknown, not wrong.
class ShapeEvaluator {
public:
  std::optional<Elements> evaluate(Value value);

private:
  std::optional<Elements> evaluateOp(Operation *op);
  std::optional<Elements> evaluateConcat(ConcatOp op);
  std::optional<Elements> evaluateSlice(SliceOp op);
  std::optional<Elements> evaluateGather(GatherOp op);
  std::optional<Elements> evaluateReduce(ReduceOp op);
  std::optional<Elements> evaluateExpand(ExpandOp op);
  std::optional<Elements> evaluateElementwise(Operation *op);

  static constexpr unsigned depthLimit = 32;
  unsigned depth = 0;
  unsigned budget = 256;
};
} // namespace

/// Number of elements of a tensor of rank 0 or 1, or nullopt.
static std::optional<int64_t> countElements(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || ranked.getRank() > 1 || !ranked.hasStaticShape() ||
      ranked.getNumElements() > foldLimit)
    return std::nullopt;
  return ranked.getNumElements();
}

/// Signed integers and booleans: what sizes are computed with.
static bool isEvaluated(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<TensorType>(type) && element.isSignlessInteger() &&
         element.getIntOrFloatBitWidth() <= 64;
}

/// `number` where it fits the signed element type of `type`, else unknown.
static int64_t fitted(int64_t number, Type type) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  bool fits = width == 1 ? number == 0 || number == 1
                         : width == 64 || llvm::isIntN(width, number);
  return fits ? number : unknown;
}

static std::optional<Elements> readConstant(ElementsAttr value) {
  auto elements = dyn_cast<DenseIntOrFPElementsAttr>(value);
  if (!elements || !countElements(elements.getType()))
    return std::nullopt;
  bool isBool = elements.getElementType().isInteger(1);
  Elements result;
  for (const APInt &element : elements.getValues<APInt>())
    result.push_back(isBool ? int64_t(element.getZExtValue())
                            : element.getSExtValue());
  return result;
}

std::optional<Elements> ShapeEvaluator::evaluate(Value value) {
  if (!isEvaluated(value.getType()))
    return std::nullopt;
  std::optional<Elements> elements;
  Operation *op = value.getDefiningOp();
  if (op && depth < depthLimit && budget > 0) {
    --budget;
    ++depth;
    elements = evaluateOp(op);
    --depth;
  }
  if (elements && elements->size() <= size_t(foldLimit))
    return elements;
  std::optional<int64_t> count = countElements(value.getType());
  return count ? std::optional(Elements(*count, unknown)) : std::nullopt;
}

std::optional<Elements> ShapeEvaluator::evaluateOp(Operation *op) {
  auto ranked = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!ranked || ranked.getRank() > 1)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<Elements>>(op)
      .Case([&](ConstantOp constant) {
        return readConstant(constant.getValue());
      })
      .Case([&](ShapeOfOp shape) -> std::optional<Elements> {
        auto x = dyn_cast<RankedTensorType>(shape.getX().getType());
        return x ? std::optional(Elements(x.getShape())) : std::nullopt;
      })
      .Case([&](ReshapeOp reshape) { return evaluate(reshape.getX()); })
      .Case([&](ConcatOp concat) { return evaluateConcat(concat); })
      .Case([&](SliceOp slice) { return evaluateSlice(slice); })
      .Case([&](GatherOp gather) { return evaluateGather(gather); })
      .Case([&](ReduceOp reduce) { return evaluateReduce(reduce); })
      .Case([&](ExpandOp expand) { return evaluateExpand(expand); })
      .Case<AddOp, SubOp, MulOp, DivOp, MaxOp, MinOp, CompareOp, SelectOp,
            CastOp, NotOp, AndOp, OrOp>([&](Operation *elementwise) {
        return evaluateElementwise(elementwise);
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Movement and reduction
//===----------------------------------------------------------------------===//

std::optional<Elements> ShapeEvaluator::evaluateConcat(ConcatOp op) {
  Elements result;
  for (Value x : op.getXs()) {
    auto part = evaluate(x);
    if (!part)
      return std::nullopt;
    result.append(*part);
    if (result.size() > size_t(foldLimit))
      return std::nullopt;
  }
  return result;
}

std::optional<Elements> ShapeEvaluator::evaluateSlice(SliceOp op) {
  auto x = evaluate(op.getX());
  if (!x || op.getStarts().size() != 1)
    return std::nullopt;
  Elements result;
  int64_t limit = std::min<int64_t>(op.getLimits()[0], x->size());
  int64_t step = std::min<int64_t>(op.getSteps()[0], foldLimit);
  for (int64_t i = op.getStarts()[0]; i < limit; i += step)
    result.push_back((*x)[i]);
  return result;
}

std::optional<Elements> ShapeEvaluator::evaluateGather(GatherOp op) {
  auto x = evaluate(op.getX());
  auto indices = evaluate(op.getIndices());
  auto type = dyn_cast<RankedTensorType>(op.getX().getType());
  if (!x || !indices || !type || type.getRank() != 1)
    return std::nullopt;
  int64_t size = x->size();
  Elements result;
  for (int64_t index : *indices) {
    if (index == unknown || index < -size || index >= size) {
      result.push_back(unknown);
      continue;
    }
    result.push_back((*x)[index < 0 ? index + size : index]);
  }
  return result;
}

std::optional<Elements> ShapeEvaluator::evaluateReduce(ReduceOp op) {
  auto x = evaluate(op.getX());
  if (!x || op.getAxes() != ArrayRef<int64_t>(0) || x->empty())
    return std::nullopt;
  int64_t result = x->front();
  for (int64_t element : ArrayRef<int64_t>(*x).drop_front()) {
    if (result == unknown || element == unknown)
      return Elements{unknown};
    bool overflows = false;
    switch (op.getKind()) {
    case ReductionKind::sum:
      overflows = llvm::AddOverflow(result, element, result);
      break;
    case ReductionKind::product:
      overflows = llvm::MulOverflow(result, element, result);
      break;
    case ReductionKind::max:
      result = std::max(result, element);
      break;
    case ReductionKind::min:
      result = std::min(result, element);
      break;
    case ReductionKind::mean:
      return std::nullopt;
    }
    if (overflows)
      return Elements{unknown};
  }
  return Elements{fitted(result, op.getType())};
}

std::optional<Elements> ShapeEvaluator::evaluateExpand(ExpandOp op) {
  std::optional<int64_t> count = countElements(op.getType());
  auto x = evaluate(op.getX());
  if (!count || !x)
    return std::nullopt;
  if (x->size() == 1)
    return Elements(*count, x->front());
  return int64_t(x->size()) == *count ? x : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Truncating division as graph.div has it.
static int64_t divide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? (a == unknown ? unknown : -a) : a / b;
}

static int64_t compare(ComparePredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case ComparePredicate::eq:
    return a == b;
  case ComparePredicate::ne:
    return a != b;
  case ComparePredicate::lt:
    return a < b;
  case ComparePredicate::le:
    return a <= b;
  case ComparePredicate::gt:
    return a > b;
  case ComparePredicate::ge:
    return a >= b;
  }
  llvm_unreachable("all predicates are handled");
}

/// The result for one element of each operand; unknown where one of those that
/// count is unknown, or the result does not fit.
static int64_t evaluateElement(Operation *op, ArrayRef<int64_t> args) {
  if (isa<SelectOp>(op)) {
    if (args[0] == unknown)
      return args[1] == args[2] ? args[1] : unknown;
    return args[0] ? args[1] : args[2];
  }
  int64_t a = args.front(), b = args.back(), result = unknown;
  if (isa<MulOp>(op) && (a == 0 || b == 0))
    return 0;
  if (a == unknown || b == unknown)
    return unknown;
  bool overflows =
      TypeSwitch<Operation *, bool>(op)
          .Case([&](AddOp) { return llvm::AddOverflow(a, b, result); })
          .Case([&](SubOp) { return llvm::SubOverflow(a, b, result); })
          .Case([&](MulOp) { return llvm::MulOverflow(a, b, result); })
          .Default([&](Operation *) {
            result = TypeSwitch<Operation *, int64_t>(op)
                         .Case([&](DivOp) { return divide(a, b); })
                         .Case([&](MaxOp) { return std::max(a, b); })
                         .Case([&](MinOp) { return std::min(a, b); })
                         .Case([&](AndOp) { return a & b; })
                         .Case([&](OrOp) { return a | b; })
                         .Case([&](NotOp) { return int64_t(a == 0); })
                         .Case([&](CompareOp op) {
                           return compare(op.getPredicate(), a, b);
                         })
                         .Case([&](CastOp) { return a; });
            return false;
          });
  if (overflows || result == unknown)
    return unknown;
  Type type = op->getResult(0).getType();
  if (isa<CastOp>(op) && getElementTypeOrSelf(type).isInteger(1))
    return result != 0;
  return fitted(result, type);
}

std::optional<Elements> ShapeEvaluator::evaluateElementwise(Operation *op) {
  SmallVector<Elements> operands;
  size_t count = 1;
  for (Value operand : op->getOperands()) {
    auto elements = evaluate(operand);
    if (!elements)
      return std::nullopt;
    if (elements->size() != 1) {
      if (count != 1 && count != elements->size())
        return std::nullopt;
      count = elements->size();
    }
    operands.push_back(std::move(*elements));
  }
  Elements result;
  for (size_t i = 0; i < count; ++i) {
    SmallVector<int64_t> args;
    for (const Elements &operand : operands)
      args.push_back(operand.size() == 1 ? operand[0] : operand[i]);
    result.push_back(evaluateElement(op, args));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> graph::partialShapeValue(Value value) {
  return ShapeEvaluator().evaluate(value);
}

std::optional<SmallVector<int64_t>> graph::constantShapeValue(Value value) {
  auto elements = partialShapeValue(value);
  if (!elements || llvm::is_contained(*elements, unknown))
    return std::nullopt;
  return elements;
}

Attribute graph::foldShapeValue(Value value) {
  auto ranked = dyn_cast<RankedTensorType>(value.getType());
  if (!ranked || !isEvaluated(ranked))
    return {};
  auto elements = constantShapeValue(value);
  if (!elements || (ranked.getRank() == 0 && elements->size() != 1))
    return {};
  SmallVector<int64_t> shape;
  if (ranked.getRank() == 1)
    shape.push_back(elements->size());
  Type element = ranked.getElementType();
  SmallVector<Attribute> values;
  for (int64_t number : *elements)
    values.push_back(IntegerAttr::get(element, number));
  return DenseElementsAttr::get(RankedTensorType::get(shape, element), values);
}
