// Folding of elementwise ops.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Elementwise.h"
#include "atc/Dialect/Graph/IR/Folding.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// The result of an integer op; nullopt where the op is not folded.
static std::optional<APInt> evaluateInteger(Operation *op, APInt a, APInt b,
                                            bool isSigned) {
  return TypeSwitch<Operation *, std::optional<APInt>>(op)
      .Case([&](AddOp) { return a + b; })
      .Case([&](SubOp) { return a - b; })
      .Case([&](MulOp) { return a * b; })
      .Case([&](DivOp) {
        if (b.isZero())
          return b;
        return isSigned ? a.sdiv(b) : a.udiv(b);
      })
      .Case([&](ModOp mod) {
        if (b.isZero())
          return b;
        if (!isSigned)
          return a.urem(b);
        APInt rest = a.srem(b);
        bool differ = rest.isNegative() != b.isNegative();
        return !mod.getFmod() && !rest.isZero() && differ ? rest + b : rest;
      })
      .Case([&](MaxOp) { return (isSigned ? a.sge(b) : a.uge(b)) ? a : b; })
      .Case([&](MinOp) { return (isSigned ? a.sle(b) : a.ule(b)) ? a : b; })
      .Case<AndOp, BitAndOp>([&](auto) { return a & b; })
      .Case<OrOp, BitOrOp>([&](auto) { return a | b; })
      .Case<XorOp, BitXorOp>([&](auto) { return a ^ b; })
      .Case([&](NegOp) { return -a; })
      .Case([&](AbsOp) { return isSigned ? a.abs() : a; })
      .Case<NotOp, BitNotOp>([&](auto) { return ~a; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The result of a float op; nullopt where the op is not folded.
static std::optional<APFloat> evaluateFloat(Operation *op, APFloat a,
                                            APFloat b) {
  auto round = [&](APFloat::roundingMode mode) {
    a.roundToIntegral(mode);
    return a;
  };
  return TypeSwitch<Operation *, std::optional<APFloat>>(op)
      .Case([&](AddOp) { return a + b; })
      .Case([&](SubOp) { return a - b; })
      .Case([&](MulOp) { return a * b; })
      .Case([&](DivOp) { return a / b; })
      .Case([&](MaxOp) { return llvm::maximum(a, b); })
      .Case([&](MinOp) { return llvm::minimum(a, b); })
      .Case([&](FloorOp) { return round(APFloat::rmTowardNegative); })
      .Case([&](CeilOp) { return round(APFloat::rmTowardPositive); })
      .Case([&](RoundOp) { return round(APFloat::rmNearestTiesToEven); })
      .Case([&](NegOp) { return llvm::neg(a); })
      .Case([&](AbsOp) { return llvm::abs(a); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether `predicate` holds for an order; `isUnordered` with NaN.
static bool holds(ComparePredicate predicate, bool less, bool equal,
                  bool isUnordered) {
  switch (predicate) {
  case ComparePredicate::eq:
    return equal;
  case ComparePredicate::ne:
    return !equal;
  case ComparePredicate::lt:
    return less;
  case ComparePredicate::le:
    return less || equal;
  case ComparePredicate::gt:
    return !less && !equal && !isUnordered;
  case ComparePredicate::ge:
    return !less && !isUnordered;
  }
  llvm_unreachable("all predicates are handled");
}

static bool evaluateCompare(ComparePredicate predicate, Attribute lhs,
                            Attribute rhs, bool isSigned) {
  if (auto left = dyn_cast<FloatAttr>(lhs)) {
    APFloat::cmpResult order =
        left.getValue().compare(cast<FloatAttr>(rhs).getValue());
    return holds(predicate, order == APFloat::cmpLessThan,
                 order == APFloat::cmpEqual, order == APFloat::cmpUnordered);
  }
  APInt left = cast<IntegerAttr>(lhs).getValue();
  APInt right = cast<IntegerAttr>(rhs).getValue();
  return holds(predicate, isSigned ? left.slt(right) : left.ult(right),
               left == right, /*isUnordered=*/false);
}

/// A float as an integer: toward zero, out of range the nearest bound, NaN 0;
/// of less than 8 bits, the low bits of its 32 unless it is to saturate.
static APInt convertToInteger(const APFloat &value, unsigned width,
                              bool isUnsigned, bool saturate) {
  if (width < 8 && !saturate)
    return convertToInteger(value, 32, /*isUnsigned=*/false, saturate)
        .trunc(width);
  APSInt result(width, isUnsigned);
  if (value.isNaN())
    return APInt(width, 0);
  bool isExact;
  // Saturates by itself where the value does not fit.
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result;
}

static Attribute evaluateCast(CastOp op, Attribute value) {
  Type from = getElementTypeOrSelf(op.getX()), to = op.getTo();
  NumberKind source = getNumberKind(from), target = getNumberKind(to);
  if (target == NumberKind::None || source == NumberKind::None)
    return {};
  if (target == NumberKind::Bool) {
    bool isTrue = source == NumberKind::Float
                      ? !cast<FloatAttr>(value).getValue().isZero()
                      : !cast<IntegerAttr>(value).getValue().isZero();
    return BoolAttr::get(op.getContext(), isTrue);
  }
  if (target == NumberKind::Float) {
    auto type = cast<FloatType>(to);
    if (type.getWidth() < 16)
      return {}; // Saturation of small floats is left to compiled code.
    APFloat result(type.getFloatSemantics());
    if (source == NumberKind::Float) {
      result = cast<FloatAttr>(value).getValue();
      bool losesInfo;
      result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
    } else {
      result.convertFromAPInt(cast<IntegerAttr>(value).getValue(),
                              source == NumberKind::Signed,
                              APFloat::rmNearestTiesToEven);
    }
    return FloatAttr::get(to, result);
  }
  unsigned width = cast<IntegerType>(to).getWidth();
  if (source == NumberKind::Float)
    return IntegerAttr::get(
        to, convertToInteger(cast<FloatAttr>(value).getValue(), width,
                             target == NumberKind::Unsigned, op.getSaturate()));
  APInt integer = cast<IntegerAttr>(value).getValue();
  return IntegerAttr::get(to, source == NumberKind::Signed
                                  ? integer.sextOrTrunc(width)
                                  : integer.zextOrTrunc(width));
}

/// The value of one element, or null where the op is not folded.
static Attribute evaluate(Operation *op, ArrayRef<Attribute> args) {
  if (auto select = dyn_cast<SelectOp>(op))
    return cast<IntegerAttr>(args[0]).getValue().isZero() ? args[2] : args[1];
  if (auto cast = dyn_cast<CastOp>(op))
    return evaluateCast(cast, args[0]);
  Type element = getElementTypeOrSelf(op->getOperand(0));
  bool isSigned = getNumberKind(element) == NumberKind::Signed;
  if (auto compare = dyn_cast<CompareOp>(op))
    return BoolAttr::get(
        op->getContext(),
        evaluateCompare(compare.getPredicate(), args[0], args[1], isSigned));
  if (args.size() > 2)
    return {};
  if (auto first = dyn_cast<FloatAttr>(args[0])) {
    std::optional<APFloat> value = evaluateFloat(
        op, first.getValue(), cast<FloatAttr>(args.back()).getValue());
    return value ? Attribute(FloatAttr::get(element, *value)) : Attribute();
  }
  std::optional<APInt> value =
      evaluateInteger(op, cast<IntegerAttr>(args[0]).getValue(),
                      cast<IntegerAttr>(args.back()).getValue(), isSigned);
  return value ? Attribute(IntegerAttr::get(element, *value)) : Attribute();
}

//===----------------------------------------------------------------------===//
// All elements
//===----------------------------------------------------------------------===//

static Attribute foldConstants(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<DenseElementsAttr> sources;
  SmallVector<int64_t> shape;
  bool areSplats = true;
  for (Attribute operand : operands) {
    DenseElementsAttr source = getFoldable(operand);
    if (!source)
      return {};
    auto merged = broadcastShapes(shape, source.getType().getShape());
    if (!merged)
      return {};
    shape = *merged;
    areSplats &= source.isSplat();
    sources.push_back(source);
  }
  auto type = RankedTensorType::get(
      shape, getElementTypeOrSelf(op->getResult(0).getType()));
  if (areSplats) {
    SmallVector<Attribute> args;
    for (DenseElementsAttr source : sources)
      args.push_back(source.getSplatValue<Attribute>());
    Attribute value = evaluate(op, args);
    return value ? Attribute(DenseElementsAttr::get(type, value)) : Attribute();
  }
  if (type.getNumElements() > foldLimit)
    return {};
  SmallVector<Attribute> values;
  bool failed = false;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    SmallVector<Attribute> args;
    for (DenseElementsAttr source : sources) {
      ArrayRef<int64_t> dims = source.getType().getShape();
      int64_t position = 0;
      for (auto [dim, i] : llvm::zip_equal(dims, index.take_back(dims.size())))
        position = position * dim + (dim == 1 ? 0 : i);
      args.push_back(source.value_begin<Attribute>()[position]);
    }
    values.push_back(evaluate(op, args));
    failed |= !values.back();
  });
  return failed ? Attribute() : Attribute(DenseElementsAttr::get(type, values));
}

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

/// Whether every element is the number `value`; a zero has the sign asked for.
static bool isNumber(Attribute attribute, int value,
                     bool isNegativeZero = false) {
  auto elements = dyn_cast_or_null<DenseIntOrFPElementsAttr>(attribute);
  if (!elements || !elements.isSplat())
    return false;
  Attribute splat = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(splat)) {
    if (value == 0)
      return number.getValue().isZero() &&
             number.getValue().isNegative() == isNegativeZero;
    return number.getValue().isExactlyValue(value);
  }
  if (auto number = dyn_cast<IntegerAttr>(splat))
    return number.getValue() == APInt(number.getValue().getBitWidth(), value);
  return false;
}

/// An operand that the result equals, were it not for its type. Only what holds
/// for every value, NaN and -0 included: x + 0 is not x for x = -0, but x + -0
/// is.
static Value findIdentity(Operation *op, ArrayRef<Attribute> operands) {
  auto lhs = [&] { return op->getOperand(0); };
  auto rhs = [&] { return op->getOperand(1); };
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) {
        if (isNumber(operands[1], 0, /*isNegativeZero=*/true))
          return lhs();
        return isNumber(operands[0], 0, /*isNegativeZero=*/true) ? rhs()
                                                                 : Value();
      })
      .Case([&](SubOp) { return isNumber(operands[1], 0) ? lhs() : Value(); })
      .Case([&](MulOp) {
        if (isNumber(operands[1], 1))
          return lhs();
        return isNumber(operands[0], 1) ? rhs() : Value();
      })
      .Case<DivOp, PowOp>(
          [&](auto) { return isNumber(operands[1], 1) ? lhs() : Value(); })
      .Case<MaxOp, MinOp, AndOp, OrOp, BitAndOp, BitOrOp>(
          [&](auto) { return lhs() == rhs() ? lhs() : Value(); })
      .Case([&](SelectOp select) -> Value {
        if (select.getOnTrue() == select.getOnFalse() ||
            isNumber(operands[0], 1))
          return select.getOnTrue();
        return isNumber(operands[0], 0) ? select.getOnFalse() : Value();
      })
      .Case<NotOp, BitNotOp, NegOp>([&](auto same) -> Value {
        auto inner = lhs().getDefiningOp();
        return isa_and_nonnull<decltype(same)>(inner) ? inner->getOperand(0)
                                                      : Value();
      })
      .Case<ReluOp, AbsOp, FloorOp, CeilOp, RoundOp, SignOp>(
          [&](auto same) -> Value {
            return isa_and_nonnull<decltype(same)>(lhs().getDefiningOp())
                       ? lhs()
                       : Value();
          })
      .Case([&](CastOp cast) {
        return getElementTypeOrSelf(cast.getX()) == cast.getTo() ? lhs()
                                                                 : Value();
      })
      .Default([](Operation *) { return Value(); });
}

OpFoldResult graph::foldElementwise(Operation *op,
                                    ArrayRef<Attribute> operands) {
  if (Value identity = findIdentity(op, operands);
      identity && identity.getType() == op->getResult(0).getType())
    return identity;
  return foldConstants(op, operands);
}
