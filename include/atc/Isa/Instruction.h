// NPU instructions as values: one struct per instruction and a generic form.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_ISA_INSTRUCTION_H
#define ATC_ISA_INSTRUCTION_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace atc::isa {

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

// enum class Pipe, DataType, AluFunction, ...: what modifiers say.
#define ATC_NPU_ENUM(KIND) enum class KIND : uint8_t {
#define ATC_NPU_VALUE(KIND, NAME, TEXT) NAME,
#define ATC_NPU_ENUM_END(KIND)                                                 \
  }                                                                            \
  ;
#include "atc/Isa/Modifiers.def"

/// Number of pipes; Pipe::All is not one.
inline constexpr unsigned pipeCount = 7;

/// Where bytes can be. GM is shared by all cores, the others belong to one.
enum class Space : uint8_t { GM, L1, L0A, L0B, L0C, UB, BT, FB };
inline constexpr unsigned spaceCount = 8;
std::string_view spaceName(Space space);

/// The enumeration that a modifier takes its value from.
enum class ModifierKind : uint8_t {
#define ATC_NPU_ENUM(KIND) KIND,
#include "atc/Isa/Modifiers.def"
};

/// Number of values of a modifier's enumeration.
unsigned modifierValueCount(ModifierKind kind);
/// The text of a value, e.g. "f16"; `value` must be in range.
std::string_view modifierValueName(ModifierKind kind, unsigned value);

inline std::string_view pipeName(Pipe pipe) {
  return modifierValueName(ModifierKind::Pipe, static_cast<unsigned>(pipe));
}

/// Bytes of an element.
constexpr unsigned byteSize(DataType type) {
  switch (type) {
  case DataType::S8:
  case DataType::U8:
    return 1;
  case DataType::F16:
  case DataType::BF16:
  case DataType::S16:
  case DataType::U16:
    return 2;
  case DataType::F32:
  case DataType::S32:
  case DataType::U32:
    return 4;
  }
  return 0;
}
constexpr unsigned byteSize(ElementWidth width) {
  return 1u << static_cast<unsigned>(width);
}
/// The accumulator's type of a cube operation on `type`.
constexpr DataType accumulatorType(DataType type) {
  return byteSize(type) == 1 ? DataType::S32 : DataType::F32;
}

enum class Opcode : uint16_t {
#define ATC_NPU_INSTRUCTION(NAME, OPCODE, MNEMONIC, PIPE) NAME = OPCODE,
#include "atc/Isa/Instructions.def"
};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// What an operand is for.
enum class OperandRole : uint8_t {
  /// A scalar register that the instruction writes.
  Result,
  /// Any 64-bit value.
  Value,
  /// A constant in the code.
  Immediate,
  /// A branch target: an instruction's index, constant.
  Target,
  /// A count, size or stride with limits.
  Field,
  /// A byte address in a space.
  Address,
};

struct OperandInfo {
  std::string_view name;
  OperandRole role;
  /// Role Address only.
  Space space;
  /// Inclusive limits (role Field), and what the value must be a multiple of
  /// (roles Field and Address).
  int64_t min, max, multiple;
};

struct ModifierInfo {
  std::string_view name;
  ModifierKind kind;
};

/// One entry of Instructions.def.
struct InstructionInfo {
  std::string_view mnemonic;
  Opcode opcode;
  /// Where it runs. Flags and barriers are issued by S and run on the pipe
  /// that their modifiers name; see pipeOf.
  Pipe pipe;
  const ModifierInfo *modifiers;
  unsigned modifierCount;
  const OperandInfo *operands;
  unsigned operandCount;
};

/// Null for a number that is no opcode.
const InstructionInfo *findInstruction(uint16_t opcode);
const InstructionInfo &instructionInfo(Opcode opcode);
/// The whole table, in opcode order.
const InstructionInfo *instructionTable();
unsigned instructionTableSize();

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Scalar registers of a core; all 64 bits wide.
inline constexpr unsigned registerCount = 128;
inline constexpr unsigned maxOperands = 20;
inline constexpr unsigned maxModifiers = 4;

/// A constant or a scalar register.
struct Operand {
  int32_t value = 0;
  bool isRegister = false;

  Operand() = default;
  Operand(int32_t immediate) : value(immediate) {}
  static Operand reg(unsigned index) {
    Operand result(static_cast<int32_t>(index));
    result.isRegister = true;
    return result;
  }
  bool operator==(const Operand &other) const {
    return value == other.value && isRegister == other.isRegister;
  }
};

/// An instruction in the form that tables describe. Operands beyond the
/// instruction's are zero.
struct Instruction {
  Opcode opcode = Opcode::End;
  std::array<uint8_t, maxModifiers> modifiers{};
  std::array<Operand, maxOperands> operands{};

  bool operator==(const Instruction &other) const {
    return opcode == other.opcode && modifiers == other.modifiers &&
           operands == other.operands;
  }
};

/// An instruction whose registers have been read: what a pipe executes. The
/// value of a Result operand is the register's number.
struct ResolvedInstruction {
  Opcode opcode = Opcode::End;
  std::array<uint8_t, maxModifiers> modifiers{};
  std::array<int64_t, maxOperands> values{};
};

// template <typename V> struct MmadOf { DataType type; ...; V dst, a, ...; };
// V is Operand in programs and int64_t once registers have been read.
#define ATC_NPU_INSTRUCTION(NAME, OPCODE, MNEMONIC, PIPE)                      \
  template <typename V>                                                        \
  struct NAME##Of {                                                            \
    static constexpr Opcode opcode = Opcode::NAME;
#define ATC_NPU_MODIFIER(NAME, FIELD, KIND) KIND FIELD{};
#define ATC_NPU_OPERAND(NAME, FIELD, ROLE, SPACE, MIN, MAX, MULTIPLE) V FIELD{};
#define ATC_NPU_END(NAME)                                                      \
  }                                                                            \
  ;                                                                            \
  using NAME = NAME##Of<Operand>;                                              \
  using Resolved##NAME = NAME##Of<int64_t>;
#include "atc/Isa/Instructions.def"

/// The generic form of a struct.
#define ATC_NPU_INSTRUCTION(NAME, OPCODE, MNEMONIC, PIPE)                      \
  inline Instruction toInstruction(const NAME &fields) {                       \
    Instruction result;                                                        \
    result.opcode = Opcode::NAME;                                              \
    [[maybe_unused]] unsigned modifier = 0, operand = 0;
#define ATC_NPU_MODIFIER(NAME, FIELD, KIND)                                    \
  result.modifiers[modifier++] = static_cast<uint8_t>(fields.FIELD);
#define ATC_NPU_OPERAND(NAME, FIELD, ROLE, SPACE, MIN, MAX, MULTIPLE)          \
  result.operands[operand++] = fields.FIELD;
#define ATC_NPU_END(NAME)                                                      \
  return result;                                                               \
  }
#include "atc/Isa/Instructions.def"

/// The struct of a resolved instruction; the opcode must be Fields::opcode.
template <typename Fields>
Fields fieldsOf(const ResolvedInstruction &resolved);
#define ATC_NPU_INSTRUCTION(NAME, OPCODE, MNEMONIC, PIPE)                      \
  template <>                                                                  \
  inline Resolved##NAME fieldsOf<Resolved##NAME>(                              \
      [[maybe_unused]] const ResolvedInstruction &resolved) {                  \
    Resolved##NAME result;                                                     \
    [[maybe_unused]] unsigned modifier = 0, operand = 0;
#define ATC_NPU_MODIFIER(NAME, FIELD, KIND)                                    \
  result.FIELD = static_cast<KIND>(resolved.modifiers[modifier++]);
#define ATC_NPU_OPERAND(NAME, FIELD, ROLE, SPACE, MIN, MAX, MULTIPLE)          \
  result.FIELD = resolved.values[operand++];
#define ATC_NPU_END(NAME)                                                      \
  return result;                                                               \
  }
#include "atc/Isa/Instructions.def"

/// The pipe in whose queue the instruction waits for its turn. A barrier of
/// Pipe::All and everything of the scalar unit give S.
Pipe pipeOf(Opcode opcode, const std::array<uint8_t, maxModifiers> &modifiers);
inline Pipe pipeOf(const Instruction &instruction) {
  return pipeOf(instruction.opcode, instruction.modifiers);
}
inline Pipe pipeOf(const ResolvedInstruction &instruction) {
  return pipeOf(instruction.opcode, instruction.modifiers);
}

/// Whether a cast between the two types exists on some device.
bool isCastSupported(DataType from, DataType to);

/// Why the modifiers do not go together (say, an exponential of integers), or
/// null. Holds for every device.
const char *modifierConflict(const Instruction &instruction);

/// Why `value` breaks an operand's limits or alignment, or null.
const char *operandViolation(const OperandInfo &operand, int64_t value);

} // namespace atc::isa

#endif // ATC_ISA_INSTRUCTION_H
