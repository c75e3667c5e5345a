// Building blocks of the scalar computations behind ops.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/ScalarBody.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

NumberKind graph::getNumberKind(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element))
    return NumberKind::Float;
  if (element.isSignlessInteger(1))
    return NumberKind::Bool;
  if (element.isUnsignedInteger())
    return NumberKind::Unsigned;
  if (isa<IntegerType>(element))
    return NumberKind::Signed;
  return NumberKind::None;
}

static Value buildConstant(OpBuilder &builder, Location loc, Type type,
                           TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(builder, loc, scalar);
}

Value graph::buildFloat(OpBuilder &builder, Location loc, Type type,
                        double value) {
  return buildConstant(builder, loc, type,
                       builder.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value graph::buildInteger(OpBuilder &builder, Location loc, Type type,
                          int64_t value) {
  return buildConstant(
      builder, loc, type,
      builder.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Type graph::withElementType(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Type graph::getSignlessType(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element);
      integer && !integer.isSignless())
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

namespace {
/// Builds one conversion; keeps what all cases need.
struct CastBuilder {
  OpBuilder &builder;
  Location loc;
  /// As tensors hold them: signedness counts.
  Type from, to;
  bool saturate;

  Type resultType(Value value) {
    return withElementType(value.getType(), getSignlessType(to));
  }
  Value build(Value value);
  Value toBool(Value value);
  Value floatToFloat(Value value);
  Value floatToInteger(Value value);
  Value floatToNibble(Value value);
  Value integerToFloat(Value value);
  Value integerToInteger(Value value);
};
} // namespace

Value CastBuilder::toBool(Value value) {
  if (isa<FloatType>(getElementTypeOrSelf(value)))
    return arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UNE, value,
        buildFloat(builder, loc, value.getType(), 0.0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                               buildInteger(builder, loc, value.getType(), 0));
}

Value CastBuilder::floatToFloat(Value value) {
  auto target = cast<FloatType>(to);
  auto source = cast<FloatType>(getElementTypeOrSelf(value));
  if (source == target)
    return value;
  // Types saturate at their largest finite value on request, and always where
  // they have neither infinity nor NaN.
  const llvm::fltSemantics &semantics = target.getFloatSemantics();
  bool finiteOnly = !APFloat::semanticsHasInf(semantics) &&
                    !APFloat::semanticsHasNaN(semantics);
  if (saturate || finiteOnly) {
    double bound = APFloat::getLargest(semantics).convertToDouble();
    Value high = buildFloat(builder, loc, value.getType(), bound);
    Value low = buildFloat(builder, loc, value.getType(), -bound);
    value = arith::MaximumFOp::create(builder, loc, value, low);
    value = arith::MinimumFOp::create(builder, loc, value, high);
  }
  Type type = resultType(value);
  if (target.getWidth() > source.getWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  if (target.getWidth() < source.getWidth())
    return arith::TruncFOp::create(builder, loc, type, value);
  // f16 and bf16, or two forms of eight bits: through f32.
  Value wide = arith::ExtFOp::create(
      builder, loc, withElementType(value.getType(), builder.getF32Type()),
      value);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

Value CastBuilder::floatToInteger(Value value) {
  // A conversion of a value that does not fit is undefined, so values are
  // clamped first. The upper bound is the largest float that fits; above it
  // stands the integer's own maximum.
  auto integer = cast<IntegerType>(to);
  bool isUnsigned = integer.isUnsigned();
  unsigned width = integer.getWidth();
  Type narrow = getElementTypeOrSelf(value);
  if (cast<FloatType>(narrow).getWidth() < 32) {
    value = arith::ExtFOp::create(
        builder, loc, withElementType(value.getType(), builder.getF32Type()),
        value);
  }
  auto source = cast<FloatType>(getElementTypeOrSelf(value));
  APInt maximum =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt minimum =
      isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  APFloat high(source.getFloatSemantics()), low(source.getFloatSemantics());
  high.convertFromAPInt(maximum, !isUnsigned, APFloat::rmTowardZero);
  low.convertFromAPInt(minimum, !isUnsigned, APFloat::rmTowardZero);

  Value highFloat =
      buildFloat(builder, loc, value.getType(), high.convertToDouble());
  Value lowFloat =
      buildFloat(builder, loc, value.getType(), low.convertToDouble());
  Value above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                      value, highFloat);
  // maxnum and minnum turn NaN into a bound; it is replaced below.
  Value clamped = arith::MaxNumFOp::create(builder, loc, value, lowFloat);
  clamped = arith::MinNumFOp::create(builder, loc, clamped, highFloat);
  Type type = resultType(value);
  Value converted =
      isUnsigned ? Value(arith::FPToUIOp::create(builder, loc, type, clamped))
                 : Value(arith::FPToSIOp::create(builder, loc, type, clamped));
  Value limit = buildConstant(
      builder, loc, type, builder.getIntegerAttr(getSignlessType(to), maximum));
  converted = arith::SelectOp::create(builder, loc, above, limit, converted);
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  return arith::SelectOp::create(
      builder, loc, isNan, buildInteger(builder, loc, type, 0), converted);
}

Value CastBuilder::floatToNibble(Value value) {
  // The low bits of the whole number, as the standard's tests have it.
  Type wide = IntegerType::get(builder.getContext(), 32, IntegerType::Signed);
  value = CastBuilder{builder, loc, from, wide, saturate}.floatToInteger(value);
  return arith::TruncIOp::create(builder, loc, resultType(value), value);
}

Value CastBuilder::integerToFloat(Value value) {
  // Through f32 for narrow floats: one rounding for every integer below 2^24,
  // and larger ones are beyond what f16 holds.
  auto target = cast<FloatType>(to);
  Type wide = target.getWidth() < 32 ? Type(builder.getF32Type()) : to;
  Type type = withElementType(value.getType(), wide);
  bool isUnsigned = getNumberKind(from) != NumberKind::Signed;
  Value converted =
      isUnsigned ? Value(arith::UIToFPOp::create(builder, loc, type, value))
                 : Value(arith::SIToFPOp::create(builder, loc, type, value));
  return floatToFloat(converted);
}

Value CastBuilder::integerToInteger(Value value) {
  unsigned width = cast<IntegerType>(to).getWidth();
  unsigned present = cast<IntegerType>(getElementTypeOrSelf(value)).getWidth();
  if (width == present)
    return value;
  Type type = resultType(value);
  if (width < present)
    return arith::TruncIOp::create(builder, loc, type, value);
  if (getNumberKind(from) == NumberKind::Signed)
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::ExtUIOp::create(builder, loc, type, value);
}

Value CastBuilder::build(Value value) {
  NumberKind source = getNumberKind(from), target = getNumberKind(to);
  if (source == NumberKind::None || target == NumberKind::None)
    return {};
  // Below 16 bits there is no arithmetic, not even a comparison.
  if (auto narrow = dyn_cast<FloatType>(getElementTypeOrSelf(value));
      narrow && narrow.getWidth() < 16)
    value = arith::ExtFOp::create(
        builder, loc, withElementType(value.getType(), builder.getF32Type()),
        value);
  if (target == NumberKind::Bool)
    return source == NumberKind::Bool ? value : toBool(value);
  if (source == NumberKind::Float && target != NumberKind::Float)
    return to.getIntOrFloatBitWidth() < 8 && !saturate ? floatToNibble(value)
                                                       : floatToInteger(value);
  if (source == NumberKind::Float)
    return floatToFloat(value);
  return target == NumberKind::Float ? integerToFloat(value)
                                     : integerToInteger(value);
}

Value graph::buildCast(OpBuilder &builder, Location loc, Value value, Type from,
                       Type to, bool saturate) {
  return CastBuilder{builder, loc, from, to, saturate}.build(value);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value graph::buildReduction(OpBuilder &builder, Location loc,
                            ReductionKind reduction, NumberKind kind,
                            Value accumulator, Value value) {
  bool isFloat = kind == NumberKind::Float;
  bool isSigned = kind == NumberKind::Signed;
  switch (reduction) {
  case ReductionKind::sum:
  case ReductionKind::mean:
    return isFloat
               ? Value(arith::AddFOp::create(builder, loc, accumulator, value))
               : Value(arith::AddIOp::create(builder, loc, accumulator, value));
  case ReductionKind::product:
    return isFloat
               ? Value(arith::MulFOp::create(builder, loc, accumulator, value))
               : Value(arith::MulIOp::create(builder, loc, accumulator, value));
  case ReductionKind::max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, accumulator, value);
    return isSigned
               ? Value(arith::MaxSIOp::create(builder, loc, accumulator, value))
               : Value(
                     arith::MaxUIOp::create(builder, loc, accumulator, value));
  case ReductionKind::min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, accumulator, value);
    return isSigned
               ? Value(arith::MinSIOp::create(builder, loc, accumulator, value))
               : Value(
                     arith::MinUIOp::create(builder, loc, accumulator, value));
  }
  llvm_unreachable("all reductions are handled");
}

Value graph::buildReductionIdentity(OpBuilder &builder, Location loc,
                                    ReductionKind reduction, NumberKind kind,
                                    Type type) {
  Type element = getElementTypeOrSelf(type);
  bool isFloat = kind == NumberKind::Float;
  switch (reduction) {
  case ReductionKind::sum:
  case ReductionKind::mean:
  case ReductionKind::product: {
    int64_t value = reduction == ReductionKind::product ? 1 : 0;
    return isFloat ? buildFloat(builder, loc, type, double(value))
                   : buildInteger(builder, loc, type, value);
  }
  case ReductionKind::max:
  case ReductionKind::min:
    break;
  }
  bool isMax = reduction == ReductionKind::max;
  if (isFloat)
    return buildFloat(builder, loc, type,
                      isMax ? -std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::infinity());
  unsigned width = cast<IntegerType>(element).getWidth();
  APInt value =
      kind == NumberKind::Signed
          ? (isMax ? APInt::getSignedMinValue(width)
                   : APInt::getSignedMaxValue(width))
          : (isMax ? APInt::getMinValue(width) : APInt::getMaxValue(width));
  return buildConstant(builder, loc, type,
                       builder.getIntegerAttr(element, value));
}
