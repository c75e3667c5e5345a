// Kernels in CPU code, by the entries that the plan names.
// SPDX-License-Identifier: Apache-2.0
#include "Listing.h"

#include "atc/Support/CheckedMath.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace atc::objdump {

namespace {

struct CodeSegment {
  uint64_t begin, end;
};

/// The executable segments, by virtual address.
Expected<std::vector<CodeSegment>> findCode(ByteRange elf) {
  auto damaged = [](const char *reason) {
    return Status::error(ErrorCode::DamagedOfflineModel,
                         fmt::format("CPU code: {}", reason));
  };
  Elf64_Ehdr header;
  if (elf.size < sizeof(header))
    return damaged("no ELF header");
  std::memcpy(&header, elf.data, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(Elf64_Phdr) ||
      !isRangeInside(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr),
                     elf.size))
    return damaged("not an ELF image with program headers");
  std::vector<CodeSegment> segments;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, elf.data + header.e_phoff + i * sizeof(segment),
                sizeof(segment));
    std::optional<uint64_t> end =
        checkedAdd<uint64_t>(segment.p_vaddr, segment.p_memsz);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && end)
      segments.push_back({segment.p_vaddr, *end});
  }
  return segments;
}

} // namespace

Expected<std::string> listCpuKernels(const Plan &plan, size_t image,
                                     ByteRange elf,
                                     const ListingOptions &options) {
  Expected<std::vector<CodeSegment>> segments = findCode(elf);
  if (!segments)
    return segments.status();
  // What follows an entry, up to the next entry or the segment's end.
  std::map<uint64_t, uint64_t> sizes;
  for (const PlanKernel &kernel : plan.kernels)
    for (const PlanKernel::Launch &launch : kernel.launches)
      if (image < launch.entries.size())
        sizes[launch.entries[image]] = 0;
  for (auto at = sizes.begin(); at != sizes.end(); ++at)
    for (const CodeSegment &segment : *segments) {
      if (at->first < segment.begin || at->first >= segment.end)
        continue;
      auto next = std::next(at);
      uint64_t end = next == sizes.end() ? segment.end
                                         : std::min(next->first, segment.end);
      at->second = end - at->first;
    }

  std::string text;
  for (const PlanKernel &kernel : plan.kernels) {
    if (!options.kernel.empty() && kernel.name != options.kernel)
      continue;
    for (size_t i = 0; i < kernel.launches.size(); ++i) {
      if (image >= kernel.launches[i].entries.size())
        continue;
      uint64_t entry = kernel.launches[i].entries[image];
      text += fmt::format("{:08x} {:8} {} launch {}{}{}\n", entry, sizes[entry],
                          kernel.name, i, kernel.opType.empty() ? "" : ", ",
                          kernel.opType);
    }
  }
  return text;
}

} // namespace atc::objdump
