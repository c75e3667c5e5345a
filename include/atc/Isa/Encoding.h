// Binary form of programs: encoding, decoding and their checks.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_ISA_ENCODING_H
#define ATC_ISA_ENCODING_H

#include "atc/Isa/Instruction.h"
#include "atc/Support/Diagnostic.h"

#include <string>
#include <vector>

namespace atc::isa {

/// An instruction is little-endian and 8 + 4 * operands bytes long, rounded up
/// to a multiple of 8:
///
///   byte 0  u16  opcode
///   byte 2  u16  modifiers, four bits each, the first in the low bits
///   byte 4  u32  bit i: operand i is a scalar register
///   byte 8  i32  operands: a constant (sign-extended to 64 bits where used), a
///                register's number, or for a branch target the byte offset
///                from the start of the program
///
/// Unused bits and bytes are zero; a decoder refuses others.
unsigned encodedSize(Opcode opcode);

/// The instructions of one core, in order. Branch targets are indices into
/// `instructions`.
struct Program {
  std::vector<Instruction> instructions;
  /// Byte offset of each instruction; filled by decodeProgram.
  std::vector<uint32_t> offsets;
};

/// What is wrong with an instruction, or an empty text: a modifier out of
/// range, modifiers that do not go together, a constant where a register must
/// be or the reverse, a constant that breaks its field's limits.
/// `programSize` is the number of instructions that a target may name.
std::string findViolation(const Instruction &instruction, uint64_t programSize);

/// Encodes instructions. Fails with Internal on a violation.
Expected<std::vector<uint8_t>>
encodeProgram(const std::vector<Instruction> &instructions);

/// Decodes and checks all of `data`. Fails with DamagedOfflineModel.
Expected<Program> decodeProgram(const uint8_t *data, uint64_t size);

} // namespace atc::isa

#endif // ATC_ISA_ENCODING_H
