// Records of executed launches, as trace and as table.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_PROFILE_H
#define ATC_RUNTIME_PROFILE_H

#include "atc/Support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace atc {

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
};

class Profile {
public:
  /// Forgets all records and starts the clock.
  void restart();
  /// Nanoseconds since restart().
  uint64_t now() const;
  void add(const ProfileRecord &record) { entries.push_back(record); }
  const std::vector<ProfileRecord> &records() const { return entries; }

  /// Chrome's trace event format: one complete event per record.
  std::string traceJson() const;
  /// Calls, time, share and rate of each kernel, most expensive first.
  std::string table() const;

private:
  uint64_t origin = 0;
  std::vector<ProfileRecord> entries;
};

} // namespace atc

#endif // ATC_RUNTIME_PROFILE_H
