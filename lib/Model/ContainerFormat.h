// Places of the .om container's header and partition table.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_MODEL_CONTAINERFORMAT_H
#define ATC_LIB_MODEL_CONTAINERFORMAT_H

#include "atc/Model/Sha256.h"

#include <cstdint>

namespace atc::container {

// The header that Ascend's tools read: 256 bytes, little-endian.
inline constexpr uint32_t headerBytes = 256;
inline constexpr char magic[4] = {'I', 'M', 'O', 'D'};
inline constexpr uint32_t headerBytesOffset = 4;
inline constexpr uint32_t versionOffset = 8;
inline constexpr uint32_t version = 0x20000000;
/// Low half of the payload's size.
inline constexpr uint32_t lengthOffset = 76;
inline constexpr uint32_t noChecksumOffset = 81;
inline constexpr uint32_t nameOffset = 84;
inline constexpr uint32_t nameBytes = 32;
/// The digest that binds header, table and the partitions' digests together.
inline constexpr uint32_t digestOffset = 120;
inline constexpr uint32_t irVersionOffset = 152;
inline constexpr uint32_t modelCountOffset = 156;
inline constexpr uint32_t platformOffset = 160;
inline constexpr uint32_t platformBytes = 20;
/// Bytes behind the header: table and partitions. Not zero means that the table
/// has 64-bit entries.
inline constexpr uint32_t payloadBytesOffset = 184;
inline constexpr uint32_t isDynamicOffset = 193;

// The table: u32 count, u32 zero, then {u32 type, u32 zero, u64 offset, u64
// size} per partition; offsets count from the end of the table.
inline constexpr uint32_t tableHeadBytes = 8;
inline constexpr uint32_t tableEntryBytes = 24;

enum PartitionType : uint32_t {
  GraphPartition = 0,
  WeightsPartition = 1,
  PlanPartition = 2,
  CodePartition = 3,
};
inline constexpr uint32_t partitionCount = 4;
inline constexpr uint32_t tableBytes =
    tableHeadBytes + partitionCount * tableEntryBytes;
inline constexpr uint32_t dataBegin = headerBytes + tableBytes;

inline constexpr uint64_t weightsAlignment = 64;
inline constexpr uint64_t codeAlignment = 4096;

/// SHA-256 over the header with its digest field zero, the table and the
/// digests that open the plan partition.
Sha256::Digest headDigest(const uint8_t *header, const uint8_t *table,
                          const uint8_t *digests);

/// SHA-256 over the plan partition with its own digest zero.
Sha256::Digest planDigest(const uint8_t *plan, uint64_t size);

} // namespace atc::container

#endif // ATC_LIB_MODEL_CONTAINERFORMAT_H
