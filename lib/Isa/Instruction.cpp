// The instruction table, built from Instructions.def and Modifiers.def.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Isa/Instruction.h"

#include <cassert>

namespace atc::isa {

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

// One array of texts per enumeration; the empty text ends it.
#define ATC_NPU_ENUM(KIND) constexpr std::string_view texts##KIND[] = {
#define ATC_NPU_VALUE(KIND, NAME, TEXT) TEXT,
#define ATC_NPU_ENUM_END(KIND)                                                 \
  ""                                                                           \
  }                                                                            \
  ;
#include "atc/Isa/Modifiers.def"

struct EnumTexts {
  const std::string_view *texts;
  unsigned count;
};
constexpr EnumTexts enumTexts[] = {
#define ATC_NPU_ENUM(KIND)                                                     \
  {texts##KIND, sizeof(texts##KIND) / sizeof(std::string_view) - 1},
#include "atc/Isa/Modifiers.def"
};

// A closing entry keeps the arrays of instructions without operands legal.
#define ATC_NPU_INSTRUCTION(NAME, OPCODE, MNEMONIC, PIPE)                      \
  constexpr OperandInfo operands##NAME[] = {
#define ATC_NPU_OPERAND(NAME, FIELD, ROLE, SPACE, MIN, MAX, MULTIPLE)          \
  {#FIELD, OperandRole::ROLE, Space::SPACE, MIN, MAX, MULTIPLE},
#define ATC_NPU_END(NAME)                                                      \
  { "", OperandRole::Value, Space::GM, 0, 0, 1 }                               \
  }                                                                            \
  ;
#include "atc/Isa/Instructions.def"

#define ATC_NPU_INSTRUCTION(NAME, OPCODE, MNEMONIC, PIPE)                      \
  constexpr ModifierInfo modifiers##NAME[] = {
#define ATC_NPU_MODIFIER(NAME, FIELD, KIND) {#FIELD, ModifierKind::KIND},
#define ATC_NPU_END(NAME)                                                      \
  {                                                                            \
    "", ModifierKind::Pipe                                                     \
  }                                                                            \
  }                                                                            \
  ;
#include "atc/Isa/Instructions.def"

constexpr InstructionInfo table[] = {
#define ATC_NPU_INSTRUCTION(NAME, OPCODE, MNEMONIC, PIPE)                      \
  {MNEMONIC,                                                                   \
   Opcode::NAME,                                                               \
   Pipe::PIPE,                                                                 \
   modifiers##NAME,                                                            \
   sizeof(modifiers##NAME) / sizeof(ModifierInfo) - 1,                         \
   operands##NAME,                                                             \
   sizeof(operands##NAME) / sizeof(OperandInfo) - 1},
#include "atc/Isa/Instructions.def"
};
constexpr unsigned tableSize = sizeof(table) / sizeof(InstructionInfo);

constexpr bool isTableSound() {
  for (unsigned i = 0; i < tableSize; ++i) {
    if (table[i].modifierCount > maxModifiers ||
        table[i].operandCount > maxOperands)
      return false;
    if (i > 0 && table[i - 1].opcode >= table[i].opcode)
      return false;
  }
  return true;
}
static_assert(isTableSound(), "opcodes ascend; operands and modifiers fit");

/// Opcode to index into the table, or -1.
struct OpcodeIndex {
  std::array<int16_t, 256> index{};
  constexpr OpcodeIndex() {
    for (int16_t &entry : index)
      entry = -1;
    for (unsigned i = 0; i < tableSize; ++i)
      index[static_cast<uint16_t>(table[i].opcode)] = static_cast<int16_t>(i);
  }
};
constexpr OpcodeIndex opcodeIndex;

} // namespace

unsigned modifierValueCount(ModifierKind kind) {
  return enumTexts[static_cast<unsigned>(kind)].count;
}

std::string_view modifierValueName(ModifierKind kind, unsigned value) {
  assert(value < modifierValueCount(kind));
  return enumTexts[static_cast<unsigned>(kind)].texts[value];
}

std::string_view spaceName(Space space) {
  constexpr std::string_view names[] = {"gm",  "l1", "l0a", "l0b",
                                        "l0c", "ub", "bt",  "fb"};
  return names[static_cast<unsigned>(space)];
}

const InstructionInfo *findInstruction(uint16_t opcode) {
  if (opcode >= opcodeIndex.index.size() || opcodeIndex.index[opcode] < 0)
    return nullptr;
  return &table[opcodeIndex.index[opcode]];
}

const InstructionInfo &instructionInfo(Opcode opcode) {
  const InstructionInfo *info = findInstruction(static_cast<uint16_t>(opcode));
  assert(info && "every enumerator has an entry");
  return *info;
}

const InstructionInfo *instructionTable() { return table; }
unsigned instructionTableSize() { return tableSize; }

Pipe pipeOf(Opcode opcode, const std::array<uint8_t, maxModifiers> &modifiers) {
  switch (opcode) {
  case Opcode::SetFlag:
    return static_cast<Pipe>(modifiers[0]);
  case Opcode::WaitFlag:
    return static_cast<Pipe>(modifiers[1]);
  case Opcode::Barrier: {
    Pipe pipe = static_cast<Pipe>(modifiers[0]);
    return pipe == Pipe::All ? Pipe::S : pipe;
  }
  default:
    return instructionInfo(opcode).pipe;
  }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {

constexpr uint16_t bit(DataType type) {
  return static_cast<uint16_t>(1u << static_cast<unsigned>(type));
}
constexpr uint16_t vectorFloats = bit(DataType::F16) | bit(DataType::F32);
constexpr uint16_t vectorIntegers = bit(DataType::S16) | bit(DataType::S32);
constexpr uint16_t bitTypes = bit(DataType::S16) | bit(DataType::U16);
constexpr uint16_t cubeTypes = bit(DataType::F16) | bit(DataType::BF16) |
                               bit(DataType::F32) | bit(DataType::S8);

bool contains(uint16_t types, uint8_t type) { return (types >> type) & 1; }

const char *unaryConflict(UnaryFunction function, uint8_t type) {
  switch (function) {
  case UnaryFunction::Copy:
    return contains(vectorFloats | vectorIntegers | bit(DataType::U16) |
                        bit(DataType::U32) | bit(DataType::BF16),
                    type)
               ? nullptr
               : "copies move elements of two or four bytes";
  case UnaryFunction::Not:
    return contains(bitTypes, type) ? nullptr
                                    : "bitwise operations take 16-bit integers";
  case UnaryFunction::Relu:
    return contains(vectorFloats | bit(DataType::S32), type)
               ? nullptr
               : "relu takes f16, f32 or s32";
  default:
    return contains(vectorFloats, type) ? nullptr
                                        : "the function takes f16 or f32";
  }
}

const char *binaryConflict(BinaryFunction function, uint8_t type) {
  switch (function) {
  case BinaryFunction::And:
  case BinaryFunction::Or:
    return contains(bitTypes, type) ? nullptr
                                    : "bitwise operations take 16-bit integers";
  case BinaryFunction::Divide:
    return contains(vectorFloats, type) ? nullptr : "division takes f16 or f32";
  default:
    return contains(vectorFloats | vectorIntegers, type)
               ? nullptr
               : "the function takes f16, f32, s16 or s32";
  }
}

const char *scalarConflict(ScalarFunction function, uint8_t type) {
  switch (function) {
  case ScalarFunction::ShiftLeft:
  case ScalarFunction::ShiftRight:
    return contains(vectorIntegers | bit(DataType::U16) | bit(DataType::U32),
                    type)
               ? nullptr
               : "shifts take 16-bit or 32-bit integers";
  case ScalarFunction::LeakyRelu:
  case ScalarFunction::Axpy:
    return contains(vectorFloats, type) ? nullptr
                                        : "the function takes f16 or f32";
  default:
    return contains(vectorFloats | vectorIntegers, type)
               ? nullptr
               : "the function takes f16, f32, s16 or s32";
  }
}

const char *fixpipeConflict(DataType from, DataType to) {
  if (from == DataType::S32)
    return to == DataType::S32 ? nullptr : "s32 leaves as s32 only";
  if (from != DataType::F32)
    return "the accumulator holds f32 or s32";
  bool known =
      to == DataType::F32 || to == DataType::F16 || to == DataType::BF16;
  return known ? nullptr : "f32 leaves as f32, f16 or bf16";
}

/// Only a cast of a float to an integer has a choice of roundings.
const char *castConflict(DataType from, DataType to, Rounding rounding) {
  if (!isCastSupported(from, to))
    return "there is no cast between the two types";
  uint16_t floats = vectorFloats | bit(DataType::BF16);
  bool choice = contains(floats, static_cast<uint8_t>(from)) &&
                !contains(floats, static_cast<uint8_t>(to));
  return choice || rounding == Rounding::Nearest
             ? nullptr
             : "this cast rounds to nearest only";
}

} // namespace

bool isCastSupported(DataType from, DataType to) {
  using T = DataType;
  constexpr T pairs[][2] = {
      {T::F32, T::F16}, {T::F16, T::F32}, {T::F32, T::BF16}, {T::BF16, T::F32},
      {T::F32, T::S32}, {T::S32, T::F32}, {T::F32, T::S16},  {T::S16, T::F32},
      {T::F16, T::S32}, {T::F16, T::S16}, {T::S16, T::F16},  {T::F16, T::S8},
      {T::S8, T::F16},  {T::F16, T::U8},  {T::U8, T::F16}};
  for (const T(&pair)[2] : pairs)
    if (pair[0] == from && pair[1] == to)
      return true;
  return false;
}

const char *modifierConflict(const Instruction &instruction) {
  const std::array<uint8_t, maxModifiers> &m = instruction.modifiers;
  auto isPipe = [](uint8_t value) { return value < pipeCount; };
  switch (instruction.opcode) {
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
    if (!isPipe(m[0]) || !isPipe(m[1]))
      return "a flag joins two pipes";
    return m[0] == m[1] ? "a flag joins two different pipes" : nullptr;
  case Opcode::LoadBias:
    return contains(bit(DataType::F16) | bit(DataType::F32) |
                        bit(DataType::BF16) | bit(DataType::S32),
                    m[0])
               ? nullptr
               : "a bias is f16, bf16, f32 or s32";
  case Opcode::Mmad:
    return contains(cubeTypes, m[0]) ? nullptr
                                     : "the cube takes f16, bf16, f32 or s8";
  case Opcode::FixpipeToGm:
  case Opcode::FixpipeToL1:
  case Opcode::FixpipeToUb:
    return fixpipeConflict(static_cast<DataType>(m[0]),
                           static_cast<DataType>(m[1]));
  case Opcode::VectorUnary:
    return unaryConflict(static_cast<UnaryFunction>(m[0]), m[1]);
  case Opcode::VectorBinary:
    return binaryConflict(static_cast<BinaryFunction>(m[0]), m[1]);
  case Opcode::VectorScalar:
    return scalarConflict(static_cast<ScalarFunction>(m[0]), m[1]);
  case Opcode::VectorCast:
    return castConflict(static_cast<DataType>(m[0]),
                        static_cast<DataType>(m[1]),
                        static_cast<Rounding>(m[2]));
  case Opcode::VectorDuplicate:
    return byteSize(static_cast<DataType>(m[0])) >= 2
               ? nullptr
               : "duplicates are of two or four bytes";
  default:
    return nullptr;
  }
}

const char *operandViolation(const OperandInfo &operand, int64_t value) {
  if (operand.role == OperandRole::Field) {
    if (value < operand.min)
      return "is below its minimum";
    if (value > operand.max)
      return "is above its maximum";
  } else if (operand.role == OperandRole::Address) {
    if (value < 0)
      return "is negative";
  } else {
    return nullptr;
  }
  return value % operand.multiple == 0 ? nullptr : "is misaligned";
}

} // namespace atc::isa
