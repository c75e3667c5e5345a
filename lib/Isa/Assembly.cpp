// Text of NPU instructions.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Assembly.h"

#include <fmt/format.h>

#include <set>

namespace atc::isa {

namespace {

std::string printHead(const InstructionInfo &info,
                      const std::array<uint8_t, maxModifiers> &modifiers) {
  std::string text(info.mnemonic);
  for (unsigned i = 0; i < info.modifierCount; ++i) {
    const ModifierInfo &modifier = info.modifiers[i];
    if (modifiers[i] >= modifierValueCount(modifier.kind)) {
      text += fmt::format(".?{}", modifiers[i]);
      continue;
    }
    // A switch shows its name when it is on.
    if (modifier.kind == ModifierKind::Toggle) {
      if (modifiers[i])
        text += fmt::format(".{}", modifier.name);
      continue;
    }
    text += fmt::format(".{}", modifierValueName(modifier.kind, modifiers[i]));
  }
  return text;
}

std::string printOperand(const OperandInfo &info, const Operand &operand) {
  if (operand.isRegister)
    return fmt::format("x{}", operand.value);
  if (info.role == OperandRole::Target)
    return fmt::format("@{}", operand.value);
  return fmt::format("{}", operand.value);
}

} // namespace

std::string printInstruction(const Instruction &instruction) {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  std::string text = printHead(info, instruction.modifiers);
  for (unsigned i = 0; i < info.operandCount; ++i)
    text +=
        fmt::format("{} {}={}", i ? "," : "", info.operands[i].name,
                    printOperand(info.operands[i], instruction.operands[i]));
  return text;
}

std::string printInstruction(const ResolvedInstruction &instruction) {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  std::string text = printHead(info, instruction.modifiers);
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const OperandInfo &operand = info.operands[i];
    bool isAddress =
        operand.role == OperandRole::Address && operand.space == Space::GM;
    text += isAddress ? fmt::format("{} {}=0x{:x}", i ? "," : "", operand.name,
                                    instruction.values[i])
                      : fmt::format("{} {}={}", i ? "," : "", operand.name,
                                    instruction.values[i]);
  }
  return text;
}

std::string printProgram(const Program &program) {
  std::set<int32_t> targets;
  for (const Instruction &instruction : program.instructions) {
    const InstructionInfo &info = instructionInfo(instruction.opcode);
    for (unsigned i = 0; i < info.operandCount; ++i)
      if (info.operands[i].role == OperandRole::Target)
        targets.insert(instruction.operands[i].value);
  }
  std::string text;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    if (targets.count(static_cast<int32_t>(i)))
      text += fmt::format("@{}:\n", i);
    uint32_t offset = i < program.offsets.size() ? program.offsets[i] : 0;
    text += fmt::format("{:6} {:06x}  {}\n", i, offset,
                        printInstruction(program.instructions[i]));
  }
  return text;
}

} // namespace atc::isa
