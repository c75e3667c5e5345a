// Replaces math that the processor lacks by what it has.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/FloatMath.h"
#include "atc/Codegen/Cpu/KernelImports.h"
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "atc/Codegen/Cpu/Passes.h"
#include "atc/Codegen/Cpu/ScalarExpansion.h"
#include "atc/Dialect/Graph/IR/Saturation.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::atc::cpu {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "atc/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::atc::cpu

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

namespace {

/// Calls of functions that the kernel's context brings.
class Imports {
public:
  Imports(ModuleOp module) : module(module), symbols(module) {}

  /// Calls the scalar function `name` for each lane of `args`, which are
  /// scalars or vectors of one dim.
  Value call(OpBuilder &builder, Location loc, StringRef name, Type type,
             ValueRange args) {
    func::FuncOp function =
        getOrDeclare(name, getElementTypeOrSelf(type), args.size());
    auto callScalar = [&](ValueRange scalars) {
      return func::CallOp::create(builder, loc, function, scalars).getResult(0);
    };
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return callScalar(args);
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      SmallVector<Value, 2> scalars;
      for (Value arg : args)
        scalars.push_back(vector::ExtractOp::create(builder, loc, arg, lane));
      lanes.push_back(callScalar(scalars));
    }
    return vector::FromElementsOp::create(builder, loc, vector, lanes);
  }

private:
  func::FuncOp getOrDeclare(StringRef name, Type scalar, unsigned arity) {
    std::string symbol = (importPrefix + name).str();
    if (auto function = symbols.lookup<func::FuncOp>(symbol))
      return function;
    SmallVector<Type> inputs(arity, scalar);
    auto builder = OpBuilder::atBlockEnd(module.getBody());
    auto function =
        func::FuncOp::create(builder, module.getLoc(), symbol,
                             builder.getFunctionType(inputs, {scalar}));
    function.setPrivate();
    symbols.insert(function);
    return function;
  }

  ModuleOp module;
  SymbolTable symbols;
};

class Expansion {
public:
  Expansion(IRRewriter &rewriter, Imports &imports, bool saturates)
      : rewriter(rewriter), imports(imports), saturates(saturates) {}

  /// The value that replaces the op's result; null to keep the op.
  Value expand(Operation *op);

private:
  Value expandConversion(Operation *op);
  Value clampAndNarrow(Operation *op, Value source);
  Value expandNarrowConversion(Operation *op);
  Value expandFunction(Operation *op, Type type, ValueRange args);
  Value expandF32(Operation *op, Type type, ValueRange args);
  Value expandF64(Operation *op, Type type, ValueRange args);
  Value expandPower(Type type, ValueRange args);
  Value splat(Location loc, Type type, double value);

  IRRewriter &rewriter;
  Imports &imports;
  bool saturates;
};

} // namespace

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Value Expansion::splat(Location loc, Type type, double value) {
  TypedAttr attr = rewriter.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(rewriter, loc, attr);
}

/// Narrows to float16, finite numbers to finite numbers. Comparisons are false
/// for NaN, which stays.
Value Expansion::clampAndNarrow(Operation *op, Value source) {
  Location loc = op->getLoc();
  Type type = source.getType();
  auto select = [&](arith::CmpFPredicate predicate, Value lhs, double bound) {
    Value number = splat(loc, type, bound);
    Value holds = arith::CmpFOp::create(rewriter, loc, predicate, lhs, number);
    return std::pair(holds, number);
  };
  constexpr double largest = 65504.0;
  auto [above, high] = select(arith::CmpFPredicate::OGT, source, largest);
  Value bounded = arith::SelectOp::create(rewriter, loc, above, high, source);
  auto [below, low] = select(arith::CmpFPredicate::OLT, bounded, -largest);
  bounded = arith::SelectOp::create(rewriter, loc, below, low, bounded);
  Value size = math::AbsFOp::create(rewriter, loc, source);
  auto [isInfinite, infinity] = select(arith::CmpFPredicate::OEQ, size,
                                       std::numeric_limits<double>::infinity());
  bounded = arith::SelectOp::create(rewriter, loc, isInfinite, source, bounded);
  return arith::TruncFOp::create(rewriter, loc, op->getResult(0).getType(),
                                 bounded);
}

/// Conversions from or to floats of at most 8 bits, by way of f32.
Value Expansion::expandNarrowConversion(Operation *op) {
  Location loc = op->getLoc();
  Value source = op->getOperand(0);
  Type from = getElementTypeOrSelf(source.getType());
  auto to = cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  Type f32 = withElement(source.getType(), rewriter.getF32Type());
  if (isNarrowFloat(from))
    source = expandFromNarrow(rewriter, loc, source);
  else if (from.isF64())
    source = expandF64ToOddF32(rewriter, loc, source);
  else if (from.isBF16())
    source = expandFromBf16(rewriter, loc, source);
  else if (from.isF16())
    source = arith::ExtFOp::create(rewriter, loc, f32, source);
  if (isNarrowFloat(to))
    return expandToNarrow(rewriter, loc, source, to);
  if (to.isBF16())
    return expandToBf16(rewriter, loc, source);
  Type type = op->getResult(0).getType();
  if (to.isF16())
    return arith::TruncFOp::create(rewriter, loc, type, source);
  if (to.isF64())
    return arith::ExtFOp::create(rewriter, loc, type, source);
  return source;
}

Value Expansion::expandConversion(Operation *op) {
  Location loc = op->getLoc();
  Value source = op->getOperand(0);
  Type from = getElementTypeOrSelf(source.getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (isNarrowFloat(from) || isNarrowFloat(to))
    return expandNarrowConversion(op);
  Type viaF32 = withElement(source.getType(), rewriter.getF32Type());
  if (isa<arith::ExtFOp>(op)) {
    if (from.isBF16()) {
      Value wide = expandFromBf16(rewriter, loc, source);
      return to.isF32() ? wide
                        : arith::ExtFOp::create(
                              rewriter, loc, op->getResult(0).getType(), wide);
    }
    if (!from.isF16() || !to.isF64())
      return {};
    Value wide = arith::ExtFOp::create(rewriter, loc, viaF32, source);
    return arith::ExtFOp::create(rewriter, loc, op->getResult(0).getType(),
                                 wide);
  }
  // arith.truncf
  if (saturates && to.isF16() && from.isF32())
    return clampAndNarrow(op, source);
  if (!to.isBF16() && !(to.isF16() && from.isF64()))
    return {};
  if (from.isF64())
    source = expandF64ToOddF32(rewriter, loc, source);
  if (to.isBF16())
    return expandToBf16(rewriter, loc, source);
  return arith::TruncFOp::create(rewriter, loc, op->getResult(0).getType(),
                                 source);
}

Value Expansion::expandPower(Type type, ValueRange args) {
  Location loc = args[0].getLoc();
  // Exponents that models use for squares, cubes and reciprocals.
  if (Attribute attr; matchPattern(args[1], m_Constant(&attr))) {
    if (auto elements = dyn_cast<DenseElementsAttr>(attr))
      attr = elements.isSplat() ? elements.getSplatValue<Attribute>() : nullptr;
    auto exponent = dyn_cast_if_present<FloatAttr>(attr);
    double value = exponent ? exponent.getValueAsDouble() : 0;
    Value x = args[0];
    if (value == 1)
      return x;
    if (value == 2 || value == 3) {
      Value power = arith::MulFOp::create(rewriter, loc, x, x);
      return value == 2 ? power
                        : arith::MulFOp::create(rewriter, loc, power, x);
    }
    if (value == -1)
      return arith::DivFOp::create(rewriter, loc, splat(loc, type, 1), x);
  }
  bool isSingle = getElementTypeOrSelf(type).isF32();
  return imports.call(rewriter, loc, isSingle ? "powf" : "pow", type, args);
}

Value Expansion::expandF32(Operation *op, Type type, ValueRange args) {
  Location loc = op->getLoc();
  FloatMath math(rewriter, loc, type);
  auto import = [&](StringRef name) {
    return imports.call(rewriter, loc, name, type, args);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp exp) {
        bool flush = arith::bitEnumContainsAny(exp.getFastmath(),
                                               arith::FastMathFlags::afn);
        return math.exp(args[0], flush);
      })
      .Case([&](math::Exp2Op) { return math.exp2(args[0]); })
      .Case([&](math::ExpM1Op) { return math.expm1(args[0]); })
      .Case([&](math::LogOp) { return math.log(args[0]); })
      .Case([&](math::Log2Op) { return math.log2(args[0]); })
      .Case([&](math::Log10Op) { return math.log10(args[0]); })
      .Case([&](math::Log1pOp) { return math.log1p(args[0]); })
      .Case([&](math::TanhOp) { return math.tanh(args[0]); })
      .Case([&](math::SinhOp) { return math.sinh(args[0]); })
      .Case([&](math::CoshOp) { return math.cosh(args[0]); })
      .Case([&](math::ErfOp) { return math.erf(args[0]); })
      .Case([&](math::SinOp) { return import("sinf"); })
      .Case([&](math::CosOp) { return import("cosf"); })
      .Case([&](math::TanOp) { return import("tanf"); })
      .Case([&](math::AsinOp) { return import("asinf"); })
      .Case([&](math::AcosOp) { return import("acosf"); })
      .Case([&](math::AtanOp) { return import("atanf"); })
      .Case([&](math::AsinhOp) { return import("asinhf"); })
      .Case([&](math::AcoshOp) { return import("acoshf"); })
      .Case([&](math::AtanhOp) { return import("atanhf"); })
      .Case([&](arith::RemFOp) { return import("fmodf"); })
      .Case([&](math::PowFOp) { return expandPower(type, args); })
      .Default(Value());
}

Value Expansion::expandF64(Operation *op, Type type, ValueRange args) {
  Location loc = op->getLoc();
  auto import = [&](StringRef name, ValueRange args) {
    return imports.call(rewriter, loc, name, type, args);
  };
  auto scaledLog = [&](double factor) -> Value {
    return arith::MulFOp::create(rewriter, loc, import("log", args),
                                 splat(loc, type, factor));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::Exp2Op) {
        return import("pow", {splat(loc, type, 2), args[0]});
      })
      .Case([&](math::ExpM1Op) {
        // e^x - 1 = (e^x + 1) tanh(x / 2), without cancellation; infinity and
        // large x by the difference itself.
        Value exp = import("exp", args), one = splat(loc, type, 1);
        Value half = arith::MulFOp::create(rewriter, loc, args[0],
                                           splat(loc, type, 0.5));
        Value product = arith::MulFOp::create(
            rewriter, loc, arith::AddFOp::create(rewriter, loc, exp, one),
            import("tanh", half));
        Value difference = arith::SubFOp::create(rewriter, loc, exp, one);
        Value small = arith::CmpFOp::create(
            rewriter, loc, arith::CmpFPredicate::OLT,
            math::AbsFOp::create(rewriter, loc, args[0]), one);
        return arith::SelectOp::create(rewriter, loc, small, product,
                                       difference)
            .getResult();
      })
      .Case([&](math::Log2Op) { return scaledLog(1.4426950408889634); })
      .Case([&](math::Log10Op) { return scaledLog(0.4342944819032518); })
      .Case([&](math::Log1pOp) {
        // log(1 + x) = 2 atanh(x / (2 + x)), exact for small x.
        Value two = splat(loc, type, 2), one = splat(loc, type, 1);
        Value ratio = arith::DivFOp::create(
            rewriter, loc, args[0],
            arith::AddFOp::create(rewriter, loc, args[0], two));
        Value series =
            arith::MulFOp::create(rewriter, loc, import("atanh", ratio), two);
        Value plain =
            import("log", {arith::AddFOp::create(rewriter, loc, args[0], one)});
        Value small =
            arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT,
                                  math::AbsFOp::create(rewriter, loc, args[0]),
                                  splat(loc, type, 0.5));
        return arith::SelectOp::create(rewriter, loc, small, series, plain)
            .getResult();
      })
      .Case([&](math::PowFOp) { return expandPower(type, args); })
      .Case([&](arith::RemFOp) { return import("fmod", args); })
      .Case<math::ExpOp, math::LogOp, math::TanhOp, math::SinhOp, math::CoshOp,
            math::ErfOp, math::SinOp, math::CosOp, math::TanOp, math::AsinOp,
            math::AcosOp, math::AtanOp, math::AsinhOp, math::AcoshOp,
            math::AtanhOp, math::Atan2Op>([&](Operation *function) {
        // "math.exp" -> "exp"
        return import(function->getName().stripDialect(), args);
      })
      .Default(Value());
}

Value Expansion::expandFunction(Operation *op, Type type, ValueRange args) {
  Location loc = op->getLoc();
  if (isa<math::RoundOp>(op))
    return expandRound(rewriter, loc, args[0]);
  if (isa<math::RsqrtOp>(op))
    return arith::DivFOp::create(rewriter, loc, splat(loc, type, 1),
                                 math::SqrtOp::create(rewriter, loc, args[0]));
  if (getElementTypeOrSelf(type).isF32())
    return expandF32(op, type, args);
  return expandF64(op, type, args);
}

Value Expansion::expand(Operation *op) {
  Type type = op->getResult(0).getType();
  Type element = getElementTypeOrSelf(type);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return expandConversion(op);
  if (auto power = dyn_cast<math::IPowIOp>(op))
    return expandIntegerPower(rewriter, power);
  // Addresses are computed with divisors that are known not to be zero.
  if (isa<IntegerType>(element))
    return expandIntegerDivision(rewriter, op);
  if (!element.isF32() && !element.isF64())
    return {};
  return expandFunction(op, type, op->getOperands());
}

namespace {

struct ExpandMath : public cpu::impl::ExpandMathPassBase<ExpandMath> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    Imports imports(getOperation());
    bool saturates = getOperation()->hasAttr(graph::saturatesFloat16AttrName);
    Expansion expansion(rewriter, imports, saturates);
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() == 1 &&
          isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (Value value = expansion.expand(op))
        rewriter.replaceOp(op, value);
    }
  }
};

} // namespace
