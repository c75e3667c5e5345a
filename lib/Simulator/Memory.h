// The memory that one core sees, with bounds checked and accesses recorded.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SIMULATOR_MEMORY_H
#define ATC_SIMULATOR_MEMORY_H

#include "atc/Isa/Device.h"
#include "atc/Simulator/Simulator.h"

#include <optional>
#include <string>
#include <vector>

namespace atc::sim {

/// Ends a block; caught at the launch.
struct FatalFault {
  FaultKind kind;
  std::string message;
  /// Where, if it is not the instruction that the scalar unit issues.
  std::optional<uint32_t> instruction = std::nullopt;
};

/// Contiguous bytes that an instruction touched.
struct Access {
  isa::Space space;
  bool isWrite;
  int64_t address;
  int64_t bytes;
};

/// The buffers of a launch, as global memory. Bindings that share host bytes
/// form one segment, so that aliases are the same addresses; segments lie so
/// far apart that no overrun reaches another.
class GlobalMemory {
public:
  struct Segment {
    uint8_t *data;
    uint64_t bytes;
    std::vector<BufferBinding> bindings;
  };

  explicit GlobalMemory(const std::vector<BufferBinding> &bindings);

  /// The address that the argument block holds for a binding.
  int64_t addressOf(size_t binding) const { return addresses[binding]; }
  const std::vector<Segment> &getSegments() const { return segments; }

  /// A segment and an offset in it; false for an address in no segment.
  bool locate(int64_t address, size_t &segment, uint64_t &offset) const;

  /// The host bytes of a range; throws FatalFault unless one segment holds all
  /// of it and, for writes, one writable binding does.
  uint8_t *resolve(int64_t address, int64_t bytes, bool isWrite) const;

private:
  std::vector<Segment> segments;
  std::vector<int64_t> addresses;
};

/// Local buffers of a core, and the way to global memory.
class CoreMemory {
public:
  CoreMemory(const isa::DeviceRecord &device, GlobalMemory &global);

  /// Every local byte becomes 0xff: not a number in all floating types.
  void poison();

  const uint8_t *read(isa::Space space, int64_t address, int64_t bytes) {
    return access(space, address, bytes, false);
  }
  uint8_t *write(isa::Space space, int64_t address, int64_t bytes) {
    return access(space, address, bytes, true);
  }

  /// From here on, accesses are appended to `log` (null: nowhere).
  void record(std::vector<Access> *log) { accesses = log; }

  uint64_t gmReadBytes = 0, gmWriteBytes = 0;

private:
  uint8_t *access(isa::Space space, int64_t address, int64_t bytes,
                  bool isWrite);

  GlobalMemory &global;
  std::array<std::vector<uint8_t>, isa::spaceCount> locals;
  std::vector<Access> *accesses = nullptr;
};

} // namespace atc::sim

#endif // ATC_SIMULATOR_MEMORY_H
