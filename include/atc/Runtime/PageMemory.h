// Large zeroed memory in huge pages.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_PAGEMEMORY_H
#define ATC_RUNTIME_PAGEMEMORY_H

#include "atc/Support/Diagnostic.h"

#include <cstdint>

namespace atc {

/// Owns anonymous memory that starts as zeros. Where it is large enough to
/// matter, it begins at a multiple of 2 MB and asks for huge pages: that saves
/// page-table walks in code that streams through weights.
class PageMemory {
public:
  PageMemory() = default;
  PageMemory(PageMemory &&other) noexcept;
  PageMemory &operator=(PageMemory &&other) noexcept;
  ~PageMemory();

  /// At least `bytes` bytes, page-aligned; OutOfMemory if there are none.
  static Expected<PageMemory> allocate(uint64_t bytes);

  uint8_t *data() const { return bytes; }
  uint64_t size() const { return length; }

private:
  uint8_t *bytes = nullptr;
  uint64_t length = 0;
  /// The whole mapping, with what precedes the aligned part.
  void *mapping = nullptr;
  uint64_t mappingLength = 0;
};

} // namespace atc

#endif // ATC_RUNTIME_PAGEMEMORY_H
