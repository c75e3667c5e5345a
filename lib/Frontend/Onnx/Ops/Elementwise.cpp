// Arithmetic, comparison, logic and conversion, element by element.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

using graph::ComparePredicate;

template <typename OpTy>
void importUnary(NodeBinder &node) {
  node.result(0, node.create<OpTy>(node.input(0)));
}

template <typename OpTy>
void importBinary(NodeBinder &node) {
  Value lhs = node.input(0), rhs = node.input(1);
  node.result(0, node.create<OpTy>(lhs, rhs));
}

template <ComparePredicate predicate>
void importCompare(NodeBinder &node) {
  Value lhs = node.input(0), rhs = node.input(1);
  node.result(0, node.create<graph::CompareOp>(predicate, lhs, rhs));
}

/// Combines any number of inputs from the left.
template <typename OpTy>
Value chain(NodeBinder &node) {
  SmallVector<Value> inputs = node.inputsFrom(0);
  if (!node.ok())
    return {};
  Value result = inputs.front();
  for (Value next : ArrayRef(inputs).drop_front())
    result = node.create<OpTy>(result, next);
  return result;
}

template <typename OpTy>
void importVariadic(NodeBinder &node) {
  node.result(0, chain<OpTy>(node));
}

void importMean(NodeBinder &node) {
  Value sum = chain<graph::AddOp>(node);
  if (node.getNumInputs() > 1)
    sum = node.create<graph::DivOp>(sum,
                                    node.scalarLike(node.getNumInputs(), sum));
  node.result(0, sum);
}

void importMod(NodeBinder &node) {
  Value lhs = node.input(0), rhs = node.input(1);
  bool fmod = node.boolean("fmod", false);
  if (!node.ok())
    return;
  if (!fmod && node.getVersion() < 28 &&
      isa<FloatType>(getElementTypeOrSelf(lhs.getType())))
    node.invalid("floats need the attribute fmod = 1");
  node.result(0, node.create<graph::ModOp>(lhs, rhs, fmod));
}

/// The type in which a power of mixed element types is computed so that its
/// value in the base's type is exact.
Type getPowerType(Type base, Type exponent, Builder &builder) {
  if (isa<FloatType>(base) && !isa<FloatType>(exponent))
    return base;
  if (!isa<FloatType>(base) && isa<FloatType>(exponent))
    return builder.getF64Type();
  return base.getIntOrFloatBitWidth() < exponent.getIntOrFloatBitWidth()
             ? exponent
             : base;
}

void importPow(NodeBinder &node) {
  Value base = node.input(0), exponent = node.input(1);
  if (!node.ok())
    return;
  Type baseType = getElementTypeOrSelf(base.getType());
  Type exponentType = getElementTypeOrSelf(exponent.getType());
  if (baseType != exponentType) {
    if (!baseType.isIntOrFloat() || !exponentType.isIntOrFloat())
      return node.unsupported("powers of a type that is not a number");
    Type type = getPowerType(baseType, exponentType, node.getBuilder());
    base = node.cast(base, type);
    exponent = node.cast(exponent, type);
  }
  Value power = node.create<graph::PowOp>(base, exponent);
  node.result(0, node.cast(power, baseType));
}

void importBitShift(NodeBinder &node) {
  Value lhs = node.input(0), rhs = node.input(1);
  bool left =
      node.choice<bool>("direction", "", {{"LEFT", true}, {"RIGHT", false}});
  node.result(0, left ? node.create<graph::ShiftLeftOp>(lhs, rhs)
                      : node.create<graph::ShiftRightOp>(lhs, rhs));
}

void importWhere(NodeBinder &node) {
  Value condition = node.input(0), onTrue = node.input(1),
        onFalse = node.input(2);
  node.result(0, node.create<graph::SelectOp>(condition, onTrue, onFalse));
}

/// Of integers the integer part.
void importErf(NodeBinder &node) {
  Value x = node.input(0);
  if (!node.ok())
    return;
  Type type = getElementTypeOrSelf(x.getType());
  if (!isa<FloatType>(type))
    x = node.cast(x, node.getBuilder().getF32Type());
  node.result(0, node.cast(node.create<graph::ErfOp>(x), type));
}

/// `x`, a float of 8 bits in a type that is computed with.
Value widenNarrow(NodeBinder &node, Value x) {
  if (!node.ok())
    return x;
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(x.getType()));
  if (!type || type.getWidth() > 8)
    return x;
  return node.cast(x, node.getBuilder().getF32Type());
}

void importIsNaN(NodeBinder &node) {
  Value x = node.input(0);
  node.result(0, node.create<graph::IsNanOp>(widenNarrow(node, x)));
}

void importIsInf(NodeBinder &node) {
  Value x = widenNarrow(node, node.input(0));
  bool negative = node.boolean("detect_negative", true);
  bool positive = node.boolean("detect_positive", true);
  node.result(0, node.create<graph::IsInfOp>(x, negative, positive));
}

Value castTo(NodeBinder &node, Value x, Type type) {
  bool saturate = node.boolean("saturate", true);
  // Only matters for float8e8m0, which is not among our types.
  node.ignore({"round_mode"});
  if (!node.ok())
    return {};
  Type from = getElementTypeOrSelf(x.getType());
  if (isa<graph::StringType>(from) || isa<graph::StringType>(type)) {
    node.unsupported("conversion of strings");
    return {};
  }
  if (from == type)
    return x;
  return node.create<graph::CastOp>(x, type, saturate && saturates(type));
}

void importCast(NodeBinder &node) {
  Value x = node.input(0);
  int64_t to = node.requiredInteger("to");
  if (!node.ok())
    return;
  Type type = getElementType(node.getContext(), static_cast<int>(to));
  if (!type)
    return node.unsupported("conversion to element type " + Twine(to));
  node.result(0, castTo(node, x, type));
}

void importCastLike(NodeBinder &node) {
  Value x = node.input(0), like = node.input(1);
  if (node.ok())
    node.result(0, castTo(node, x, getElementTypeOrSelf(like.getType())));
}

void registerUnary(OpTable &table) {
  table.on("Abs", {6, 13}, importUnary<graph::AbsOp>);
  table.on("Acos", {7, 22}, importUnary<graph::AcosOp>);
  table.on("Acosh", {9, 22}, importUnary<graph::AcoshOp>);
  table.on("Asin", {7, 22}, importUnary<graph::AsinOp>);
  table.on("Asinh", {9, 22}, importUnary<graph::AsinhOp>);
  table.on("Atan", {7, 22}, importUnary<graph::AtanOp>);
  table.on("Atanh", {9, 22}, importUnary<graph::AtanhOp>);
  table.on("BitwiseNot", {18}, importUnary<graph::BitNotOp>);
  table.on("Ceil", {6, 13}, importUnary<graph::CeilOp>);
  table.on("Cos", {7, 22}, importUnary<graph::CosOp>);
  table.on("Cosh", {9, 22}, importUnary<graph::CoshOp>);
  table.on("Erf", {9, 13}, importErf);
  table.on("Exp", {6, 13}, importUnary<graph::ExpOp>);
  table.on("Floor", {6, 13}, importUnary<graph::FloorOp>);
  table.on("IsInf", {10, 20}, importIsInf);
  table.on("IsNaN", {9, 13, 20}, importIsNaN);
  table.on("Log", {6, 13}, importUnary<graph::LogOp>);
  table.on("Neg", {6, 13}, importUnary<graph::NegOp>);
  table.on("Not", {1}, importUnary<graph::NotOp>);
  table.on("Reciprocal", {6, 13}, importUnary<graph::ReciprocalOp>);
  table.on("Round", {11, 22}, importUnary<graph::RoundOp>);
  table.on("Sign", {9, 13}, importUnary<graph::SignOp>);
  table.on("Sin", {7, 22}, importUnary<graph::SinOp>);
  table.on("Sinh", {9, 22}, importUnary<graph::SinhOp>);
  table.on("Sqrt", {6, 13}, importUnary<graph::SqrtOp>);
  table.on("Tan", {7, 22}, importUnary<graph::TanOp>);
  table.on("Tanh", {6, 13}, importUnary<graph::TanhOp>);
}

void registerBinary(OpTable &table) {
  table.on("Add", {7, 13, 14}, importBinary<graph::AddOp>);
  table.on("And", {7}, importBinary<graph::AndOp>);
  table.on("BitShift", {11, 28}, importBitShift);
  table.on("BitwiseAnd", {18}, importBinary<graph::BitAndOp>);
  table.on("BitwiseOr", {18}, importBinary<graph::BitOrOp>);
  table.on("BitwiseXor", {18}, importBinary<graph::BitXorOp>);
  table.on("Div", {7, 13, 14}, importBinary<graph::DivOp>);
  table.on("Equal", {7, 11, 13, 19}, importCompare<ComparePredicate::eq>);
  table.on("Greater", {7, 9, 13}, importCompare<ComparePredicate::gt>);
  table.on("GreaterOrEqual", {12, 16}, importCompare<ComparePredicate::ge>);
  table.on("Less", {7, 9, 13}, importCompare<ComparePredicate::lt>);
  table.on("LessOrEqual", {12, 16}, importCompare<ComparePredicate::le>);
  table.on("Mod", {10, 13, 28}, importMod);
  table.on("Mul", {7, 13, 14}, importBinary<graph::MulOp>);
  table.on("Or", {7}, importBinary<graph::OrOp>);
  table.on("Pow", {7, 12, 13, 15}, importPow);
  table.on("Sub", {7, 13, 14}, importBinary<graph::SubOp>);
  table.on("Xor", {7}, importBinary<graph::XorOp>);
}

} // namespace

void registerElementwiseOps(OpTable &table) {
  registerUnary(table);
  registerBinary(table);
  table.on("Cast", {6, 9, 13, 19, 21, 23, 24, 25, 28}, importCast);
  table.on("CastLike", {15, 19, 21, 23, 24, 25}, importCastLike);
  table.on("Max", {6, 8, 12, 13}, importVariadic<graph::MaxOp>);
  table.on("Mean", {6, 8, 13}, importMean);
  table.on("Min", {6, 8, 12, 13}, importVariadic<graph::MinOp>);
  table.on("Sum", {6, 8, 13}, importVariadic<graph::AddOp>);
  table.on("Where", {9, 16}, importWhere);
}

} // namespace mlir::atc::onnx
