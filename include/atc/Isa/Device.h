// Device records: what one NPU has, as data.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_ISA_DEVICE_H
#define ATC_ISA_DEVICE_H

#include "atc/Isa/Instruction.h"

#include <string>

namespace atc::isa {

/// What a core can execute. A device has either fused cores, or cube and
/// vector cores that share global memory only.
enum class CoreType : uint8_t { Fused = 0, Cube = 1, Vector = 2 };
inline constexpr unsigned coreTypeCount = 3;
std::string_view coreTypeName(CoreType core);

/// Bytes per cycle of a core's paths; 0 where the device has no such path.
struct PortRates {
  unsigned gmToL1, gmToUb;
  unsigned ubToGm, ubToL1;
  unsigned l1ToL0A, l1ToL0B, l1ToBt;
  unsigned l0cToGm, l0cToL1, l0cToUb;
};

/// Bytes per cycle of all cores together.
struct SharedRates {
  unsigned l2Read, l2Write;
  unsigned dramRead, dramWrite;
};

/// Constants of the timing model, in cycles.
struct TimingConstants {
  /// A multiply-accumulate: occupancy = fractal products + head, and its
  /// result is complete `mmadLatency` after that.
  unsigned mmadHead, mmadLatency;
  unsigned mte1Head, mte1Latency;
  /// Added to each MTE1 instruction while MTE2 writes L1.
  unsigned mte1Contention;
  unsigned mte2Minimum, mte2HitLatency, mte2MissLatency;
  unsigned mte3Head, mte3Latency;
  unsigned fixHead, fixElementsPerCycle;
  /// Vector: added where lanes do not fill a repeat.
  unsigned vectorMaskPenalty;
  /// From the completion of a set to the release of the waiting pipe.
  unsigned flagLatency;
  /// From the host's call to the first instruction.
  unsigned launch;
};

/// One device. Sizes are in bytes.
struct DeviceRecord {
  std::string_view name;
  /// Generation, e.g. "2201"; devices of one generation run the same code if
  /// their buffers have the same sizes.
  std::string_view architecture;
  bool fused;
  unsigned cubeCores, vectorCores;
  unsigned cubeMHz, vectorMHz;
  std::array<uint64_t, spaceCount> spaceBytes;
  uint64_t l2Bytes;
  /// Bit DataType of what mmad and the vector unit compute in.
  uint16_t cubeTypes, vectorTypes;
  /// Nd2Nz can read a transposed matrix.
  bool transposingDma;
  /// Flag ids of each pair of pipes are [0, eventIds).
  unsigned eventIds;
  /// Instructions that wait in front of a pipe before the scalar unit stalls.
  unsigned queueDepth;
  PortRates ports;
  SharedRates shared;
  TimingConstants timing;

  uint64_t bytesOf(Space space) const {
    return spaceBytes[static_cast<unsigned>(space)];
  }
  /// Cores of the type; blocks of a launch run on them.
  unsigned coreCount(CoreType core) const {
    return core == CoreType::Vector ? vectorCores : cubeCores;
  }
};

/// All records, in order of name.
const DeviceRecord *deviceRecords();
unsigned deviceRecordCount();
/// Null for an unknown name.
const DeviceRecord *findDevice(std::string_view name);

/// Bit Pipe of the pipes that a core has; flags join any two of them.
uint8_t corePipes(CoreType core);

/// Why the device's core of that type cannot run the instruction, or an empty
/// text: a missing pipe or path, an element type, a flag id or an address
/// (where constant) out of range.
std::string deviceConflict(const Instruction &instruction,
                           const DeviceRecord &device, CoreType core);

} // namespace atc::isa

#endif // ATC_ISA_DEVICE_H
