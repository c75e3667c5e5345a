// Scalars of a program as registers of the runtime.
// SPDX-License-Identifier: Apache-2.0
#include "PlanScalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::PlanInt;
using ::atc::ScalarOp;

PlanInt PlanScalars::get(Value value) const {
  auto it = numbers.find(value);
  assert(it != numbers.end() && "a scalar is defined before its use");
  return it->second;
}

void PlanScalars::define(Value value, PlanInt number, bool isKnownEarly) {
  numbers.insert({value, number});
  if (isKnownEarly)
    early.insert(value);
}

uint32_t PlanScalars::defineRegister(Value value, bool isKnownEarly) {
  uint32_t index = registerCount++;
  define(value, PlanInt::reg(index), isKnownEarly);
  return index;
}

bool PlanScalars::areKnownEarly(Operation *op) const {
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return early.contains(operand); });
}

namespace {

/// An operation and the order of its operands.
struct ScalarForm {
  ScalarOp op;
  bool isSwapped = false;
};

std::optional<ScalarForm> getCompareForm(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return ScalarForm{ScalarOp::Equal};
  case arith::CmpIPredicate::ne:
    return ScalarForm{ScalarOp::NotEqual};
  case arith::CmpIPredicate::slt:
    return ScalarForm{ScalarOp::Less};
  case arith::CmpIPredicate::sle:
    return ScalarForm{ScalarOp::LessEqual};
  case arith::CmpIPredicate::sgt:
    return ScalarForm{ScalarOp::Less, /*isSwapped=*/true};
  case arith::CmpIPredicate::sge:
    return ScalarForm{ScalarOp::LessEqual, /*isSwapped=*/true};
  // The runtime's registers are signed.
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::uge:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ScalarForm> getForm(Operation *op) {
  return TypeSwitch<Operation *, std::optional<ScalarForm>>(op)
      .Case([](arith::AddIOp) { return ScalarForm{ScalarOp::Add}; })
      .Case([](arith::SubIOp) { return ScalarForm{ScalarOp::Subtract}; })
      .Case([](arith::MulIOp) { return ScalarForm{ScalarOp::Multiply}; })
      .Case(
          [](arith::FloorDivSIOp) { return ScalarForm{ScalarOp::FloorDivide}; })
      .Case([](arith::CeilDivSIOp) { return ScalarForm{ScalarOp::CeilDivide}; })
      .Case([](arith::MinSIOp) { return ScalarForm{ScalarOp::Minimum}; })
      .Case([](arith::MaxSIOp) { return ScalarForm{ScalarOp::Maximum}; })
      .Case([](arith::AndIOp) { return ScalarForm{ScalarOp::And}; })
      .Case([](arith::OrIOp) { return ScalarForm{ScalarOp::Or}; })
      .Case([](arith::SelectOp) { return ScalarForm{ScalarOp::Select}; })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [](auto) { return ScalarForm{ScalarOp::Move}; })
      .Case([](arith::CmpIOp compare) {
        return getCompareForm(compare.getPredicate());
      })
      .Case([](arith::XOrIOp xorOp) -> std::optional<ScalarForm> {
        // Of booleans only: with true it is a negation, else an inequality.
        if (!xorOp.getType().isInteger(1))
          return std::nullopt;
        return ScalarForm{matchPattern(xorOp.getRhs(), m_One())
                              ? ScalarOp::Not
                              : ScalarOp::NotEqual};
      })
      .Default(std::nullopt);
}

/// And and Or of numbers are bitwise in arith, logical in the runtime.
bool isBitwise(Operation *op) {
  return isa<arith::AndIOp, arith::OrIOp>(op) &&
         !op->getResult(0).getType().isInteger(1);
}

} // namespace

FailureOr<SmallVector<::atc::ScalarInstruction>>
PlanScalars::translate(Operation *op, bool isKnownEarly) {
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant))) {
    bool isBoolean = op->getResult(0).getType().isInteger(1);
    define(
        op->getResult(0),
        PlanInt(isBoolean ? constant.getZExtValue() : constant.getSExtValue()),
        /*isKnownEarly=*/true);
    return SmallVector<::atc::ScalarInstruction>();
  }
  std::optional<ScalarForm> form = getForm(op);
  if (!form || isBitwise(op))
    return op->emitOpError("has no counterpart among the runtime's scalar "
                           "operations");
  ::atc::ScalarInstruction instruction;
  instruction.op = form->op;
  PlanInt *slots[] = {&instruction.a, &instruction.b, &instruction.c};
  unsigned count = form->op == ScalarOp::Not ? 1 : op->getNumOperands();
  for (unsigned i = 0; i < count; ++i)
    *slots[i] = get(op->getOperand(i));
  if (form->isSwapped)
    std::swap(instruction.a, instruction.b);
  instruction.result = defineRegister(op->getResult(0), isKnownEarly);
  return SmallVector<::atc::ScalarInstruction>{instruction};
}
