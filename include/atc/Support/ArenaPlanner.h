// Offsets of buffers in one arena, by size and lifetime.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_ARENAPLANNER_H
#define ATC_SUPPORT_ARENAPLANNER_H

#include "atc/Support/Diagnostic.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace atc {

/// A buffer that needs a place in [firstUse, lastUse] (inclusive) on any
/// integer time line, usually instruction indices.
struct ArenaBuffer {
  static constexpr uint32_t noGroup = std::numeric_limits<uint32_t>::max();

  uint64_t size = 0;
  /// A power of two.
  uint32_t alignment = 64;
  uint32_t firstUse = 0;
  uint32_t lastUse = 0;
  /// Buffers with the same group begin at one address; the group keeps its
  /// place from its first to its last use.
  uint32_t group = noGroup;
};

struct ArenaPlan {
  /// Of each buffer, in the order given. A buffer of size zero is at 0.
  std::vector<uint64_t> offsets;
  /// Bytes of the arena.
  uint64_t peak = 0;
  /// The most bytes live at one time, members of a group counted once: no
  /// placement can need less.
  uint64_t lowerBound = 0;
};

/// Places buffers so that two which live at the same time do not overlap,
/// unless they are of one group. Offline interval packing is NP-hard; this
/// takes the best of few greedy orders, ends at once when one meets the lower
/// bound, and is deterministic. Fails with OutOfMemory where sizes overflow 63
/// bits, with Internal for an alignment that is no power of two or a lifetime
/// that ends before it begins.
Expected<ArenaPlan> planArena(const std::vector<ArenaBuffer> &buffers);

} // namespace atc

#endif // ATC_SUPPORT_ARENAPLANNER_H
