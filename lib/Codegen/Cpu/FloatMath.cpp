// Elementary functions of f32 in terms of arithmetic, for scalars and vectors.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/FloatMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::atc::cpu;

/// 1.5 * 2^23: adding it leaves the nearest integer in the low bits.
static constexpr double roundingShift = 12582912.0;
static constexpr int32_t roundingShiftBits = 0x4B400000;
static constexpr double log2e = 1.4426950408889634;
/// ln 2 in two parts; n * high is exact for |n| < 2^9.
static constexpr double ln2High = 0.693145751953125;
static constexpr double ln2Low = 1.428606820309417e-6;
static constexpr double infinity = std::numeric_limits<double>::infinity();

FloatMath::FloatMath(OpBuilder &builder, Location loc, Type type)
    : builder(builder), loc(loc), type(type) {
  integerType = builder.getI32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    integerType = vector.clone(integerType);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value FloatMath::constant(double value) {
  TypedAttr attr = builder.getF32FloatAttr(static_cast<float>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value FloatMath::integer(int32_t value) {
  TypedAttr attr = builder.getI32IntegerAttr(value);
  if (auto vector = dyn_cast<VectorType>(integerType))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value FloatMath::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs);
}
Value FloatMath::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, loc, lhs, rhs);
}
Value FloatMath::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, loc, lhs, rhs);
}
Value FloatMath::div(Value lhs, Value rhs) {
  return arith::DivFOp::create(builder, loc, lhs, rhs);
}
Value FloatMath::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(builder, loc, a, b, c);
}
Value FloatMath::abs(Value x) { return math::AbsFOp::create(builder, loc, x); }
Value FloatMath::negate(Value x) {
  return arith::NegFOp::create(builder, loc, x);
}
Value FloatMath::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(builder, loc, magnitude, sign);
}
Value FloatMath::bits(Value x) {
  return arith::BitcastOp::create(builder, loc, integerType, x);
}
Value FloatMath::fromBits(Value x) {
  return arith::BitcastOp::create(builder, loc, type, x);
}
Value FloatMath::less(Value lhs, Value rhs) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, lhs,
                               rhs);
}
Value FloatMath::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

Value FloatMath::polynomial(Value x, ArrayRef<float> coefficients) {
  Value sum = constant(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, constant(coefficient));
  return sum;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

FloatMath::Reduced FloatMath::reduceByLn2(Value x) {
  Value shifted = fma(x, constant(log2e), constant(roundingShift));
  Value n = arith::SubIOp::create(builder, loc, bits(shifted),
                                  integer(roundingShiftBits));
  Value rounded = sub(shifted, constant(roundingShift));
  Value r = fma(rounded, constant(-ln2High), x);
  return {n, fma(rounded, constant(-ln2Low), r)};
}

Value FloatMath::expTail(Value r) {
  // Error of e^r below 3.7e-9.
  return polynomial(
      r, {0.5f, 0.166665092f, 0.0416664481f, 0.00836993195f, 0.00139366009f});
}

Value FloatMath::power2(Value n) {
  Value biased = arith::AddIOp::create(builder, loc, n, integer(127));
  return fromBits(arith::ShLIOp::create(builder, loc, biased, integer(23)));
}

Value FloatMath::scale(Value x, Value n) {
  // In two steps, so that results may be denormal or overflow.
  Value half = arith::ShRSIOp::create(builder, loc, n, integer(1));
  Value rest = arith::SubIOp::create(builder, loc, n, half);
  return mul(mul(x, power2(half)), power2(rest));
}

Value FloatMath::exp(Value x, bool flush) {
  // Beyond these bounds the result is 0 or infinity; NaN passes.
  Value low = constant(flush ? -86.64 : -105.0), high = constant(89.0);
  Value bounded = select(less(x, low), low, x);
  bounded = select(less(high, bounded), high, bounded);
  auto [n, r] = reduceByLn2(bounded);
  Value y = add(fma(mul(r, r), expTail(r), r), constant(1.0));
  if (!flush)
    return scale(y, n);
  // 2^128 does not exist as a factor; y in [0.7, 1.42) makes room for it.
  Value result =
      mul(mul(y, power2(arith::SubIOp::create(builder, loc, n, integer(1)))),
          constant(2.0));
  return select(less(x, low), constant(0.0), result);
}

Value FloatMath::exp2(Value x) {
  Value low = constant(-151.0), high = constant(129.0);
  Value bounded = select(less(x, low), low, x);
  bounded = select(less(high, bounded), high, bounded);
  Value shifted = add(bounded, constant(roundingShift));
  Value n = arith::SubIOp::create(builder, loc, bits(shifted),
                                  integer(roundingShiftBits));
  Value fraction = sub(bounded, sub(shifted, constant(roundingShift)));
  // The product's rounding error goes into the linear term.
  Value r = mul(fraction, constant(0.6931471805599453));
  Value low2 = fma(fraction, constant(0.6931471805599453), negate(r));
  Value correction = fma(fraction, constant(-1.904654323148236e-9), low2);
  Value y = fma(mul(r, r), expTail(r), correction);
  return scale(add(add(y, r), constant(1.0)), n);
}

Value FloatMath::expm1(Value x) {
  Value low = constant(-30.0), high = constant(89.0);
  Value bounded = select(less(x, low), low, x);
  bounded = select(less(high, bounded), high, bounded);
  auto [n, r] = reduceByLn2(bounded);
  // 2^n (e^r - 1) + (2^n - 1), at half scale because of n = 128.
  Value p =
      fma(mul(r, r),
          polynomial(r, {0.5f, 0.166666672f, 0.0416664481f, 0.00833319873f,
                         0.00139366009f, 0.000199523987f}),
          r);
  Value half = power2(arith::SubIOp::create(builder, loc, n, integer(1)));
  Value sum = fma(p, half, sub(half, constant(0.5)));
  // Keeps -0 and denormals.
  Value tiny = less(abs(x), constant(1e-8));
  return select(tiny, x, mul(sum, constant(2.0)));
}

Value FloatMath::tanh(Value x) {
  // With e = exp(-2|x|) - 1 in (-1, 0]: tanh |x| = -e / (e + 2).
  Value e = expm1(mul(abs(x), constant(-2.0)));
  Value y = div(negate(e), add(e, constant(2.0)));
  return copySign(y, x);
}

Value FloatMath::sinh(Value x) {
  // With e = expm1(|x|): (e + e / (e + 1)) / 2; near overflow by halves.
  Value magnitude = abs(x);
  Value e = expm1(magnitude);
  Value one = constant(1.0), half = constant(0.5);
  Value y = mul(half, add(e, div(e, add(e, one))));
  Value root = exp(mul(magnitude, half));
  Value large = mul(mul(root, half), root);
  y = select(less(constant(80.0), magnitude), large, y);
  return copySign(y, x);
}

Value FloatMath::cosh(Value x) {
  Value magnitude = abs(x);
  Value half = constant(0.5);
  Value e = exp(magnitude);
  Value y = fma(e, half, div(half, e));
  Value root = exp(mul(magnitude, half));
  Value large = mul(mul(root, half), root);
  return select(less(constant(80.0), magnitude), large, y);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

FloatMath::Split FloatMath::splitExponent(Value x) {
  // Denormals are scaled up by 2^23.
  Value denormal = less(x, constant(std::numeric_limits<float>::min()));
  Value scaled = select(denormal, mul(x, constant(8388608.0)), x);
  Value offset = select(denormal, constant(-23.0), constant(0.0));
  // Adding the distance of sqrt(1/2) to 1 makes the exponent field that of m.
  Value raw = bits(scaled);
  Value moved = arith::SubIOp::create(builder, loc, raw, integer(0x3F3504F3));
  Value e = arith::ShRSIOp::create(builder, loc, moved, integer(23));
  Value mantissa =
      arith::AndIOp::create(builder, loc, moved, integer(0x007FFFFF));
  Value m = fromBits(
      arith::AddIOp::create(builder, loc, mantissa, integer(0x3F3504F3)));
  Value exponent = arith::SIToFPOp::create(builder, loc, type, e);
  return {sub(m, constant(1.0)), add(exponent, offset)};
}

Value FloatMath::logTail(Value f) {
  // Relative error of f - f^2 / 2 + f^3 P(f) below 7e-9.
  Value p =
      polynomial(f, {0.333333313f, -0.250008434f, 0.200010344f, -0.166224658f,
                     0.142072409f, -0.131748214f, 0.1272441f, -0.0754630491f});
  Value square = mul(f, f);
  return fma(square, constant(-0.5), mul(mul(square, f), p));
}

Value FloatMath::logSpecial(Value x, Value result) {
  Value zero = constant(0.0), infinite = constant(infinity);
  // Infinity and NaN are their own logarithms.
  Value ordinary = less(x, infinite);
  result = select(ordinary, result, x);
  Value isZero =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, zero);
  result = select(isZero, constant(-infinity), result);
  return select(less(x, zero),
                constant(std::numeric_limits<double>::quiet_NaN()), result);
}

Value FloatMath::log(Value x) {
  auto [f, e] = splitExponent(x);
  Value tail = fma(e, constant(ln2Low), logTail(f));
  Value y = fma(e, constant(ln2High), add(f, tail));
  return logSpecial(x, y);
}

Value FloatMath::log2(Value x) {
  auto [f, e] = splitExponent(x);
  // The factor log2(e) = 1 + c keeps the main term f exact.
  Value c = constant(log2e - 1.0);
  Value tail = logTail(f);
  Value y = fma(tail, c, fma(f, c, tail));
  return logSpecial(x, add(e, add(f, y)));
}

Value FloatMath::log10(Value x) {
  auto [f, e] = splitExponent(x);
  Value scale = constant(0.4342944819032518);
  Value tail = mul(logTail(f), scale);
  // log10(2) in two parts, as ln 2.
  Value y = fma(e, constant(4.605038981195214e-6), fma(f, scale, tail));
  return logSpecial(x, fma(e, constant(0.301025390625), y));
}

Value FloatMath::log1p(Value x) {
  // log(u) corrected by the rounding error of u = 1 + x.
  Value one = constant(1.0);
  Value u = add(one, x);
  Value rounding = sub(x, sub(u, one));
  Value y = add(log(u), div(rounding, u));
  // Exact where u is 1, and at infinity, where the correction is NaN.
  Value infinite = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, x, constant(infinity));
  y = select(infinite, x, y);
  Value atMinusOne = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, u, constant(0.0));
  y = select(atMinusOne, constant(-infinity), y);
  return select(less(abs(x), constant(1e-8)), x, y);
}

//===----------------------------------------------------------------------===//
// Error function
//===----------------------------------------------------------------------===//

Value FloatMath::erf(Value x) {
  Value magnitude = abs(x);
  // |x| < 0.925: x + x P(x^2), relative error below 2e-8.
  Value p =
      polynomial(mul(x, x), {0.128379151f, -0.376124978f, 0.112818345f,
                             -0.0267667081f, 0.00499269133f, -0.000598586106f});
  Value small = fma(x, p, x);
  // Otherwise 1 - exp(Q(|x|)), error below 2e-9; 1 from 4 on.
  Value bounded =
      select(less(constant(4.0), magnitude), constant(4.0), magnitude);
  Value q = polynomial(bounded, {-0.000177512571f, -1.12775016f, -0.637057364f,
                                 -0.104040936f, 0.0222796705f, -0.00305651361f,
                                 0.000197305344f});
  Value large = copySign(sub(constant(1.0), exp(q, /*flush=*/true)), x);
  return select(less(magnitude, constant(0.925)), small, large);
}
