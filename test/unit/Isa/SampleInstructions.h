// One legal instruction for every entry of the table.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_ISA_SAMPLEINSTRUCTIONS_H
#define ATC_TEST_UNIT_ISA_SAMPLEINSTRUCTIONS_H

#include "atc/Isa/Encoding.h"

#include <vector>

namespace atc::isa {

/// Modifiers that go together for each instruction of the table.
inline void setSampleModifiers(Instruction &instruction) {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  // Enumerations start with values that suit each other, save for these.
  for (unsigned i = 0; i < info.modifierCount; ++i)
    instruction.modifiers[i] = 0;
  switch (instruction.opcode) {
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
    instruction.modifiers = {static_cast<uint8_t>(Pipe::MTE2),
                             static_cast<uint8_t>(Pipe::V)};
    break;
  case Opcode::FixpipeToGm:
  case Opcode::FixpipeToL1:
  case Opcode::FixpipeToUb:
    instruction.modifiers[0] = static_cast<uint8_t>(DataType::F32);
    break;
  case Opcode::VectorCast:
    instruction.modifiers[0] = static_cast<uint8_t>(DataType::F32);
    break;
  default:
    break;
  }
}

/// Constants as large as the limits allow (`registers` false), or registers
/// wherever one may stand.
inline Instruction sampleInstruction(const InstructionInfo &info,
                                     bool registers) {
  Instruction result;
  result.opcode = info.opcode;
  setSampleModifiers(result);
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const OperandInfo &operand = info.operands[i];
    switch (operand.role) {
    case OperandRole::Result:
      result.operands[i] = Operand::reg(registerCount - 1);
      break;
    case OperandRole::Immediate:
      result.operands[i] = -7;
      break;
    case OperandRole::Target:
      result.operands[i] = 0;
      break;
    case OperandRole::Value:
      result.operands[i] = registers ? Operand::reg(i) : Operand(-1);
      break;
    case OperandRole::Field: {
      int64_t largest = operand.max / operand.multiple * operand.multiple;
      result.operands[i] =
          registers ? Operand::reg(i) : Operand(static_cast<int32_t>(largest));
      break;
    }
    case OperandRole::Address:
      result.operands[i] =
          registers ? Operand::reg(i)
                    : Operand(static_cast<int32_t>(operand.multiple));
      break;
    }
    if (operand.name == "lanes" && !registers)
      result.operands[i] = 64;
  }
  return result;
}

inline std::vector<Instruction> sampleProgram(bool registers) {
  std::vector<Instruction> program;
  for (unsigned i = 0; i < instructionTableSize(); ++i)
    program.push_back(sampleInstruction(instructionTable()[i], registers));
  return program;
}

} // namespace atc::isa

#endif // ATC_TEST_UNIT_ISA_SAMPLEINSTRUCTIONS_H
