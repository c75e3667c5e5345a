// The expressions of one function's sizes, each stored once.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace mlir::atc::graph;

using Terms = SmallVector<SizeTerm, 2>;

struct SizeContext::Tables {
  /// A constant, or the number of a polynomial.
  using Operand = std::pair<int64_t, unsigned>;

  std::map<Terms, std::unique_ptr<SizePolynomial>> polynomials;
  std::map<std::tuple<SizeAtomKind, Operand, Operand>, unsigned> operations;
  std::map<std::pair<unsigned, unsigned>, unsigned> dims;
  llvm::StringMap<unsigned> namedDims;
  DenseMap<Value, SizeExpr> values;

  static Operand key(SizeExpr size) {
    const SizePolynomial *polynomial = size.getPolynomial();
    return {size.getConstant().value_or(0),
            polynomial ? polynomial->number : 0};
  }
};

SizeContext::SizeContext(func::FuncOp function)
    : function(function), tables(std::make_unique<Tables>()) {}

SizeContext::~SizeContext() = default;

SizeContext *SizeContext::of(SizeExpr lhs, SizeExpr rhs) {
  if (const SizePolynomial *polynomial = lhs.getPolynomial())
    return polynomial->context;
  const SizePolynomial *polynomial = rhs.getPolynomial();
  return polynomial ? polynomial->context : nullptr;
}

static bool isNonNegativeAtom(const SizeAtom &atom) {
  switch (atom.kind) {
  case SizeAtomKind::InputDim:
  case SizeAtomKind::Unknown:
    return true;
  case SizeAtomKind::Max:
    return atom.lhs.isNonNegative() || atom.rhs.isNonNegative();
  case SizeAtomKind::FloorDiv:
  case SizeAtomKind::CeilDiv:
  case SizeAtomKind::Min:
  case SizeAtomKind::Broadcast:
  case SizeAtomKind::Sum:
  case SizeAtomKind::Product:
    return atom.lhs.isNonNegative() && atom.rhs.isNonNegative();
  case SizeAtomKind::Value:
    return false;
  }
  llvm_unreachable("covered kinds");
}

SizePolynomial SizeContext::describe(Terms terms) {
  SizePolynomial result{this, static_cast<unsigned>(tables->polynomials.size()),
                        {},   /*isKnown=*/true,
                        true, /*depth=*/0};
  for (const SizeTerm &term : terms) {
    result.isNonNegative &= term.coefficient > 0;
    for (unsigned number : term.atoms) {
      const SizeAtom &atom = getAtom(number);
      result.isKnown &= atom.kind != SizeAtomKind::Unknown &&
                        atom.lhs.isKnown() && atom.rhs.isKnown();
      result.isNonNegative &= isNonNegativeAtom(atom);
      result.depth = std::max(
          {result.depth, atom.lhs.getDepth() + 1, atom.rhs.getDepth() + 1});
    }
  }
  result.terms = std::move(terms);
  return result;
}

SizeExpr SizeContext::intern(Terms terms) {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms[0].atoms.empty())
    return terms[0].coefficient;
  std::unique_ptr<SizePolynomial> &entry = tables->polynomials[terms];
  if (!entry)
    entry = std::make_unique<SizePolynomial>(describe(std::move(terms)));
  return SizeExpr(*entry);
}

SizeExpr SizeContext::getAtom(SizeAtom atom) {
  atoms.push_back(std::move(atom));
  return intern({SizeTerm{1, {static_cast<unsigned>(atoms.size() - 1)}}});
}

SizeExpr SizeContext::combine(SizeAtomKind kind, SizeExpr lhs, SizeExpr rhs) {
  SizeContext *context = of(lhs, rhs);
  if (std::max(lhs.getDepth(), rhs.getDepth()) >= SizeExpr::maxDepth)
    return context->createUnknown();
  auto [entry, isNew] = context->tables->operations.try_emplace(
      {kind, Tables::key(lhs), Tables::key(rhs)}, context->atoms.size());
  if (!isNew)
    return context->intern({SizeTerm{1, {entry->second}}});
  return context->getAtom({kind, 0, 0, lhs, rhs, {}});
}

SizeExpr SizeContext::createUnknown() {
  return getAtom(SizeAtom{SizeAtomKind::Unknown, 0, 0, 0, 0, {}});
}

SizeExpr SizeContext::getDim(BlockArgument input, unsigned axis) {
  auto type = cast<RankedTensorType>(input.getType());
  if (!type.isDynamicDim(axis))
    return type.getDimSize(axis);
  unsigned argument = input.getArgNumber();
  auto names = function.getArgAttrOfType<ArrayAttr>(
      argument, GraphDialect::getDimsAttrName());
  StringRef name;
  if (names && axis < names.size())
    if (auto text = dyn_cast<StringAttr>(names[axis]))
      name = text.getValue();
  unsigned next = atoms.size();
  unsigned number =
      name.empty()
          ? tables->dims.try_emplace({argument, axis}, next).first->second
          : tables->namedDims.try_emplace(name, next).first->second;
  if (number == next)
    return getAtom({SizeAtomKind::InputDim, argument, axis, 0, 0, {}});
  return intern({SizeTerm{1, {number}}});
}

/// `select(lhs == 1, rhs, lhs)`, which SizeBuilder makes for a broadcast.
static bool isBroadcast(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         compare.getLhs() == select.getFalseValue() &&
         matchPattern(compare.getRhs(), m_One());
}

SizeExpr SizeContext::fromArithmetic(Value index) {
  Operation *op = index.getDefiningOp();
  auto operand = [&](unsigned number) {
    return fromValue(op->getOperand(number));
  };
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  if (!op)
    return getAtom({SizeAtomKind::Value, 0, 0, 0, 0, index});
  return TypeSwitch<Operation *, SizeExpr>(op)
      .Case([&](DimOp dim) -> SizeExpr {
        auto input = dyn_cast<BlockArgument>(dim.getX());
        if (input && input.getOwner()->getParentOp() == function)
          return getDim(input, dim.getAxis());
        return getAtom({SizeAtomKind::Value, 0, 0, 0, 0, index});
      })
      .Case([&](arith::AddIOp) { return operand(0) + operand(1); })
      .Case([&](arith::SubIOp) { return operand(0) - operand(1); })
      .Case([&](arith::MulIOp) { return operand(0) * operand(1); })
      .Case(
          [&](arith::FloorDivSIOp) { return operand(0).floorDiv(operand(1)); })
      .Case([&](arith::CeilDivSIOp) { return operand(0).ceilDiv(operand(1)); })
      .Case([&](arith::MinSIOp) { return operand(0).min(operand(1)); })
      .Case([&](arith::MaxSIOp) { return operand(0).max(operand(1)); })
      .Case([&](arith::SelectOp select) {
        if (isBroadcast(select))
          return operand(2).broadcast(operand(1));
        return getAtom({SizeAtomKind::Value, 0, 0, 0, 0, index});
      })
      .Default([&](Operation *) {
        return getAtom({SizeAtomKind::Value, 0, 0, 0, 0, index});
      });
}

SizeExpr SizeContext::fromValue(Value index) {
  if (auto found = tables->values.find(index); found != tables->values.end())
    return found->second;
  SizeExpr size = fromArithmetic(index);
  tables->values[index] = size;
  return size;
}

SizeExpr SizeContext::evaluate(AffineExpr expr, ArrayRef<SizeExpr> symbols) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SizeExpr lhs = evaluate(binary.getLHS(), symbols);
  SizeExpr rhs = evaluate(binary.getRHS(), symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return lhs.floorDiv(rhs);
  case AffineExprKind::CeilDiv:
    return lhs.ceilDiv(rhs);
  case AffineExprKind::Mod:
    return lhs - lhs.floorDiv(rhs) * rhs;
  default:
    llvm_unreachable("covered kinds");
  }
}
