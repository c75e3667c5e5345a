// Bounds-checked memory of a core.
// SPDX-License-Identifier: Apache-2.0
#include "Memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace atc::sim {

namespace {
/// Segment i begins at address (i + 1) << segmentShift.
constexpr unsigned segmentShift = 40;
} // namespace

GlobalMemory::GlobalMemory(const std::vector<BufferBinding> &bindings)
    : addresses(bindings.size()) {
  std::vector<size_t> order(bindings.size());
  std::iota(order.begin(), order.end(), size_t(0));
  auto begin = [&](size_t i) {
    return static_cast<uint8_t *>(bindings[i].data);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::less<uint8_t *>()(begin(a), begin(b)) ||
           (begin(a) == begin(b) && a < b);
  });
  for (size_t index : order) {
    const BufferBinding &binding = bindings[index];
    bool overlaps = !segments.empty() &&
                    begin(index) < segments.back().data + segments.back().bytes;
    if (!overlaps)
      segments.push_back({begin(index), 0, {}});
    Segment &segment = segments.back();
    uint64_t offset = static_cast<uint64_t>(begin(index) - segment.data);
    segment.bytes = std::max(segment.bytes, offset + binding.bytes);
    segment.bindings.push_back(binding);
    addresses[index] = static_cast<int64_t>(
        (uint64_t(segments.size()) << segmentShift) + offset);
  }
}

bool GlobalMemory::locate(int64_t address, size_t &segment,
                          uint64_t &offset) const {
  uint64_t number = static_cast<uint64_t>(address) >> segmentShift;
  if (number == 0 || number > segments.size())
    return false;
  segment = number - 1;
  offset = static_cast<uint64_t>(address) & ((uint64_t(1) << segmentShift) - 1);
  return true;
}

uint8_t *GlobalMemory::resolve(int64_t address, int64_t bytes,
                               bool isWrite) const {
  size_t index;
  uint64_t offset;
  if (!locate(address, index, offset))
    throw FatalFault{FaultKind::OutOfBounds,
                     fmt::format("gm address 0x{:x} is in no buffer", address)};
  const Segment &segment = segments[index];
  uint64_t size = static_cast<uint64_t>(bytes);
  if (offset > segment.bytes || size > segment.bytes - offset)
    throw FatalFault{
        FaultKind::OutOfBounds,
        fmt::format("{} {} bytes at byte {} of a gm buffer with {} bytes",
                    isWrite ? "writes" : "reads", bytes, offset,
                    segment.bytes)};
  if (isWrite) {
    bool allowed =
        std::any_of(segment.bindings.begin(), segment.bindings.end(),
                    [&](const BufferBinding &binding) {
                      uint64_t start =
                          static_cast<uint8_t *>(binding.data) - segment.data;
                      return binding.writable && offset >= start &&
                             offset + size <= start + binding.bytes;
                    });
    if (!allowed)
      throw FatalFault{FaultKind::OutOfBounds,
                       fmt::format("writes {} bytes at byte {} of a gm buffer "
                                   "that is read-only",
                                   bytes, offset)};
  }
  return segment.data + offset;
}

CoreMemory::CoreMemory(const isa::DeviceRecord &device, GlobalMemory &global)
    : global(global) {
  for (unsigned i = 1; i < isa::spaceCount; ++i)
    locals[i].resize(device.spaceBytes[i]);
  poison();
}

void CoreMemory::poison() {
  for (std::vector<uint8_t> &local : locals)
    std::fill(local.begin(), local.end(), uint8_t(0xff));
}

uint8_t *CoreMemory::access(isa::Space space, int64_t address, int64_t bytes,
                            bool isWrite) {
  uint8_t *pointer;
  if (space == isa::Space::GM) {
    pointer = global.resolve(address, bytes, isWrite);
    (isWrite ? gmWriteBytes : gmReadBytes) += static_cast<uint64_t>(bytes);
  } else {
    std::vector<uint8_t> &local = locals[static_cast<unsigned>(space)];
    int64_t size = static_cast<int64_t>(local.size());
    if (address < 0 || bytes > size || address > size - bytes)
      throw FatalFault{
          FaultKind::OutOfBounds,
          fmt::format("{} {} bytes at {} of {}, which has {} bytes",
                      isWrite ? "writes" : "reads", bytes, address,
                      isa::spaceName(space), size)};
    pointer = local.data() + address;
  }
  if (!accesses)
    return pointer;
  if (!accesses->empty()) {
    Access &last = accesses->back();
    if (last.space == space && last.isWrite == isWrite &&
        last.address + last.bytes == address) {
      last.bytes += bytes;
      return pointer;
    }
  }
  accesses->push_back({space, isWrite, address, bytes});
  return pointer;
}

} // namespace atc::sim
