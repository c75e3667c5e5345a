// Shadow memory of the happens-before check.
// SPDX-License-Identifier: Apache-2.0
#include "RaceDetector.h"

namespace atc::sim {

ShadowMemory::ShadowMemory(uint64_t bytes, bool initialized)
    : heads((bytes + granuleBytes - 1) / granuleBytes),
      written(heads.size(), initialized ? ~uint32_t(0) : 0), entries(1) {}

void ShadowMemory::markInitialized(uint64_t offset, uint64_t bytes) {
  forEachGranule(offset, bytes, [&](uint64_t granule, uint32_t mask) {
    written[granule] |= mask;
  });
}

std::optional<uint64_t> ShadowMemory::findUninitialized(uint64_t offset,
                                                        uint64_t bytes) const {
  std::optional<uint64_t> found;
  forEachGranule(offset, bytes, [&](uint64_t granule, uint32_t mask) {
    uint32_t missing = mask & ~written[granule];
    if (missing && !found)
      found = granule * granuleBytes + lowestBit(missing);
  });
  return found;
}

uint32_t ShadowMemory::allocate() {
  if (freeList) {
    uint32_t index = freeList;
    freeList = entries[index].next;
    return index;
  }
  entries.emplace_back();
  return static_cast<uint32_t>(entries.size() - 1);
}

void ShadowMemory::add(uint64_t offset, uint64_t bytes, bool isWrite,
                       const Party &party) {
  forEachGranule(offset, bytes, [&](uint64_t granule, uint32_t mask) {
    if (isWrite)
      written[granule] |= mask;
    // Whoever comes after this access comes after those that it replaces: a
    // write all accesses, a read the reads of its own pipe.
    uint32_t *link = &heads[granule];
    while (*link) {
      uint32_t index = *link;
      Entry &entry = entries[index];
      bool samePipe =
          entry.party.run == party.run && entry.party.pipe == party.pipe;
      if (isWrite || (samePipe && !entry.isWrite))
        entry.mask &= ~mask;
      if (entry.mask) {
        link = &entry.next;
        continue;
      }
      *link = entry.next;
      entry.next = freeList;
      freeList = index;
    }
    uint32_t index = allocate();
    entries[index] = {party, mask, heads[granule], isWrite};
    heads[granule] = index;
  });
}

} // namespace atc::sim
