// The binary form of a plan: partition 2 of an offline model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_MODEL_PLANFORMAT_H
#define ATC_MODEL_PLANFORMAT_H

#include "atc/Support/TensorLimits.h"

#include <array>
#include <cstdint>

/// docs/plan-format.md describes every record. All integers are little-endian.
/// A change that old files or old runtimes cannot meet raises `version`;
/// enumerators and tables are only appended.
namespace atc::planformat {

inline constexpr char magic[8] = {'A', 'T', 'C', 'P', 'L', 'A', 'N', '\0'};
inline constexpr uint32_t version = 1;

/// Byte offsets inside the header.
inline constexpr uint32_t versionOffset = 8;
inline constexpr uint32_t headerBytesOffset = 12;
inline constexpr uint32_t digestsOffset = 16;
inline constexpr uint32_t planDigestOffset = digestsOffset + 32;

/// SHA-256 digests of the file's partitions, as they stand at digestsOffset.
/// The plan's own is computed with its field zero and the others in place.
struct Digests {
  using Digest = std::array<uint8_t, 32>;
  Digest graph{}, plan{}, code{}, weights{};
};
inline constexpr uint32_t digestsBytes = 4 * 32;

/// The tables of the directory, in file order.
enum class Table : uint32_t {
  /// Text without terminators; records refer to it by offset and length.
  Strings = 0,
  /// 64-bit words; the variable parts of records are ranges of it.
  Words = 1,
  Layouts = 2,
  Buffers = 3,
  Views = 4,
  Variables = 5,
  Inputs = 6,
  Outputs = 7,
  Symbols = 8,
  CodeImages = 9,
  Kernels = 10,
  HostOps = 11,
  Prologue = 12,
  Body = 13,
};
inline constexpr uint32_t tableCount = 14;

/// Bytes of one record of each table.
inline constexpr std::array<uint32_t, tableCount> recordBytes = {
    1, 8, 24, 40, 40, 16, 16, 16, 40, 24, 40, 8, 32, 32};

/// Fixed part of the header, in front of the directory.
inline constexpr uint32_t fixedHeaderBytes = 208;
/// {u32 table, u32 record bytes, u64 offset, u64 count}
inline constexpr uint32_t directoryEntryBytes = 24;
inline constexpr uint32_t headerBytes =
    fixedHeaderBytes + tableCount * directoryEntryBytes;

/// Ranks above this are refused.
inline constexpr uint32_t maxRank = maxTensorRank;

/// Instruction codes, in the order of the alternatives of PlanOperation.
enum class Opcode : uint8_t {
  Launch = 0,
  HostCall = 1,
  Copy = 2,
  Fill = 3,
  ZeroHalo = 4,
  Scalar = 5,
  LoadScalar = 6,
  StoreScalar = 7,
  Check = 8,
  If = 9,
  Else = 10,
  EndIf = 11,
  Loop = 12,
  LoopTest = 13,
  EndLoop = 14,
  Allocate = 15,
  Free = 16,
};
inline constexpr uint8_t opcodeCount = 17;

} // namespace atc::planformat

#endif // ATC_MODEL_PLANFORMAT_H
