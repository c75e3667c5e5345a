// Types that code moves and converts, but does not compute with.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::atc::cpu;

bool mlir::atc::cpu::isNarrowFloat(Type elementType) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType, Float4E2M1FNType>(elementType);
}

bool mlir::atc::cpu::isPacked(Type elementType) {
  return elementType.isIntOrFloat() && !elementType.isInteger(1) &&
         elementType.getIntOrFloatBitWidth() < 8;
}

bool mlir::atc::cpu::isNarrow(Type elementType) {
  return isNarrowFloat(elementType) || isPacked(elementType);
}

namespace {

/// Where the fields of a format lie, and which codes are no numbers.
struct Format {
  explicit Format(FloatType type)
      : width(type.getWidth()), mantissa(type.getFPMantissaWidth() - 1) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    auto code = [&](const APFloat &number) {
      return static_cast<int64_t>(number.bitcastToAPInt().getZExtValue());
    };
    bias = 1 - APFloat::semanticsMinExponent(semantics);
    largest = code(APFloat::getLargest(semantics));
    if (APFloat::semanticsHasNaN(semantics))
      nan = code(APFloat::getNaN(semantics));
    if (APFloat::semanticsHasInf(semantics))
      infinity = code(APFloat::getInf(semantics));
    signMask = int64_t(1) << (width - 1);
    // Without a negative zero its code is the only NaN.
    nanIsNegativeZero = nan == signMask;
  }

  unsigned width, mantissa;
  int bias;
  int64_t largest, signMask;
  /// Zero where the format has none.
  int64_t nan = 0, infinity = 0;
  bool nanIsNegativeZero = false;
};

/// Bits of an f32.
constexpr unsigned kMantissa = 23;
constexpr int kBias = 127;
constexpr int64_t kInfinity = 0x7F800000, kNan = 0x7FC00000;

/// Writes integer code for values of one shape.
class BitCode {
public:
  BitCode(OpBuilder &builder, Location loc, Type shape)
      : builder(builder), loc(loc), shape(shape),
        i32(like(builder.getI32Type())), f32(like(builder.getF32Type())) {}

  Type like(Type scalar) const {
    if (auto vector = dyn_cast<VectorType>(shape))
      return vector.clone(scalar);
    return scalar;
  }
  Value constant(int64_t value) const {
    TypedAttr attr = builder.getI32IntegerAttr(static_cast<int32_t>(value));
    return splat(attr, i32);
  }
  Value real(float value) const {
    return splat(builder.getF32FloatAttr(value), f32);
  }
  Value add(Value a, Value b) const {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value sub(Value a, int64_t b) const {
    return arith::SubIOp::create(builder, loc, a, constant(b));
  }
  Value mask(Value a, int64_t bits) const {
    return arith::AndIOp::create(builder, loc, a, constant(bits));
  }
  Value merge(Value a, Value b) const {
    return arith::OrIOp::create(builder, loc, a, b);
  }
  Value left(Value a, unsigned bits) const {
    return arith::ShLIOp::create(builder, loc, a, constant(bits));
  }
  Value right(Value a, unsigned bits) const {
    return arith::ShRUIOp::create(builder, loc, a, constant(bits));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) const {
    return arith::CmpIOp::create(builder, loc, predicate, a, constant(b));
  }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  /// Of what already was cast, the origin: a constant of a narrow float is the
  /// cast of an integer, and MLIR must not fold it to what LLVM does not know.
  Value bitcast(Value a, Type scalar) const {
    if (auto cast = a.getDefiningOp<arith::BitcastOp>();
        cast && cast.getIn().getType() == like(scalar))
      return cast.getIn();
    return arith::BitcastOp::create(builder, loc, like(scalar), a);
  }

  OpBuilder &builder;
  Location loc;
  Type shape, i32, f32;

private:
  Value splat(TypedAttr attr, Type type) const {
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
};

} // namespace

using arith::CmpIPredicate;

Value mlir::atc::cpu::expandFromNarrow(OpBuilder &builder, Location loc,
                                       Value value) {
  Format format(cast<FloatType>(getElementTypeOrSelf(value)));
  BitCode b(builder, loc, value.getType());
  Value bits = b.bitcast(value, builder.getIntegerType(format.width));
  bits = arith::ExtUIOp::create(builder, loc, b.i32, bits);
  Value magnitude = b.mask(bits, format.signMask - 1);
  // In place, the fields are those of a number that is smaller by the
  // difference of the biases; that holds for subnormal numbers too.
  Value small = b.bitcast(b.left(magnitude, kMantissa - format.mantissa),
                          builder.getF32Type());
  Value scaled = arith::MulFOp::create(
      builder, loc, small, b.real(std::ldexp(1.0f, kBias - format.bias)));
  Value result = b.bitcast(scaled, builder.getI32Type());
  if (format.infinity) {
    Value rest =
        b.left(b.sub(magnitude, format.infinity), kMantissa - format.mantissa);
    result = b.select(b.compare(CmpIPredicate::uge, magnitude, format.infinity),
                      b.merge(rest, b.constant(kInfinity)), result);
  } else if (format.nan) {
    Value code = format.nanIsNegativeZero ? bits : magnitude;
    result = b.select(b.compare(CmpIPredicate::eq, code, format.nan),
                      b.constant(kNan), result);
  }
  Value sign = b.left(b.mask(bits, format.signMask), 32 - format.width);
  return b.bitcast(b.merge(result, sign), builder.getF32Type());
}

/// The code of a magnitude in an f32's bits, rounded to nearest even.
static Value roundMagnitude(const BitCode &b, const Format &format,
                            Value magnitude) {
  unsigned dropped = kMantissa - format.mantissa;
  // Half of the discarded range less one, and one more where the kept part is
  // odd.
  Value odd = b.mask(b.right(magnitude, dropped), 1);
  Value rounded = b.add(
      b.add(magnitude, b.constant((int64_t(1) << (dropped - 1)) - 1)), odd);
  Value normal = b.sub(b.right(rounded, dropped), int64_t(kBias - format.bias)
                                                      << format.mantissa);
  // Below the normal numbers the sum with a number whose last bit is worth one
  // step counts the steps.
  float unit = std::ldexp(1.0f, static_cast<int>(kMantissa) + 1 - format.bias -
                                    static_cast<int>(format.mantissa));
  Value sum = arith::AddFOp::create(
      b.builder, b.loc, b.bitcast(magnitude, b.builder.getF32Type()),
      b.real(unit));
  Value steps = b.sub(b.bitcast(sum, b.builder.getI32Type()),
                      llvm::bit_cast<int32_t>(unit));
  int64_t smallestNormal = int64_t(kBias + 1 - format.bias) << kMantissa;
  return b.select(b.compare(CmpIPredicate::ult, magnitude, smallestNormal),
                  steps, normal);
}

Value mlir::atc::cpu::expandToNarrow(OpBuilder &builder, Location loc,
                                     Value value, FloatType type) {
  Format format(type);
  BitCode b(builder, loc, value.getType());
  Value bits = b.bitcast(value, builder.getI32Type());
  Value magnitude = b.mask(bits, 0x7FFFFFFF);
  Value rounded = roundMagnitude(b, format, magnitude);
  Value isLarge = b.compare(CmpIPredicate::ugt, rounded, format.largest);
  int64_t overflow = format.infinity ? format.infinity
                     : format.nan    ? format.nan & (format.signMask - 1)
                                     : format.largest;
  Value code = b.select(isLarge, b.constant(overflow), rounded);
  Value sign = b.mask(b.right(bits, 32 - format.width), format.signMask);
  Value signedCode = b.merge(code, sign);
  Value isNan = b.compare(CmpIPredicate::ugt, magnitude, kInfinity);
  if (format.nanIsNegativeZero) {
    // A zero has no sign; everything beyond the numbers is the one NaN.
    signedCode =
        b.select(b.compare(CmpIPredicate::eq, code, 0), code, signedCode);
    isNan = arith::OrIOp::create(builder, loc, isNan, isLarge);
    signedCode = b.select(isNan, b.constant(format.nan), signedCode);
  } else {
    // Zero where there is no NaN.
    signedCode =
        b.select(isNan, b.merge(b.constant(format.nan), sign), signedCode);
  }
  Value narrow = arith::TruncIOp::create(
      builder, loc, b.like(builder.getIntegerType(format.width)), signedCode);
  return b.bitcast(narrow, type);
}
