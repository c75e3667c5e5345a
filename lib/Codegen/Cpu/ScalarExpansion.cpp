// Conversions and integer arithmetic that the processor lacks, spelled out.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/ScalarExpansion.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::atc::cpu;

/// `scalar`, or a vector of it where `like` is one.
static Type typeLike(Type like, Type scalar) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(scalar);
  return scalar;
}

static Value constantLike(OpBuilder &builder, Location loc, Type type,
                          const APInt &value) {
  TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

static Value constantLike(OpBuilder &builder, Location loc, Type type,
                          int64_t value) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return constantLike(builder, loc, type,
                      APInt(width, value, /*isSigned=*/true,
                            /*implicitTrunc=*/true));
}

static Value compare(OpBuilder &builder, Location loc,
                     arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

static Value select(OpBuilder &builder, Location loc, Value condition,
                    Value yes, Value no) {
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

Value mlir::atc::cpu::expandFromBf16(OpBuilder &b, Location loc, Value value) {
  Type narrow = typeLike(value.getType(), b.getI16Type());
  Type wide = typeLike(value.getType(), b.getI32Type());
  Value bits = arith::BitcastOp::create(b, loc, narrow, value);
  Value extended = arith::ExtUIOp::create(b, loc, wide, bits);
  Value shifted =
      arith::ShLIOp::create(b, loc, extended, constantLike(b, loc, wide, 16));
  return arith::BitcastOp::create(
      b, loc, typeLike(value.getType(), b.getF32Type()), shifted);
}

Value mlir::atc::cpu::expandToBf16(OpBuilder &b, Location loc, Value value) {
  Type wide = typeLike(value.getType(), b.getI32Type());
  Type narrow = typeLike(value.getType(), b.getI16Type());
  Value bits = arith::BitcastOp::create(b, loc, wide, value);
  // Half of the discarded range, one more where the kept part is odd.
  Value sixteen = constantLike(b, loc, wide, 16);
  Value odd = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, bits, sixteen),
      constantLike(b, loc, wide, 1));
  Value bias =
      arith::AddIOp::create(b, loc, odd, constantLike(b, loc, wide, 0x7FFF));
  Value rounded = arith::AddIOp::create(b, loc, bits, bias);
  // The addition could turn NaN into infinity or zero.
  Value quiet =
      arith::OrIOp::create(b, loc, bits, constantLike(b, loc, wide, 0x400000));
  Value isNan =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  Value chosen = select(b, loc, isNan, quiet, rounded);
  Value high = arith::TruncIOp::create(
      b, loc, narrow, arith::ShRUIOp::create(b, loc, chosen, sixteen));
  return arith::BitcastOp::create(
      b, loc, typeLike(value.getType(), b.getBF16Type()), high);
}

Value mlir::atc::cpu::expandF64ToOddF32(OpBuilder &b, Location loc,
                                        Value value) {
  Type f32 = typeLike(value.getType(), b.getF32Type());
  Type i32 = typeLike(value.getType(), b.getI32Type());
  Value nearest = arith::TruncFOp::create(b, loc, f32, value);
  Value back = arith::ExtFOp::create(b, loc, value.getType(), nearest);
  Value bits = arith::BitcastOp::create(b, loc, i32, nearest);
  // Where rounding went to the even neighbour, take the odd one: towards zero
  // if the magnitude grew, away from it otherwise.
  Value magnitude = math::AbsFOp::create(b, loc, value);
  Value roundedMagnitude = math::AbsFOp::create(b, loc, back);
  Value grew = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                     roundedMagnitude, magnitude);
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, value);
  Value one = constantLike(b, loc, i32, 1);
  Value step = select(b, loc, grew, constantLike(b, loc, i32, -1), one);
  Value isEven = compare(b, loc, arith::CmpIPredicate::eq,
                         arith::AndIOp::create(b, loc, bits, one),
                         constantLike(b, loc, i32, 0));
  Value moves = arith::AndIOp::create(b, loc, inexact, isEven);
  Value moved = arith::AddIOp::create(b, loc, bits, step);
  Value chosen = select(b, loc, moves, moved, bits);
  return arith::BitcastOp::create(b, loc, f32, chosen);
}

Value mlir::atc::cpu::expandRound(OpBuilder &b, Location loc, Value value) {
  // The largest value below one half: 0.49999997 + 0.5 would round up.
  Type element = getElementTypeOrSelf(value.getType());
  APFloat half(cast<FloatType>(element).getFloatSemantics(), "0.5");
  half.next(/*nextDown=*/true);
  TypedAttr attr = b.getFloatAttr(element, half);
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  Value offset = math::CopySignOp::create(
      b, loc, arith::ConstantOp::create(b, loc, attr), value);
  return math::TruncOp::create(b, loc,
                               arith::AddFOp::create(b, loc, value, offset));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// A divisor that traps is replaced by one that does not; `zero` tells where it
/// was zero.
static Value safeDivisor(OpBuilder &b, Location loc, Value lhs, Value rhs,
                         bool isSigned, Value zero) {
  Type type = lhs.getType();
  Value one = constantLike(b, loc, type, 1);
  Value divisor = select(b, loc, zero, one, rhs);
  if (!isSigned)
    return divisor;
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value minimum = constantLike(b, loc, type, APInt::getSignedMinValue(width));
  Value overflows = arith::AndIOp::create(
      b, loc, compare(b, loc, arith::CmpIPredicate::eq, lhs, minimum),
      compare(b, loc, arith::CmpIPredicate::eq, rhs,
              constantLike(b, loc, type, -1)));
  return select(b, loc, overflows, one, divisor);
}

/// The quotient towards minus (or plus) infinity, from the truncated one.
static Value adjustQuotient(OpBuilder &b, Location loc, Value lhs, Value rhs,
                            Value quotient, bool towardsPlus) {
  Type type = lhs.getType();
  Value zero = constantLike(b, loc, type, 0);
  Value remainder = arith::SubIOp::create(
      b, loc, lhs, arith::MulIOp::create(b, loc, quotient, rhs));
  Value inexact = compare(b, loc, arith::CmpIPredicate::ne, remainder, zero);
  Value signs = arith::XOrIOp::create(b, loc, lhs, rhs);
  Value differs = compare(b, loc,
                          towardsPlus ? arith::CmpIPredicate::sge
                                      : arith::CmpIPredicate::slt,
                          signs, zero);
  Value adjusts = arith::AndIOp::create(b, loc, inexact, differs);
  Value moved = arith::AddIOp::create(
      b, loc, quotient, constantLike(b, loc, type, towardsPlus ? 1 : -1));
  return select(b, loc, adjusts, moved, quotient);
}

Value mlir::atc::cpu::expandIntegerDivision(RewriterBase &rewriter,
                                            Operation *op) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
                      arith::CeilDivSIOp>(op);
  if (!isSigned && !isa<arith::DivUIOp, arith::RemUIOp>(op))
    return {};
  Location loc = op->getLoc();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Value none = constantLike(rewriter, loc, rhs.getType(), 0);
  Value zero = compare(rewriter, loc, arith::CmpIPredicate::eq, rhs, none);
  Value divisor = safeDivisor(rewriter, loc, lhs, rhs, isSigned, zero);
  Value result;
  if (isa<arith::RemSIOp>(op))
    result = arith::RemSIOp::create(rewriter, loc, lhs, divisor);
  else if (isa<arith::RemUIOp>(op))
    result = arith::RemUIOp::create(rewriter, loc, lhs, divisor);
  else if (isa<arith::DivUIOp>(op))
    result = arith::DivUIOp::create(rewriter, loc, lhs, divisor);
  else
    result = arith::DivSIOp::create(rewriter, loc, lhs, divisor);
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    result = adjustQuotient(rewriter, loc, lhs, divisor, result,
                            isa<arith::CeilDivSIOp>(op));
  return select(rewriter, loc, zero, none, result);
}

Value mlir::atc::cpu::expandIntegerPower(OpBuilder &b, math::IPowIOp op) {
  Location loc = op.getLoc();
  Type type = op.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value one = constantLike(b, loc, type, 1),
        zero = constantLike(b, loc, type, 0);
  Value from = arith::ConstantIndexOp::create(b, loc, 0);
  Value to = arith::ConstantIndexOp::create(b, loc, width);
  Value step = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(
      b, loc, from, to, step, ValueRange{one, op.getLhs(), op.getRhs()},
      [&](OpBuilder &b, Location loc, Value, ValueRange state) {
        Value product = arith::MulIOp::create(b, loc, state[0], state[1]);
        Value odd = compare(b, loc, arith::CmpIPredicate::ne,
                            arith::AndIOp::create(b, loc, state[2], one), zero);
        Value power = select(b, loc, odd, product, state[0]);
        Value square = arith::MulIOp::create(b, loc, state[1], state[1]);
        Value rest = arith::ShRUIOp::create(b, loc, state[2], one);
        scf::YieldOp::create(b, loc, ValueRange{power, square, rest});
      });
  // 1^-n = 1, (-1)^-n = (-1)^n, which the loop computed for the bits of -n.
  Value isUnit = arith::OrIOp::create(
      b, loc, compare(b, loc, arith::CmpIPredicate::eq, op.getLhs(), one),
      compare(b, loc, arith::CmpIPredicate::eq, op.getLhs(),
              constantLike(b, loc, type, -1)));
  Value isNegative =
      compare(b, loc, arith::CmpIPredicate::slt, op.getRhs(), zero);
  Value truncated = select(b, loc, isUnit, loop.getResult(0), zero);
  return select(b, loc, isNegative, truncated, loop.getResult(0));
}
