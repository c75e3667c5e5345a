// Statistics of runs as text and JSON.
// SPDX-License-Identifier: Apache-2.0
#include "Report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace atc::run {

double peakRssMb() {
  // getrusage() would count what the process was before exec() as well: the
  // size of the program that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kilobytes = 0; word == "VmHWM:" && status >> kilobytes)
      return kilobytes / 1024;
  return 0;
}

double Report::quantile(double fraction) const {
  if (latencyMs.empty())
    return 0;
  std::vector<double> sorted = latencyMs;
  std::sort(sorted.begin(), sorted.end());
  double rank = std::ceil(fraction * sorted.size());
  return sorted[static_cast<size_t>(std::max(1.0, rank)) - 1];
}

std::string Report::text() const {
  auto megabytes = [](uint64_t bytes) { return bytes / 1048576.0; };
  std::string text = fmt::format(
      "load {:.1f} ms, {} run{} on {} thread{}: min {:.3f} ms, median {:.3f} "
      "ms, p99 {:.3f} ms\n",
      loadMs, latencyMs.size(), latencyMs.size() == 1 ? "" : "s", threads,
      threads == 1 ? "" : "s", quantile(0), quantile(0.5), quantile(0.99));
  if (deviceCycles != 0)
    text += fmt::format("simulated device: {} cycles, {:.3f} ms a run\n",
                        deviceCycles, deviceMs);
  text += fmt::format(
      "memory: weights {:.2f} MB{}, arena {:.2f} MB (least possible {:.2f}), "
      "peak of the process {:.1f} MB\n",
      megabytes(memory.weights), memory.weightsAreResident ? "" : " mapped",
      megabytes(memory.arena), megabytes(memory.arenaLowerBound), peakRssMb());
  return text;
}

std::string Report::json() const {
  nlohmann::ordered_json object = {
      {"latency_ms", latencyMs},
      {"min_ms", quantile(0)},
      {"median_ms", quantile(0.5)},
      {"p99_ms", quantile(0.99)},
      {"load_ms", loadMs},
      {"peak_rss_mb", peakRssMb()},
      {"threads", threads},
      {"weights_bytes", memory.weights},
      {"arena_bytes", memory.arena},
      {"arena_lower_bound", memory.arenaLowerBound},
      {"scratch_bytes", memory.scratch}};
  if (deviceCycles != 0) {
    object["device_cycles"] = deviceCycles;
    object["device_ms"] = deviceMs;
  }
  return object.dump();
}

} // namespace atc::run
