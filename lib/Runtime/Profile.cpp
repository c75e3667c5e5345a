// Trace and table of a profile.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/Profile.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace atc {

static uint64_t clockNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Profile::restart() {
  entries.clear();
  origin = clockNs();
}

uint64_t Profile::now() const { return clockNs() - origin; }

std::string Profile::traceJson() const {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const ProfileRecord &record : entries) {
    nlohmann::ordered_json arguments = {{"source", *record.source},
                                        {"tiles", record.tiles},
                                        {"threads", record.threads}};
    if (record.flops != 0)
      arguments["flops"] = record.flops;
    if (record.bytes != 0)
      arguments["bytes"] = record.bytes;
    if (record.cycles != 0)
      arguments["cycles"] = record.cycles;
    events.push_back({{"name", *record.name},
                      {"cat", *record.opType},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", record.startNs / 1e3},
                      {"dur", record.durationNs / 1e3},
                      {"args", std::move(arguments)}});
  }
  nlohmann::ordered_json trace = {{"displayTimeUnit", "ms"},
                                  {"traceEvents", std::move(events)}};
  // Names may hold any bytes; what is not UTF-8 is replaced.
  return trace.dump(1, ' ', false,
                    nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

namespace {
struct KernelTotals {
  const std::string *opType = nullptr;
  uint64_t calls = 0, durationNs = 0, flops = 0, bytes = 0, cycles = 0;
  std::set<std::string> sources;
};
} // namespace

static std::string rate(uint64_t amount, uint64_t durationNs) {
  // Units per nanosecond are giga-units per second.
  return amount == 0 || durationNs == 0
             ? "-"
             : fmt::format("{:.1f}", double(amount) / double(durationNs));
}

std::string Profile::table() const {
  std::map<std::string, KernelTotals> totals;
  uint64_t all = 0;
  for (const ProfileRecord &record : entries) {
    KernelTotals &kernel = totals[*record.name];
    kernel.opType = record.opType;
    ++kernel.calls;
    kernel.durationNs += record.durationNs;
    kernel.flops += record.flops;
    kernel.bytes += record.bytes;
    kernel.cycles += record.cycles;
    if (!record.source->empty())
      kernel.sources.insert(*record.source);
    all += record.durationNs;
  }
  std::vector<std::pair<std::string, const KernelTotals *>> order;
  for (const auto &[name, kernel] : totals)
    order.emplace_back(name, &kernel);
  std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
    if (a.second->durationNs != b.second->durationNs)
      return a.second->durationNs > b.second->durationNs;
    return a.first < b.first;
  });

  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "{:<36} {:<16} {:>6} {:>10} {:>6} {:>10} {:>8} {:>7}  {}\n",
                 "kernel", "type", "calls", "total ms", "%", "mean us",
                 "GFLOP/s", "GB/s", "nodes");
  for (const auto &[name, kernel] : order) {
    std::string nodes = kernel->sources.empty() ? "" : *kernel->sources.begin();
    if (nodes.size() > 60)
      nodes = nodes.substr(0, 57) + "...";
    if (kernel->sources.size() > 1)
      nodes += fmt::format(" and {} more", kernel->sources.size() - 1);
    fmt::format_to(
        out,
        "{:<36} {:<16} {:>6} {:>10.3f} {:>6.1f} {:>10.1f} {:>8} {:>7}  {}\n",
        name.substr(0, 36), kernel->opType->substr(0, 16), kernel->calls,
        kernel->durationNs / 1e6, all ? 100.0 * kernel->durationNs / all : 0.0,
        kernel->durationNs / 1e3 / kernel->calls,
        rate(kernel->flops, kernel->durationNs),
        rate(kernel->bytes, kernel->durationNs), nodes);
  }
  fmt::format_to(out, "{:<36} {:<16} {:>6} {:>10.3f}\n", "total", "",
                 entries.size(), all / 1e6);
  return text;
}

} // namespace atc
