// Anonymous mappings with advice for huge pages.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/PageMemory.h"

#include "atc/Support/CheckedMath.h"

#include <sys/mman.h>
#include <utility>

namespace atc {

static constexpr uint64_t smallPage = 4096;
static constexpr uint64_t hugePage = uint64_t(2) << 20;

Expected<PageMemory> PageMemory::allocate(uint64_t bytes) {
  PageMemory memory;
  if (bytes == 0)
    return memory;
  uint64_t alignment = bytes >= hugePage ? hugePage : smallPage;
  std::optional<uint64_t> length = checkedAlignTo(bytes, smallPage);
  std::optional<uint64_t> total =
      length ? checkedAdd(*length, alignment - smallPage) : std::nullopt;
  void *mapping = MAP_FAILED;
  if (total)
    mapping = ::mmap(nullptr, *total, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return Status::error(ErrorCode::OutOfMemory,
                         "cannot allocate " + std::to_string(bytes) + " bytes");
  memory.mapping = mapping;
  memory.mappingLength = *total;
  memory.length = *length;
  uint64_t address = reinterpret_cast<uintptr_t>(mapping);
  memory.bytes = static_cast<uint8_t *>(mapping) +
                 (*checkedAlignTo(address, alignment) - address);
  // Advice: without huge pages everything works, only slower.
  if (alignment == hugePage)
    (void)::madvise(memory.bytes, memory.length, MADV_HUGEPAGE);
  return memory;
}

PageMemory::PageMemory(PageMemory &&other) noexcept
    : bytes(std::exchange(other.bytes, nullptr)),
      length(std::exchange(other.length, 0)),
      mapping(std::exchange(other.mapping, nullptr)),
      mappingLength(std::exchange(other.mappingLength, 0)) {}

PageMemory &PageMemory::operator=(PageMemory &&other) noexcept {
  std::swap(bytes, other.bytes);
  std::swap(length, other.length);
  std::swap(mapping, other.mapping);
  std::swap(mappingLength, other.mappingLength);
  return *this;
}

PageMemory::~PageMemory() {
  if (mapping)
    ::munmap(mapping, mappingLength);
}

} // namespace atc
