// Emits instructions for structured control flow and index arithmetic.
// SPDX-License-Identifier: Apache-2.0
#include "ProgramEmitter.h"
#include "RegisterAllocation.h"
#include "atc/Dialect/Npu/IR/Npu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

namespace {

class ProgramEmitter {
public:
  explicit ProgramEmitter(const RegisterAllocation &registers)
      : registers(registers) {}

  LogicalResult emit(func::FuncOp function);

  std::vector<hw::Instruction> program;

private:
  template <typename Fields>
  void add(const Fields &fields) {
    program.push_back(hw::toInstruction(fields));
  }
  int32_t here() const { return static_cast<int32_t>(program.size()); }
  /// Makes the branch or jump at `index` lead to the next instruction.
  void bind(int32_t index) {
    unsigned target = program[index].opcode == hw::Opcode::Jump ? 0 : 2;
    program[index].operands[target] = here();
  }

  hw::Operand operandOf(Value value) const {
    if (std::optional<int32_t> immediate = getImmediate(value))
      return *immediate;
    return hw::Operand::reg(registers.getRegister(value));
  }
  hw::Operand resultOf(Value value) const {
    return hw::Operand::reg(registers.getRegister(value));
  }
  void move(hw::Operand to, hw::Operand from) {
    if (!(to == from))
      add(hw::Alu{hw::AluFunction::Add, to, from, 0});
  }
  void alu(hw::AluFunction function, Value result, Value a, Value b) {
    add(hw::Alu{function, resultOf(result), operandOf(a), operandOf(b)});
  }

  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation &op);
  LogicalResult emitLoop(scf::ForOp loop);
  LogicalResult emitBranch(scf::IfOp branch);
  LogicalResult moveYielded(Operation *yield, ValueRange targets);
  void emitConstant(arith::ConstantOp op);
  void emitCompare(arith::CmpIOp op);
  void emitAddress(AddressOp op);
  void emitInstruction(InstructionOpInterface op);

  const RegisterAllocation &registers;
};

/// The function of the scalar unit that an op of arith is. Index values are not
/// negative where their sign would matter (IndexBuilder).
std::optional<hw::AluFunction> aluFunctionOf(Operation &op) {
  using F = hw::AluFunction;
  return llvm::TypeSwitch<Operation *, std::optional<F>>(&op)
      .Case([](arith::AddIOp) { return F::Add; })
      .Case([](arith::SubIOp) { return F::Subtract; })
      .Case([](arith::MulIOp) { return F::Multiply; })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>(
          [](Operation *) { return F::Divide; })
      .Case([](arith::RemUIOp) { return F::Modulo; })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [](Operation *) { return F::Minimum; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [](Operation *) { return F::Maximum; })
      .Case([](arith::AndIOp) { return F::And; })
      .Case([](arith::OrIOp) { return F::Or; })
      .Case([](arith::XOrIOp) { return F::Xor; })
      .Case([](arith::ShLIOp) { return F::ShiftLeft; })
      .Case<arith::ShRSIOp, arith::ShRUIOp>(
          [](Operation *) { return F::ShiftRight; })
      .Default([](Operation *) { return std::nullopt; });
}

void ProgramEmitter::emitConstant(arith::ConstantOp op) {
  APInt constant;
  if (getImmediate(op) ||
      !matchPattern(op.getResult(), m_ConstantInt(&constant)))
    return;
  uint64_t bits = constant.getSExtValue();
  add(hw::MoveImmediate{resultOf(op), static_cast<int32_t>(bits),
                        static_cast<int32_t>(bits >> 32)});
}

void ProgramEmitter::emitCompare(arith::CmpIOp op) {
  using F = hw::AluFunction;
  using P = arith::CmpIPredicate;
  Value a = op.getLhs(), b = op.getRhs();
  switch (op.getPredicate()) {
  case P::eq:
    return alu(F::Equal, op, a, b);
  case P::ne:
    return alu(F::NotEqual, op, a, b);
  case P::slt:
  case P::ult:
    return alu(F::Less, op, a, b);
  case P::sle:
  case P::ule:
    return alu(F::LessEqual, op, a, b);
  case P::sgt:
  case P::ugt:
    return alu(F::Less, op, b, a);
  case P::sge:
  case P::uge:
    return alu(F::LessEqual, op, b, a);
  }
}

void ProgramEmitter::emitAddress(AddressOp op) {
  // Buffers of the core have become arithmetic.
  alu(hw::AluFunction::Add, op, op.getBuffer(), op.getOffset());
}

void ProgramEmitter::emitInstruction(InstructionOpInterface op) {
  hw::Instruction instruction;
  instruction.opcode = op.getOpcode();
  for (auto [i, value] : llvm::enumerate(op.getModifierValues()))
    instruction.modifiers[i] = value;
  for (auto [i, value] : llvm::enumerate(op.getOperation()->getOperands()))
    instruction.operands[i] = operandOf(value);
  program.push_back(instruction);
}

LogicalResult ProgramEmitter::moveYielded(Operation *yield,
                                          ValueRange targets) {
  // Moves happen at once: a value that a target's register holds must be read
  // before the target is written.
  SmallVector<std::pair<hw::Operand, hw::Operand>> moves;
  for (auto [target, value] : llvm::zip_equal(targets, yield->getOperands())) {
    std::pair<hw::Operand, hw::Operand> entry(resultOf(target),
                                              operandOf(value));
    if (!(entry.first == entry.second))
      moves.push_back(entry);
  }
  while (!moves.empty()) {
    auto free = llvm::find_if(moves, [&](const auto &candidate) {
      return llvm::none_of(moves, [&](const auto &other) {
        return other.second == candidate.first;
      });
    });
    if (free != moves.end()) {
      move(free->first, free->second);
      moves.erase(free);
      continue;
    }
    // Only cycles are left: one value waits in a scratch register.
    hw::Operand scratch = hw::Operand::reg(RegisterAllocation::getScratch(0));
    hw::Operand waiting = moves.front().second;
    move(scratch, waiting);
    for (auto &entry : moves)
      if (entry.second == waiting)
        entry.second = scratch;
  }
  return success();
}

LogicalResult ProgramEmitter::emitLoop(scf::ForOp loop) {
  hw::Operand counter = resultOf(loop.getInductionVar());
  hw::Operand end = operandOf(loop.getUpperBound());
  move(counter, operandOf(loop.getLowerBound()));
  for (auto [argument, init] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    move(resultOf(argument), operandOf(init));
  int32_t skip = here();
  std::optional<int32_t> first = getImmediate(loop.getLowerBound());
  std::optional<int32_t> last = getImmediate(loop.getUpperBound());
  bool mayBeEmpty = !first || !last || *first >= *last;
  if (mayBeEmpty)
    add(hw::Branch{hw::Condition::GreaterEqual, counter, end, 0});
  int32_t start = here();
  if (failed(emitBlock(*loop.getBody())) ||
      failed(moveYielded(loop.getBody()->getTerminator(),
                         loop.getRegionIterArgs())))
    return failure();
  add(hw::Alu{hw::AluFunction::Add, counter, counter,
              operandOf(loop.getStep())});
  add(hw::Branch{hw::Condition::Less, counter, end, start});
  if (mayBeEmpty)
    bind(skip);
  return success();
}

LogicalResult ProgramEmitter::emitBranch(scf::IfOp branch) {
  int32_t toElse = here();
  add(hw::Branch{hw::Condition::Equal, operandOf(branch.getCondition()), 0, 0});
  if (failed(emitBlock(*branch.thenBlock())) ||
      failed(moveYielded(branch.thenYield(), branch.getResults())))
    return failure();
  if (!branch.elseBlock()) {
    bind(toElse);
    return success();
  }
  int32_t toEnd = here();
  add(hw::Jump{0});
  bind(toElse);
  if (failed(emitBlock(*branch.elseBlock())) ||
      failed(moveYielded(branch.elseYield(), branch.getResults())))
    return failure();
  bind(toEnd);
  return success();
}

LogicalResult ProgramEmitter::emitOp(Operation &op) {
  if (std::optional<hw::AluFunction> function = aluFunctionOf(op)) {
    alu(*function, op.getResult(0), op.getOperand(0), op.getOperand(1));
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::ConstantOp constant) {
        emitConstant(constant);
        return success();
      })
      .Case([&](arith::CmpIOp compare) {
        emitCompare(compare);
        return success();
      })
      .Case([&](arith::SelectOp select) {
        add(hw::Select{resultOf(select), operandOf(select.getCondition()),
                       operandOf(select.getTrueValue()),
                       operandOf(select.getFalseValue())});
        return success();
      })
      .Case<arith::IndexCastOp, arith::ExtUIOp>([&](Operation *cast) {
        move(resultOf(cast->getResult(0)), operandOf(cast->getOperand(0)));
        return success();
      })
      .Case([&](ReadSpecialOp special) {
        add(hw::ReadSpecial{special.getSource(), resultOf(special)});
        return success();
      })
      .Case([&](AddressOp address) {
        emitAddress(address);
        return success();
      })
      .Case([&](InstructionOpInterface instruction) {
        emitInstruction(instruction);
        return success();
      })
      .Case([&](scf::ForOp loop) { return emitLoop(loop); })
      .Case([&](scf::IfOp branch) { return emitBranch(branch); })
      .Case<AllocOp, scf::YieldOp>([](Operation *) { return success(); })
      .Case([&](func::ReturnOp) {
        add(hw::End{});
        return success();
      })
      .Default([](Operation *other) {
        return other->emitOpError("has no NPU instruction");
      });
}

LogicalResult ProgramEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(op)))
      return failure();
  return success();
}

LogicalResult ProgramEmitter::emit(func::FuncOp function) {
  for (auto [index, argument] : llvm::enumerate(function.getArguments()))
    if (!argument.use_empty())
      add(hw::LoadArgument{resultOf(argument), static_cast<int32_t>(index)});
  return emitBlock(function.front());
}

} // namespace

FailureOr<std::vector<hw::Instruction>>
mlir::atc::npu::emitProgram(func::FuncOp function) {
  FailureOr<RegisterAllocation> registers =
      RegisterAllocation::compute(function);
  if (failed(registers))
    return failure();
  ProgramEmitter emitter(*registers);
  if (failed(emitter.emit(function)))
    return failure();
  return std::move(emitter.program);
}
