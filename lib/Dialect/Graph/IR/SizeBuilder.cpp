// Index values of size expressions.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::atc::graph;

void SizeBuilder::reuse(SizeExpr size, Value value) {
  if (const SizePolynomial *polynomial = size.getPolynomial())
    values.try_emplace(polynomial, value);
  else
    constants.try_emplace(*size.getConstant(), value);
}

OpFoldResult SizeBuilder::build(SizeExpr size) {
  if (std::optional<int64_t> number = size.getConstant())
    return builder.getIndexAttr(*number);
  return buildValue(size);
}

Value SizeBuilder::buildConstant(int64_t number) {
  Value &value = constants[number];
  if (!value)
    value = arith::ConstantIndexOp::create(builder, loc, number);
  return value;
}

Value SizeBuilder::buildValue(SizeExpr size) {
  if (std::optional<int64_t> number = size.getConstant())
    return buildConstant(*number);
  const SizePolynomial *polynomial = size.getPolynomial();
  if (Value value = values.lookup(polynomial))
    return value;
  Value sum;
  for (const SizeTerm &term : polynomial->terms) {
    Value product;
    for (unsigned number : term.atoms) {
      Value atom = buildAtom(*polynomial->context, number);
      product = product
                    ? Value(arith::MulIOp::create(builder, loc, product, atom))
                    : atom;
    }
    if (!product)
      product = buildConstant(term.coefficient);
    else if (term.coefficient != 1)
      product = arith::MulIOp::create(builder, loc, product,
                                      buildConstant(term.coefficient));
    sum = sum ? Value(arith::AddIOp::create(builder, loc, sum, product))
              : product;
  }
  return values[polynomial] = sum;
}

Value SizeBuilder::buildAtom(const SizeContext &context, unsigned number) {
  if (Value value = atomValues.lookup(number))
    return value;
  const SizeAtom &atom = context.getAtom(number);
  auto operation = [&](auto create) -> Value {
    Value lhs = buildValue(atom.lhs), rhs = buildValue(atom.rhs);
    return create(lhs, rhs);
  };
  Value value;
  switch (atom.kind) {
  case SizeAtomKind::InputDim:
    value = makeDim(atom.argument, atom.axis);
    break;
  case SizeAtomKind::FloorDiv:
    value = operation([&](Value lhs, Value rhs) -> Value {
      return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    });
    break;
  case SizeAtomKind::CeilDiv:
    value = operation([&](Value lhs, Value rhs) -> Value {
      return arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
    });
    break;
  case SizeAtomKind::Min:
    value = operation([&](Value lhs, Value rhs) -> Value {
      return arith::MinSIOp::create(builder, loc, lhs, rhs);
    });
    break;
  case SizeAtomKind::Max:
    value = operation([&](Value lhs, Value rhs) -> Value {
      return arith::MaxSIOp::create(builder, loc, lhs, rhs);
    });
    break;
  case SizeAtomKind::Broadcast:
    value = operation([&](Value lhs, Value rhs) -> Value {
      Value isOne = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, lhs, buildConstant(1));
      return arith::SelectOp::create(builder, loc, isOne, rhs, lhs);
    });
    break;
  case SizeAtomKind::Sum:
    value = operation([&](Value lhs, Value rhs) -> Value {
      return arith::AddIOp::create(builder, loc, lhs, rhs);
    });
    break;
  case SizeAtomKind::Product:
    value = operation([&](Value lhs, Value rhs) -> Value {
      return arith::MulIOp::create(builder, loc, lhs, rhs);
    });
    break;
  case SizeAtomKind::Value:
    value = atom.value;
    break;
  case SizeAtomKind::Unknown:
    llvm_unreachable("a size that depends on data has no expression");
  }
  return atomValues[number] = value;
}
