// Happens-before over pipes: which accesses nothing keeps in order.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SIMULATOR_RACEDETECTOR_H
#define ATC_SIMULATOR_RACEDETECTOR_H

#include "Memory.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace atc::sim {

/// For each pipe, the number of its instructions known to have completed.
using VectorClock = std::array<uint32_t, isa::pipeCount>;

inline void join(VectorClock &into, const VectorClock &other) {
  for (unsigned i = 0; i < isa::pipeCount; ++i)
    if (into[i] < other[i])
      into[i] = other[i];
}

/// An instruction of a pipe of one core, as a party to races.
struct Party {
  /// Number of the core's run: a block's program on one type of core.
  uint32_t run;
  uint32_t block;
  isa::Pipe pipe;
  /// Position in its pipe, from 1.
  uint32_t sequence;
  /// Index in its program.
  uint32_t instruction;
};

/// A pair of accesses to one byte, one of them a write, in no order.
struct RaceFound {
  Party earlier;
  bool earlierWrites, laterWrites;
  int64_t address;
};

/// The accesses to one space so far, by byte. An access that orders after an
/// older one replaces it, so the state stays small.
class ShadowMemory {
public:
  explicit ShadowMemory(uint64_t bytes, bool initialized);

  void markInitialized(uint64_t offset, uint64_t bytes);

  /// Offset of the first byte in the range that nothing wrote.
  std::optional<uint64_t> findUninitialized(uint64_t offset,
                                            uint64_t bytes) const;

  bool isInitialized(uint64_t offset) const {
    return written[offset / granuleBytes] >> (offset % granuleBytes) & 1;
  }
  /// The byte holds what another one held that nothing wrote.
  void markUninitialized(uint64_t offset) {
    written[offset / granuleBytes] &= ~(uint32_t(1) << (offset % granuleBytes));
  }

  /// An older access of the range that conflicts with this one and of which
  /// `ordered(party, writes)` is false.
  template <typename Ordered>
  std::optional<RaceFound> findRace(uint64_t offset, uint64_t bytes,
                                    bool isWrite, Ordered ordered) const {
    std::optional<RaceFound> found;
    forEachGranule(offset, bytes, [&](uint64_t granule, uint32_t mask) {
      for (uint32_t i = heads[granule]; i && !found; i = entries[i].next) {
        const Entry &entry = entries[i];
        if (!(entry.mask & mask) || (!entry.isWrite && !isWrite) ||
            ordered(entry.party, entry.isWrite))
          continue;
        unsigned byte = lowestBit(entry.mask & mask);
        found = RaceFound{entry.party, entry.isWrite, isWrite,
                          static_cast<int64_t>(granule * granuleBytes + byte)};
      }
    });
    return found;
  }

  /// Remembers an access.
  void add(uint64_t offset, uint64_t bytes, bool isWrite, const Party &party);

private:
  static constexpr uint64_t granuleBytes = 32;

  /// An access to the bytes of one granule that `mask` names.
  struct Entry {
    Party party;
    uint32_t mask;
    uint32_t next;
    bool isWrite;
  };

  static unsigned lowestBit(uint32_t mask) {
    unsigned bit = 0;
    while (!(mask >> bit & 1))
      ++bit;
    return bit;
  }

  template <typename Body>
  static void forEachGranule(uint64_t offset, uint64_t bytes, Body body) {
    uint64_t end = offset + bytes;
    for (uint64_t at = offset; at < end;) {
      uint64_t granule = at / granuleBytes;
      uint64_t first = at % granuleBytes;
      uint64_t count =
          end - at < granuleBytes - first ? end - at : granuleBytes - first;
      uint32_t mask =
          static_cast<uint32_t>(((uint64_t(1) << count) - 1) << first);
      body(granule, mask);
      at += count;
    }
  }

  uint32_t allocate();

  std::vector<uint32_t> heads;
  std::vector<uint32_t> written;
  std::vector<Entry> entries;
  uint32_t freeList = 0;
};

} // namespace atc::sim

#endif // ATC_SIMULATOR_RACEDETECTOR_H
