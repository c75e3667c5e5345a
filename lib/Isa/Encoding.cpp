// Binary form of programs.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Encoding.h"
#include "atc/Isa/Region.h"

#include <fmt/format.h>

#include <unordered_map>

namespace atc::isa {

namespace {

constexpr unsigned headerBytes = 8;

uint32_t loadU32(const uint8_t *data) {
  return static_cast<uint32_t>(data[0]) | static_cast<uint32_t>(data[1]) << 8 |
         static_cast<uint32_t>(data[2]) << 16 |
         static_cast<uint32_t>(data[3]) << 24;
}

void storeU32(uint8_t *data, uint32_t value) {
  for (unsigned i = 0; i < 4; ++i)
    data[i] = static_cast<uint8_t>(value >> (8 * i));
}

/// A register where one must or may be, a constant where one must or may be,
/// within its limits.
std::string operandProblem(const OperandInfo &info, const Operand &operand,
                           uint64_t programSize) {
  if (operand.isRegister &&
      (operand.value < 0 ||
       operand.value >= static_cast<int32_t>(registerCount)))
    return fmt::format("{} names no register: {}", info.name, operand.value);
  bool isConstant =
      info.role == OperandRole::Immediate || info.role == OperandRole::Target;
  if (info.role == OperandRole::Result && !operand.isRegister)
    return fmt::format("{} must be a register", info.name);
  if (isConstant && operand.isRegister)
    return fmt::format("{} must be a constant", info.name);
  if (operand.isRegister)
    return {};
  if (info.role == OperandRole::Target &&
      (operand.value < 0 ||
       static_cast<uint64_t>(operand.value) >= programSize))
    return fmt::format("{} = {} is outside of the program", info.name,
                       operand.value);
  if (const char *reason = operandViolation(info, operand.value))
    return fmt::format("{} = {} {}", info.name, operand.value, reason);
  return {};
}

/// Constant lanes of a vector instruction must fit its type.
std::string lanesProblem(const Instruction &instruction,
                         const InstructionInfo &info) {
  for (unsigned i = 0; i < info.operandCount; ++i) {
    if (info.operands[i].name != "lanes" || instruction.operands[i].isRegister)
      continue;
    ResolvedInstruction resolved;
    resolved.opcode = instruction.opcode;
    resolved.modifiers = instruction.modifiers;
    int64_t limit = lanesPerRepeat(resolved);
    if (instruction.operands[i].value > limit)
      return fmt::format("lanes = {} exceeds the {} of the type",
                         instruction.operands[i].value, limit);
  }
  return {};
}

void encodeInto(const Instruction &instruction,
                const std::vector<uint32_t> &offsets, uint8_t *out) {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  uint32_t header = static_cast<uint32_t>(instruction.opcode);
  for (unsigned i = 0; i < info.modifierCount; ++i)
    header |= static_cast<uint32_t>(instruction.modifiers[i]) << (16 + 4 * i);
  uint32_t registers = 0;
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const Operand &operand = instruction.operands[i];
    registers |= static_cast<uint32_t>(operand.isRegister) << i;
    uint32_t word = static_cast<uint32_t>(operand.value);
    if (info.operands[i].role == OperandRole::Target)
      word = offsets[word];
    storeU32(out + headerBytes + 4 * i, word);
  }
  storeU32(out, header);
  storeU32(out + 4, registers);
}

/// Reads one instruction of `info`; targets stay byte offsets.
std::string decodeFrom(const uint8_t *data, const InstructionInfo &info,
                       Instruction &instruction) {
  instruction.opcode = info.opcode;
  uint32_t modifiers = loadU32(data) >> 16, registers = loadU32(data + 4);
  for (unsigned i = 0; i < info.modifierCount; ++i)
    instruction.modifiers[i] = (modifiers >> (4 * i)) & 15;
  if (modifiers >> (4 * info.modifierCount))
    return "unused modifier bits are set";
  if (registers >> info.operandCount)
    return "unused register bits are set";
  for (unsigned i = 0; i < info.operandCount; ++i) {
    Operand &operand = instruction.operands[i];
    operand.value = static_cast<int32_t>(loadU32(data + headerBytes + 4 * i));
    operand.isRegister = (registers >> i) & 1;
  }
  if (info.operandCount % 2 &&
      loadU32(data + headerBytes + 4 * info.operandCount))
    return "unused bytes are set";
  return {};
}

Status damaged(uint64_t offset, const std::string &reason) {
  return Status::error(
      ErrorCode::DamagedOfflineModel,
      fmt::format("NPU instruction at byte {}: {}", offset, reason));
}

} // namespace

unsigned encodedSize(Opcode opcode) {
  unsigned size = headerBytes + 4 * instructionInfo(opcode).operandCount;
  return (size + 7) / 8 * 8;
}

std::string findViolation(const Instruction &instruction,
                          uint64_t programSize) {
  const InstructionInfo *info =
      findInstruction(static_cast<uint16_t>(instruction.opcode));
  if (!info)
    return "there is no such opcode";
  for (unsigned i = 0; i < info->modifierCount; ++i)
    if (instruction.modifiers[i] >= modifierValueCount(info->modifiers[i].kind))
      return fmt::format("{} has no value {}", info->modifiers[i].name,
                         instruction.modifiers[i]);
  if (const char *conflict = modifierConflict(instruction))
    return conflict;
  for (unsigned i = 0; i < info->operandCount; ++i) {
    std::string problem =
        operandProblem(info->operands[i], instruction.operands[i], programSize);
    if (!problem.empty())
      return problem;
  }
  return lanesProblem(instruction, *info);
}

Expected<std::vector<uint8_t>>
encodeProgram(const std::vector<Instruction> &instructions) {
  std::vector<uint32_t> offsets;
  uint64_t size = 0;
  for (const Instruction &instruction : instructions) {
    std::string violation = findViolation(instruction, instructions.size());
    if (!violation.empty())
      return Status::error(
          ErrorCode::Internal,
          fmt::format("NPU instruction {}: {}", offsets.size(), violation));
    offsets.push_back(static_cast<uint32_t>(size));
    size += encodedSize(instruction.opcode);
  }
  if (size > INT32_MAX)
    return Status::error(ErrorCode::Internal,
                         fmt::format("NPU program of {} bytes", size));
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < instructions.size(); ++i)
    encodeInto(instructions[i], offsets, bytes.data() + offsets[i]);
  return bytes;
}

Expected<Program> decodeProgram(const uint8_t *data, uint64_t size) {
  if (size > INT32_MAX)
    return damaged(0, "the program is too long");
  Program program;
  std::unordered_map<int32_t, int32_t> indexOfOffset;
  for (uint64_t offset = 0; offset < size;) {
    if (size - offset < headerBytes)
      return damaged(offset, "the program ends within an instruction");
    uint16_t opcode = static_cast<uint16_t>(loadU32(data + offset));
    const InstructionInfo *info = findInstruction(opcode);
    if (!info)
      return damaged(offset, fmt::format("there is no opcode {}", opcode));
    unsigned bytes = encodedSize(info->opcode);
    if (size - offset < bytes)
      return damaged(offset, "the program ends within an instruction");
    Instruction instruction;
    std::string problem = decodeFrom(data + offset, *info, instruction);
    if (!problem.empty())
      return damaged(offset, problem);
    indexOfOffset[static_cast<int32_t>(offset)] =
        static_cast<int32_t>(program.instructions.size());
    program.offsets.push_back(static_cast<uint32_t>(offset));
    program.instructions.push_back(instruction);
    offset += bytes;
  }
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    Instruction &instruction = program.instructions[i];
    const InstructionInfo &info = instructionInfo(instruction.opcode);
    for (unsigned k = 0; k < info.operandCount; ++k) {
      if (info.operands[k].role != OperandRole::Target)
        continue;
      auto target = indexOfOffset.find(instruction.operands[k].value);
      if (target == indexOfOffset.end())
        return damaged(program.offsets[i], "a branch leads into nowhere");
      instruction.operands[k].value = target->second;
    }
    std::string violation =
        findViolation(instruction, program.instructions.size());
    if (!violation.empty())
      return damaged(program.offsets[i], violation);
  }
  return program;
}

} // namespace atc::isa
