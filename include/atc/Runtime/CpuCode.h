// Machine code of kernels, mapped from a freestanding ELF image.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_CPUCODE_H
#define ATC_RUNTIME_CPUCODE_H

#include "atc/Model/OfflineModel.h"
#include "atc/Support/KernelAbi.h"

#include <atomic>
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

/// Entries of this library's import table.
inline constexpr uint32_t kernelImportCount =
    sizeof(atc_kernel_imports) / sizeof(void (*)());

/// The context of one launch: the import table, and a place for the faults that
/// its threads find.
class LaunchContext : public atc_kernel_context {
public:
  LaunchContext();
  LaunchContext(const LaunchContext &) = delete;

  /// By kernels, from any thread. What they report must not depend on how the
  /// launch is divided among threads, so faults are a set.
  void report(uint32_t fault) const {
    faults.fetch_or(uint32_t(1) << (fault & 31), std::memory_order_relaxed);
  }
  /// Whether `fault` was reported; asked when the launch is over.
  bool has(atc_kernel_fault fault) const {
    return faults.load(std::memory_order_relaxed) >> fault & 1;
  }
  bool hasFaults() const { return faults.load(std::memory_order_relaxed) != 0; }

private:
  mutable std::atomic<uint32_t> faults{0};
};

} // namespace atc

#endif // ATC_RUNTIME_CPUCODE_H
