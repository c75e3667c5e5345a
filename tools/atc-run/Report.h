// What a series of runs took.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_REPORT_H
#define ATC_TOOLS_ATC_RUN_REPORT_H

#include "atc/Runtime/Session.h"

#include <string>
#include <vector>

namespace atc::run {

struct Report {
  double loadMs = 0;
  std::vector<double> latencyMs;
  unsigned threads = 0;
  SessionMemoryInfo memory;
  /// Device time of one run and its cycles, from the simulator.
  double deviceMs = 0;
  uint64_t deviceCycles = 0;

  /// The least value that at least `fraction` of the runs do not exceed.
  double quantile(double fraction) const;

  /// A few lines for people.
  std::string text() const;
  /// One line for programs.
  std::string json() const;
};

/// The most physical memory that this process has had, in megabytes.
double peakRssMb();

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_REPORT_H
