// Records of executed launches, as trace and as table.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_PROFILE_H
#define ATC_RUNTIME_PROFILE_H

#include "atc/Support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atc {

/// How long a unit of a simulated device worked in a launch, over all cores.
struct UnitLoad {
  std::string_view unit;
  uint64_t busyCycles = 0;
};

/// One executed launch or host call. Texts belong to the model.
struct ProfileRecord {
  const std::string *name = nullptr;
  const std::string *opType = nullptr;
  const std::string *source = nullptr;
  /// Since the profile's begin.
  uint64_t startNs = 0;
  uint64_t durationNs = 0;
  int64_t tiles = 0;
  uint32_t threads = 1;
  /// Estimates of the compiler, 0 where unknown.
  uint64_t flops = 0;
  uint64_t bytes = 0;
  /// Of a simulated device.
  uint64_t cycles = 0;
  std::vector<UnitLoad> units = {};
};

class Profile {
public:
  /// Forgets all records and starts the clock.
  void restart();
  /// Nanoseconds since restart().
  uint64_t now() const;
  /// From the first launch of a simulated device on, records follow each other
  /// without gaps: its time is not that of this machine's clock.
  void add(ProfileRecord record);
  const std::vector<ProfileRecord> &records() const { return entries; }

  /// Chrome's trace event format: one complete event per record.
  std::string traceJson() const;
  /// Calls, time, share and rate of each kernel, most expensive first; for a
  /// simulated device also how busy its units were.
  std::string table() const;

private:
  uint64_t origin = 0;
  /// Where the last record ends.
  uint64_t end = 0;
  bool isSimulated = false;
  std::vector<ProfileRecord> entries;
};

} // namespace atc

#endif // ATC_RUNTIME_PROFILE_H
