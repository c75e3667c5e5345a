// Machine code of kernels, mapped from a freestanding ELF image.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_CPUCODE_H
#define ATC_RUNTIME_CPUCODE_H

#include "atc/Model/OfflineModel.h"
#include "atc/Support/KernelAbi.h"

#include <utility>
#include <vector>

namespace atc {

/// Where an image stands in a file that can be mapped.
struct CodeFile {
  int descriptor = -1;
  uint64_t offset = 0;
};

/// Owns the memory of one loaded image. The image is a shared object that needs
/// nothing from a dynamic linker: no relocations, no needed libraries, no
/// initializers, no thread-local and no writable data. Anything else is
/// DamagedOfflineModel, as is an image for another machine.
class CpuCode {
public:
  /// Maps the segments from the file if one is given, its offset is
  /// page-aligned and its file system allows execution; copies them otherwise.
  /// `image` is used during the call only.
  static Expected<CpuCode> load(ByteRange image, CodeFile file = {});

  CpuCode(CpuCode &&other) noexcept;
  CpuCode &operator=(CpuCode &&other) noexcept;
  CpuCode(const CpuCode &) = delete;
  CpuCode &operator=(const CpuCode &) = delete;
  ~CpuCode();

  /// The function at a virtual address of the image, or null if that address is
  /// not in an executable segment.
  atc_kernel entry(uint64_t address) const;

  /// Bytes of address space that the image takes.
  uint64_t size() const { return length; }

private:
  struct Segment {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t fileOffset = 0;
    uint32_t flags = 0;
  };
  CpuCode() = default;
  static Expected<std::vector<Segment>> readSegments(ByteRange image);
  Status mapSegments(ByteRange image, CodeFile file);
  void release();

  uint8_t *base = nullptr;
  uint64_t length = 0;
  std::vector<Segment> segments;
};

/// The context that kernels are called with: this library's import table.
const atc_kernel_context &kernelContext();

} // namespace atc

#endif // ATC_RUNTIME_CPUCODE_H
