// What is known of small integer tensors that hold sizes.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Dialect/Graph/IR/Folding.h"
#include "atc/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

namespace {
using Elements = ShapeElements;

/// Elements that are not known.
constexpr std::nullopt_t unknown = std::nullopt;

/// Evaluates one op, given what is known of its operands.
class ShapeEvaluator {
public:
  ShapeEvaluator(ShapeOracle &oracle) : oracle(oracle) {}

  std::optional<Elements> evaluateOp(Operation *op);

private:
  std::optional<Elements> evaluate(Value value) {
    return oracle.getElements(value);
  }
  std::optional<Elements> evaluateShapeOf(ShapeOfOp op);
  std::optional<Elements> evaluateConcat(ConcatOp op);
  std::optional<Elements> evaluateSlice(SliceOp op);
  std::optional<Elements> evaluateGather(GatherOp op);
  std::optional<Elements> evaluateReduce(ReduceOp op);
  std::optional<Elements> evaluateExpand(ExpandOp op);
  std::optional<Elements> evaluateElementwise(Operation *op);

  ShapeOracle &oracle;
};

/// Knows constants and static sizes, looking at the ops behind a value. Bounded
/// in depth and in ops: what lies deeper is unknown, not wrong.
class ConstantOracle final : public ShapeOracle {
public:
  std::optional<Elements> getElements(Value value) override;
  std::optional<SizeExpr> getSize(Value tensor, unsigned dim) override {
    int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
    return ShapedType::isDynamic(size) ? std::nullopt
                                       : std::optional(SizeExpr(size));
  }

private:
  static constexpr unsigned depthLimit = 32;
  unsigned depth = 0;
  unsigned budget = 256;
};
} // namespace

ShapeOracle::~ShapeOracle() = default;

/// Number of elements of a tensor of rank 0 or 1, or nullopt.
static std::optional<int64_t> countElements(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || ranked.getRank() > 1 || !ranked.hasStaticShape() ||
      ranked.getNumElements() > foldLimit)
    return std::nullopt;
  return ranked.getNumElements();
}

bool graph::isShapeValue(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<TensorType>(type) && element.isSignlessInteger() &&
         element.getIntOrFloatBitWidth() <= 64;
}

std::optional<Elements> graph::unknownElements(Type type) {
  std::optional<int64_t> count =
      isShapeValue(type) ? countElements(type) : std::nullopt;
  return count ? std::optional(Elements(*count, unknown)) : std::nullopt;
}

/// `number` where it fits the signed element type of `type`, else unknown.
static std::optional<SizeExpr> fitted(int64_t number, Type type) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  bool fits = width == 1 ? number == 0 || number == 1
                         : width == 64 || llvm::isIntN(width, number);
  return fits ? std::optional(SizeExpr(number)) : unknown;
}

/// The same for an expression; one that is no number is taken to fit 32 bits,
/// which bound the dims of inputs.
static std::optional<SizeExpr> fitted(SizeExpr size, Type type) {
  if (std::optional<int64_t> number = size.getConstant())
    return fitted(*number, type);
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return width >= 32 ? std::optional(size) : unknown;
}

/// Arithmetic that tells an overflow of numbers.
static std::optional<SizeExpr> add(SizeExpr a, SizeExpr b) {
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  int64_t sum;
  if (left && right && llvm::AddOverflow(*left, *right, sum))
    return unknown;
  return a + b;
}

static std::optional<SizeExpr> subtract(SizeExpr a, SizeExpr b) {
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  int64_t difference;
  if (left && right && llvm::SubOverflow(*left, *right, difference))
    return unknown;
  return a - b;
}

static std::optional<SizeExpr> multiply(SizeExpr a, SizeExpr b) {
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  int64_t product;
  if (left && right && llvm::MulOverflow(*left, *right, product))
    return unknown;
  return a * b;
}

static std::optional<Elements> readConstant(ElementsAttr value) {
  auto elements = dyn_cast<DenseIntOrFPElementsAttr>(value);
  if (!elements || !countElements(elements.getType()))
    return std::nullopt;
  bool isBool = elements.getElementType().isInteger(1);
  Elements result;
  for (const APInt &element : elements.getValues<APInt>())
    result.push_back(SizeExpr(isBool ? int64_t(element.getZExtValue())
                                     : element.getSExtValue()));
  return result;
}

std::optional<Elements> ConstantOracle::getElements(Value value) {
  std::optional<Elements> elements;
  Operation *op = value.getDefiningOp();
  if (op && isShapeValue(value.getType()) && depth < depthLimit && budget > 0) {
    --budget;
    ++depth;
    elements = evaluateShapeElements(op, *this);
    --depth;
  }
  return elements ? elements : unknownElements(value.getType());
}

std::optional<Elements> ShapeEvaluator::evaluateOp(Operation *op) {
  auto ranked = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!ranked || ranked.getRank() > 1)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<Elements>>(op)
      .Case([&](ConstantOp constant) {
        return readConstant(constant.getValue());
      })
      .Case([&](ShapeOfOp shape) { return evaluateShapeOf(shape); })
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

std::optional<Elements> ShapeEvaluator::evaluateShapeOf(ShapeOfOp op) {
  auto x = dyn_cast<RankedTensorType>(op.getX().getType());
  if (!x)
    return std::nullopt;
  Elements result;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    result.push_back(oracle.getSize(op.getX(), dim));
  return result;
}

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
  for (std::optional<SizeExpr> known : *indices) {
    std::optional<int64_t> index = known ? known->getConstant() : std::nullopt;
    if (!index || *index < -size || *index >= size) {
      result.push_back(unknown);
      continue;
    }
    result.push_back((*x)[*index < 0 ? *index + size : *index]);
  }
  return result;
}

std::optional<Elements> ShapeEvaluator::evaluateReduce(ReduceOp op) {
  auto x = evaluate(op.getX());
  if (!x || op.getAxes() != ArrayRef<int64_t>(0) || x->empty())
    return std::nullopt;
  std::optional<SizeExpr> result = x->front();
  for (std::optional<SizeExpr> element :
       ArrayRef<std::optional<SizeExpr>>(*x).drop_front()) {
    if (!result || !element)
      return Elements{unknown};
    switch (op.getKind()) {
    case ReductionKind::sum:
      result = add(*result, *element);
      break;
    case ReductionKind::product:
      result = multiply(*result, *element);
      break;
    case ReductionKind::max:
      result = result->max(*element);
      break;
    case ReductionKind::min:
      result = result->min(*element);
      break;
    case ReductionKind::mean:
      return std::nullopt;
    }
  }
  return Elements{result ? fitted(*result, op.getType()) : unknown};
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
static std::optional<SizeExpr> divide(SizeExpr a, SizeExpr b) {
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  if (left && right) {
    if (*right == 0)
      return SizeExpr(0);
    int64_t quotient;
    if (*right == -1)
      return llvm::SubOverflow<int64_t>(0, *left, quotient)
                 ? unknown
                 : std::optional(SizeExpr(quotient));
    return SizeExpr(*left / *right);
  }
  // Rounding towards zero is rounding down where nothing is negative.
  if (!a.isNonNegative() || !b.isNonNegative() || b.isConstant(0))
    return unknown;
  return a.floorDiv(b);
}

/// 0 or 1, where the sign of the difference tells.
static std::optional<SizeExpr> compare(ComparePredicate predicate, SizeExpr a,
                                       SizeExpr b) {
  bool equal = a == b;
  bool less = (b - a - SizeExpr(1)).isNonNegative();
  bool greater = (a - b - SizeExpr(1)).isNonNegative();
  bool atMost = (b - a).isNonNegative(), atLeast = (a - b).isNonNegative();
  auto decide = [](bool yes, bool no) -> std::optional<SizeExpr> {
    return yes || no ? std::optional(SizeExpr(yes)) : unknown;
  };
  switch (predicate) {
  case ComparePredicate::eq:
    return decide(equal, less || greater);
  case ComparePredicate::ne:
    return decide(less || greater, equal);
  case ComparePredicate::lt:
    return decide(less, atLeast);
  case ComparePredicate::le:
    return decide(atMost, greater);
  case ComparePredicate::gt:
    return decide(greater, atMost);
  case ComparePredicate::ge:
    return decide(atLeast, less);
  }
  llvm_unreachable("all predicates are handled");
}

static std::optional<SizeExpr>
evaluateSelect(ArrayRef<std::optional<SizeExpr>> args) {
  std::optional<int64_t> condition =
      args[0] ? args[0]->getConstant() : std::nullopt;
  if (!condition)
    return args[1] && args[1] == args[2] ? args[1] : unknown;
  return *condition ? args[1] : args[2];
}

/// Logic on numbers that are known.
static std::optional<SizeExpr> evaluateLogic(Operation *op, SizeExpr a,
                                             SizeExpr b) {
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  if (!left || !right)
    return unknown;
  return TypeSwitch<Operation *, std::optional<SizeExpr>>(op)
      .Case([&](AndOp) { return SizeExpr(*left & *right); })
      .Case([&](OrOp) { return SizeExpr(*left | *right); })
      .Case([&](NotOp) { return SizeExpr(*left == 0); })
      .Default([](Operation *) { return unknown; });
}

static std::optional<SizeExpr> evaluateCast(CastOp op, SizeExpr a) {
  Type to = getElementTypeOrSelf(op.getType());
  if (to.isInteger(1)) {
    std::optional<SizeExpr> isZero = compare(ComparePredicate::eq, a, 0);
    return isZero ? std::optional(SizeExpr(isZero->isConstant(0))) : unknown;
  }
  return a;
}

/// The result for one element of each operand; unknown where one of those that
/// count is unknown, or the result does not fit.
static std::optional<SizeExpr>
evaluateElement(Operation *op, ArrayRef<std::optional<SizeExpr>> args) {
  if (isa<SelectOp>(op))
    return evaluateSelect(args);
  std::optional<SizeExpr> a = args.front(), b = args.back();
  if (isa<MulOp>(op) && ((a && a->isConstant(0)) || (b && b->isConstant(0))))
    return SizeExpr(0);
  if (!a || !b)
    return unknown;
  using Result = std::optional<SizeExpr>;
  Result result =
      TypeSwitch<Operation *, Result>(op)
          .Case([&](AddOp) { return add(*a, *b); })
          .Case([&](SubOp) { return subtract(*a, *b); })
          .Case([&](MulOp) { return multiply(*a, *b); })
          .Case([&](DivOp) { return divide(*a, *b); })
          .Case([&](MaxOp) { return a->max(*b); })
          .Case([&](MinOp) { return a->min(*b); })
          .Case(
              [&](CompareOp op) { return compare(op.getPredicate(), *a, *b); })
          .Case([&](CastOp op) { return evaluateCast(op, *a); })
          .Default([&](Operation *op) { return evaluateLogic(op, *a, *b); });
  return result ? fitted(*result, op->getResult(0).getType()) : unknown;
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
    SmallVector<std::optional<SizeExpr>> args;
    for (const Elements &operand : operands)
      args.push_back(operand.size() == 1 ? operand[0] : operand[i]);
    result.push_back(evaluateElement(op, args));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

std::optional<ShapeElements> graph::evaluateShapeElements(Operation *op,
                                                          ShapeOracle &oracle) {
  std::optional<Elements> elements = ShapeEvaluator(oracle).evaluateOp(op);
  bool isSmall = elements && elements->size() <= size_t(foldLimit);
  return isSmall ? elements : std::nullopt;
}

std::optional<SmallVector<int64_t>> graph::partialShapeValue(Value value) {
  std::optional<Elements> elements = ConstantOracle().getElements(value);
  if (!elements)
    return std::nullopt;
  return llvm::map_to_vector(*elements, [](std::optional<SizeExpr> element) {
    return element ? *element->getConstant() : ShapedType::kDynamic;
  });
}

std::optional<SmallVector<int64_t>> graph::constantShapeValue(Value value) {
  auto elements = partialShapeValue(value);
  if (!elements || llvm::is_contained(*elements, ShapedType::kDynamic))
    return std::nullopt;
  return elements;
}

Attribute graph::foldShapeValue(Value value) {
  auto ranked = dyn_cast<RankedTensorType>(value.getType());
  if (!ranked || !isShapeValue(ranked))
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
