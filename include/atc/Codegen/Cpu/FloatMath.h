// Elementary functions of f32 in terms of arithmetic, for scalars and vectors.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_FLOATMATH_H
#define ATC_CODEGEN_CPU_FLOATMATH_H

#include "mlir/IR/Builders.h"

namespace mlir::atc::cpu {

/// Builds elementary functions on values of one type, f32 or a vector of it.
/// Infinities, NaN, signed zeros and denormal results are those of the C
/// library; errors are bounded per function in units in the last place (tested
/// over all of f32). The polynomials are minimax fits made for this file with
/// coefficients rounded to f32.
class FloatMath {
public:
  FloatMath(OpBuilder &builder, Location loc, Type type);

  Value constant(double value);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value div(Value lhs, Value rhs);
  Value fma(Value a, Value b, Value c);
  Value abs(Value x);
  Value negate(Value x);
  Value copySign(Value magnitude, Value sign);
  /// Horner's scheme, lowest coefficient first.
  Value polynomial(Value x, ArrayRef<float> coefficients);

  /// 1 ulp. With `flush` results below 2^-125 are 0, which saves a sixth.
  Value exp(Value x, bool flush = false);
  /// 1 ulp.
  Value exp2(Value x);
  /// 2 ulp.
  Value expm1(Value x);
  /// 1 ulp.
  Value log(Value x);
  Value log2(Value x);
  Value log10(Value x);
  /// 2 ulp.
  Value log1p(Value x);
  /// 2 ulp.
  Value tanh(Value x);
  /// 2 ulp.
  Value erf(Value x);
  /// 2 ulp.
  Value sinh(Value x);
  Value cosh(Value x);

private:
  /// x = n ln2 + r with |r| <= ln2 / 2; `n` is an integer of 32 bits.
  struct Reduced {
    Value n, r;
  };
  Reduced reduceByLn2(Value x);
  /// (e^r - 1 - r) / r^2 for |r| <= ln2 / 2.
  Value expTail(Value r);
  /// 2^n for -126 <= n <= 127.
  Value power2(Value n);
  /// e^r 2^n for -252 <= n <= 254.
  Value scale(Value x, Value n);
  /// x = m 2^e with m in [sqrt(1/2), sqrt(2)); positive finite x.
  struct Split {
    Value f, e;
  };
  Split splitExponent(Value x);
  /// log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1], without its main term f.
  Value logTail(Value f);
  /// The result of a logarithm at 0, at negative x, infinity and NaN.
  Value logSpecial(Value x, Value result);

  Value integer(int32_t value);
  Value bits(Value x);
  Value fromBits(Value x);
  Value less(Value lhs, Value rhs);
  Value select(Value condition, Value yes, Value no);

  OpBuilder &builder;
  Location loc;
  Type type, integerType;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_FLOATMATH_H
