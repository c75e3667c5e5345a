// Instructions as ops: the link to the table of lib/Isa.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Npu/IR/Npu.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

#define GET_OP_CLASSES
#include "atc/Dialect/Npu/IR/Instructions.cpp.inc"

void NpuDialect::registerInstructionOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Npu/IR/Instructions.cpp.inc"
      >();
}

/// A constant that fits the immediate of an instruction.
static std::optional<int32_t> getImmediate(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      !constant.isSignedIntN(32))
    return std::nullopt;
  return static_cast<int32_t>(constant.getSExtValue());
}

hw::Instruction InstructionOpInterface::getInstruction() {
  hw::Instruction instruction;
  instruction.opcode = getOpcode();
  for (auto [index, value] : llvm::enumerate(getModifierValues()))
    instruction.modifiers[index] = value;
  for (auto [index, value] : llvm::enumerate(getOperation()->getOperands())) {
    std::optional<int32_t> immediate = getImmediate(value);
    instruction.operands[index] =
        immediate ? hw::Operand(*immediate) : hw::Operand::reg(0);
  }
  return instruction;
}

LogicalResult mlir::atc::npu::verifyInstruction(Operation *op) {
  auto instruction = cast<InstructionOpInterface>(op);
  const hw::InstructionInfo &info =
      hw::instructionInfo(instruction.getOpcode());
  // The op's definition repeats the table; a difference is a fault of ours.
  if (StringRef(info.mnemonic) != op->getName().stripDialect() ||
      info.operandCount != op->getNumOperands() ||
      info.modifierCount != instruction.getModifierValues().size())
    return op->emitOpError("differs from instruction ")
           << StringRef(info.mnemonic);
  std::string violation =
      hw::findViolation(instruction.getInstruction(), /*programSize=*/1);
  if (!violation.empty())
    return op->emitOpError(violation);
  return success();
}
