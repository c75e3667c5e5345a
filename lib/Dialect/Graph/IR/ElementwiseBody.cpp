// Scalar bodies of the elementwise ops that are more than one op of math.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Elementwise.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"

using namespace mlir;
using namespace mlir::atc::graph;

namespace {
/// Writes scalar formulas: wraps a builder, a location and the type that the
/// formula computes in.
class Formula {
public:
  Formula(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  template <typename Op>
  Value build(ValueRange args) {
    return Op::create(builder, loc, TypeRange(args[0].getType()), args);
  }
  Value real(double value) { return buildFloat(builder, loc, type, value); }
  Value integer(int64_t value) {
    return buildInteger(builder, loc, type, value);
  }
  Value add(Value a, Value b) { return build<arith::AddFOp>({a, b}); }
  Value sub(Value a, Value b) { return build<arith::SubFOp>({a, b}); }
  Value mul(Value a, Value b) { return build<arith::MulFOp>({a, b}); }
  Value div(Value a, Value b) { return build<arith::DivFOp>({a, b}); }
  Value max(Value a, Value b) { return build<arith::MaximumFOp>({a, b}); }
  Value min(Value a, Value b) { return build<arith::MinimumFOp>({a, b}); }
  Value abs(Value a) { return build<math::AbsFOp>({a}); }
  Value exp(Value a) { return build<math::ExpOp>({a}); }
  Value tanh(Value a) { return build<math::TanhOp>({a}); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  /// max(0, min(1, x)).
  Value unitClamp(Value x) { return max(real(0), min(real(1), x)); }
  /// log(1 + exp(x)) as max(x, 0) + log1p(exp(-|x|)): no overflow, and exact
  /// far on both sides.
  Value softplus(Value x) {
    Value tail = build<math::Log1pOp>({exp(build<arith::NegFOp>({abs(x)}))});
    return add(max(x, real(0)), tail);
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};

Formula formula(OpBuilder &builder, Location loc, ValueRange args) {
  return Formula(builder, loc, args[0].getType());
}
} // namespace

static NumberKind kindOf(Value value) {
  return getNumberKind(getElementTypeOrSelf(value));
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

Value AbsOp::buildScalarBody(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Formula f = formula(builder, loc, args);
  switch (kindOf(getX())) {
  case NumberKind::Float:
    return f.abs(args[0]);
  case NumberKind::Signed:
    return f.build<math::AbsIOp>(args);
  default:
    return args[0];
  }
}

Value NegOp::buildScalarBody(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Formula f = formula(builder, loc, args);
  if (kindOf(getX()) == NumberKind::Float)
    return f.build<arith::NegFOp>(args);
  return f.build<arith::SubIOp>({f.integer(0), args[0]});
}

Value SignOp::buildScalarBody(OpBuilder &builder, Location loc,
                              ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value x = args[0];
  switch (kindOf(getX())) {
  case NumberKind::Float: {
    // Zeros and NaN are neither above nor below zero and stay what they are.
    Value zero = f.real(0);
    Value below =
        f.select(f.compare(arith::CmpFPredicate::OLT, x, zero), f.real(-1), x);
    return f.select(f.compare(arith::CmpFPredicate::OGT, x, zero), f.real(1),
                    below);
  }
  case NumberKind::Signed:
    return f.build<arith::MaxSIOp>(
        {f.build<arith::MinSIOp>({x, f.integer(1)}), f.integer(-1)});
  default:
    return f.build<arith::MinUIOp>({x, f.integer(1)});
  }
}

Value NotOp::buildScalarBody(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Formula f = formula(builder, loc, args);
  return f.build<arith::XOrIOp>({args[0], f.integer(1)});
}

Value BitNotOp::buildScalarBody(OpBuilder &builder, Location loc,
                                ValueRange args) {
  Formula f = formula(builder, loc, args);
  return f.build<arith::XOrIOp>({args[0], f.integer(-1)});
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value ReciprocalOp::buildScalarBody(OpBuilder &builder, Location loc,
                                    ValueRange args) {
  Formula f = formula(builder, loc, args);
  return f.div(f.real(1), args[0]);
}

Value SigmoidOp::buildScalarBody(OpBuilder &builder, Location loc,
                                 ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value tail = f.exp(f.build<arith::NegFOp>(args));
  return f.div(f.real(1), f.add(f.real(1), tail));
}

Value SoftplusOp::buildScalarBody(OpBuilder &builder, Location loc,
                                  ValueRange args) {
  return formula(builder, loc, args).softplus(args[0]);
}

Value SoftsignOp::buildScalarBody(OpBuilder &builder, Location loc,
                                  ValueRange args) {
  Formula f = formula(builder, loc, args);
  return f.div(args[0], f.add(f.real(1), f.abs(args[0])));
}

Value ReluOp::buildScalarBody(OpBuilder &builder, Location loc,
                              ValueRange args) {
  Formula f = formula(builder, loc, args);
  switch (kindOf(getX())) {
  case NumberKind::Float:
    return f.max(args[0], f.real(0));
  case NumberKind::Signed:
    return f.build<arith::MaxSIOp>({args[0], f.integer(0)});
  default:
    return args[0];
  }
}

Value HardSwishOp::buildScalarBody(OpBuilder &builder, Location loc,
                                   ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value x = args[0];
  Value line = f.add(f.mul(x, f.real(1.0 / 6.0)), f.real(0.5));
  return f.mul(x, f.unitClamp(line));
}

Value MishOp::buildScalarBody(OpBuilder &builder, Location loc,
                              ValueRange args) {
  Formula f = formula(builder, loc, args);
  return f.mul(args[0], f.tanh(f.softplus(args[0])));
}

Value GeluOp::buildScalarBody(OpBuilder &builder, Location loc,
                              ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value x = args[0];
  Value bell;
  if (getApproximate()) {
    Value cube = f.mul(f.mul(x, x), x);
    Value inner = f.add(x, f.mul(f.real(0.044715), cube));
    bell = f.tanh(f.mul(f.real(0.79788456080286535588), inner)); // sqrt(2/pi)
  } else {
    Value inner = f.mul(x, f.real(0.70710678118654752440)); // sqrt(1/2)
    bell = f.build<math::ErfOp>({inner});
  }
  return f.mul(f.mul(x, f.real(0.5)), f.add(f.real(1), bell));
}

Value EluOp::buildScalarBody(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value x = args[0];
  Value below = f.mul(f.real(getAlpha()), f.build<math::ExpM1Op>({x}));
  return f.select(f.compare(arith::CmpFPredicate::OLT, x, f.real(0)), below, x);
}

Value LeakyReluOp::buildScalarBody(OpBuilder &builder, Location loc,
                                   ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value x = args[0];
  return f.select(f.compare(arith::CmpFPredicate::OLT, x, f.real(0)),
                  f.mul(f.real(getAlpha()), x), x);
}

Value HardSigmoidOp::buildScalarBody(OpBuilder &builder, Location loc,
                                     ValueRange args) {
  Formula f = formula(builder, loc, args);
  return f.unitClamp(
      f.add(f.mul(f.real(getAlpha()), args[0]), f.real(getBeta())));
}

//===----------------------------------------------------------------------===//
// Predicates and conversion
//===----------------------------------------------------------------------===//

Value IsInfOp::buildScalarBody(OpBuilder &builder, Location loc,
                               ValueRange args) {
  Formula f = formula(builder, loc, args);
  double infinity = std::numeric_limits<double>::infinity();
  Value x = args[0];
  if (getDetectNegative() && getDetectPositive())
    return f.compare(arith::CmpFPredicate::OEQ, f.abs(x), f.real(infinity));
  if (getDetectNegative() || getDetectPositive())
    return f.compare(arith::CmpFPredicate::OEQ, x,
                     f.real(getDetectPositive() ? infinity : -infinity));
  return buildInteger(builder, loc,
                      withElementType(x.getType(), builder.getI1Type()), 0);
}

Value IsNanOp::buildScalarBody(OpBuilder &builder, Location loc,
                               ValueRange args) {
  return formula(builder, loc, args)
      .compare(arith::CmpFPredicate::UNO, args[0], args[0]);
}

Value CastOp::buildScalarBody(OpBuilder &builder, Location loc,
                              ValueRange args) {
  return buildCast(builder, loc, args[0], getElementTypeOrSelf(getX()), getTo(),
                   getSaturate());
}

Value CompareOp::buildScalarBody(OpBuilder &builder, Location loc,
                                 ValueRange args) {
  Formula f = formula(builder, loc, args);
  NumberKind kind = kindOf(getLhs());
  if (kind == NumberKind::None)
    return {};
  auto index = static_cast<unsigned>(getPredicate());
  if (kind == NumberKind::Float) {
    static constexpr arith::CmpFPredicate predicates[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return f.compare(predicates[index], args[0], args[1]);
  }
  static constexpr arith::CmpIPredicate signedPredicates[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  static constexpr arith::CmpIPredicate unsignedPredicates[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
      arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  return f.compare(kind == NumberKind::Signed ? signedPredicates[index]
                                              : unsignedPredicates[index],
                   args[0], args[1]);
}

Value SelectOp::buildScalarBody(OpBuilder &builder, Location loc,
                                ValueRange args) {
  if (kindOf(getOnTrue()) == NumberKind::None)
    return {};
  return arith::SelectOp::create(builder, loc, args[0], args[1], args[2]);
}

//===----------------------------------------------------------------------===//
// Binary arithmetic
//===----------------------------------------------------------------------===//

namespace {
/// An integer divisor made safe: 1 where division would trap.
struct SafeDivisor {
  Value divisor;
  /// Where the original divisor is 0.
  Value isZero;
};
} // namespace

/// Division traps on a divisor of 0, and on the smallest integer by -1, whose
/// quotient wraps to itself as that by 1 does.
static SafeDivisor buildSafeDivisor(Formula &f, Value lhs, Value rhs,
                                    bool isSigned) {
  Value zero = f.integer(0), one = f.integer(1);
  Value isZero = f.compare(arith::CmpIPredicate::eq, rhs, zero);
  Value unsafe = isZero;
  if (isSigned) {
    auto type = cast<IntegerType>(getElementTypeOrSelf(f.type));
    int64_t minimum = APInt::getSignedMinValue(type.getWidth()).getSExtValue();
    Value isMinimum =
        f.compare(arith::CmpIPredicate::eq, lhs, f.integer(minimum));
    Value isMinusOne = f.compare(arith::CmpIPredicate::eq, rhs, f.integer(-1));
    Value overflows = f.build<arith::AndIOp>({isMinimum, isMinusOne});
    unsafe = f.build<arith::OrIOp>({isZero, overflows});
  }
  return {f.select(unsafe, one, rhs), isZero};
}

Value DivOp::buildScalarBody(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Formula f = formula(builder, loc, args);
  NumberKind kind = kindOf(getLhs());
  if (kind == NumberKind::Float)
    return f.div(args[0], args[1]);
  bool isSigned = kind == NumberKind::Signed;
  SafeDivisor safe = buildSafeDivisor(f, args[0], args[1], isSigned);
  Value quotient = isSigned ? f.build<arith::DivSIOp>({args[0], safe.divisor})
                            : f.build<arith::DivUIOp>({args[0], safe.divisor});
  return f.select(safe.isZero, f.integer(0), quotient);
}

Value ModOp::buildScalarBody(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value lhs = args[0], rhs = args[1];
  NumberKind kind = kindOf(getLhs());
  if (kind == NumberKind::Float) {
    Value rest = f.build<arith::RemFOp>({lhs, rhs});
    if (getFmod())
      return rest;
    Value zero = f.real(0);
    Value isRest = f.compare(arith::CmpFPredicate::ONE, rest, zero);
    Value signs = f.build<arith::XOrIOp>(
        {f.compare(arith::CmpFPredicate::OLT, rest, zero),
         f.compare(arith::CmpFPredicate::OLT, rhs, zero)});
    return f.select(f.build<arith::AndIOp>({isRest, signs}), f.add(rest, rhs),
                    rest);
  }
  // With a divisor of 1 in place of 0 the remainder is 0, as defined.
  bool isSigned = kind == NumberKind::Signed;
  Value divisor = buildSafeDivisor(f, lhs, rhs, isSigned).divisor;
  if (!isSigned)
    return f.build<arith::RemUIOp>({lhs, divisor});
  Value rest = f.build<arith::RemSIOp>({lhs, divisor});
  if (getFmod())
    return rest;
  Value zero = f.integer(0);
  Value isRest = f.compare(arith::CmpIPredicate::ne, rest, zero);
  Value signs = f.compare(arith::CmpIPredicate::slt,
                          f.build<arith::XOrIOp>({rest, rhs}), zero);
  return f.select(f.build<arith::AndIOp>({isRest, signs}),
                  f.build<arith::AddIOp>({rest, rhs}), rest);
}

/// lhs^rhs by squaring, one step for each bit of the exponent.
static Value buildIntegerPower(Formula &f, Value lhs, Value rhs,
                               bool isSigned) {
  unsigned width = cast<IntegerType>(getElementTypeOrSelf(f.type)).getWidth();
  Value zero = f.integer(0), one = f.integer(1);
  Value power = one, square = lhs;
  for (unsigned bit = 0; bit < width; ++bit) {
    Value mask = buildInteger(f.builder, f.loc, f.type,
                              APInt::getOneBitSet(width, bit).getSExtValue());
    Value isSet = f.compare(arith::CmpIPredicate::ne,
                            f.build<arith::AndIOp>({rhs, mask}), zero);
    power = f.select(isSet, f.build<arith::MulIOp>({power, square}), power);
    if (bit + 1 < width)
      square = f.build<arith::MulIOp>({square, square});
  }
  if (!isSigned)
    return power;
  // 1 / lhs^n truncates to 0 unless lhs is 1 or -1, where lhs^n = lhs^-n and
  // two's complement keeps the parity of the exponent.
  Value magnitude = f.build<math::AbsIOp>({lhs});
  Value isUnit = f.compare(arith::CmpIPredicate::eq, magnitude, one);
  Value isNegative = f.compare(arith::CmpIPredicate::slt, rhs, zero);
  Value keep = f.build<arith::OrIOp>(
      {isUnit, f.build<arith::XOrIOp>(
                   {isNegative,
                    buildInteger(f.builder, f.loc, isNegative.getType(), 1)})});
  return f.select(keep, power, zero);
}

Value PowOp::buildScalarBody(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Formula f = formula(builder, loc, args);
  NumberKind kind = kindOf(getLhs());
  if (kind == NumberKind::Float)
    return f.build<math::PowFOp>(args);
  return buildIntegerPower(f, args[0], args[1], kind == NumberKind::Signed);
}

Value PreluOp::buildScalarBody(OpBuilder &builder, Location loc,
                               ValueRange args) {
  Formula f = formula(builder, loc, args);
  switch (kindOf(getLhs())) {
  case NumberKind::Float:
    return f.select(f.compare(arith::CmpFPredicate::OLT, args[0], f.real(0)),
                    f.mul(args[0], args[1]), args[0]);
  case NumberKind::Signed:
    return f.select(f.compare(arith::CmpIPredicate::slt, args[0], f.integer(0)),
                    f.build<arith::MulIOp>(args), args[0]);
  default:
    return args[0];
  }
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// A shift amount below the width: a larger one is undefined in arith.
static Value buildSafeAmount(Formula &f, Value amount, Value &tooLarge) {
  unsigned width = cast<IntegerType>(getElementTypeOrSelf(f.type)).getWidth();
  Value last = f.integer(width - 1);
  tooLarge = f.compare(arith::CmpIPredicate::ugt, amount, last);
  return f.build<arith::MinUIOp>({amount, last});
}

Value ShiftLeftOp::buildScalarBody(OpBuilder &builder, Location loc,
                                   ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value tooLarge;
  Value amount = buildSafeAmount(f, args[1], tooLarge);
  return f.select(tooLarge, f.integer(0),
                  f.build<arith::ShLIOp>({args[0], amount}));
}

Value ShiftRightOp::buildScalarBody(OpBuilder &builder, Location loc,
                                    ValueRange args) {
  Formula f = formula(builder, loc, args);
  Value tooLarge;
  Value amount = buildSafeAmount(f, args[1], tooLarge);
  // An arithmetic shift by width - 1 leaves the sign, as every longer one.
  if (kindOf(getLhs()) == NumberKind::Signed)
    return f.build<arith::ShRSIOp>({args[0], amount});
  return f.select(tooLarge, f.integer(0),
                  f.build<arith::ShRUIOp>({args[0], amount}));
}
