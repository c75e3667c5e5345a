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
  end = 0;
  isSimulated = false;
  origin = clockNs();
}

uint64_t Profile::now() const { return clockNs() - origin; }

void Profile::add(ProfileRecord record) {
  isSimulated |= record.cycles != 0;
  if (isSimulated)
    record.startNs = end;
  end = record.startNs + record.durationNs;
  entries.push_back(std::move(record));
}

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
    for (const UnitLoad &load : record.units)
      arguments["busy_cycles"][std::string(load.unit)] = load.busyCycles;
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
  uint64_t calls = 0, durationNs = 0, flops = 0, bytes = 0;
  /// Cycles of all cores that took part.
  uint64_t coreCycles = 0;
  std::map<std::string_view, uint64_t> busyCycles;
  std::set<std::string> sources;
};
using KernelOrder = std::vector<std::pair<std::string, const KernelTotals *>>;
} // namespace

static std::string rate(uint64_t amount, uint64_t durationNs) {
  // Units per nanosecond are giga-units per second.
  return amount == 0 || durationNs == 0
             ? "-"
             : fmt::format("{:.1f}", double(amount) / double(durationNs));
}

/// The share of their cores' time in which units worked; empty without units.
static std::string busyTable(const KernelOrder &order,
                             const std::vector<std::string_view> &units) {
  std::string text;
  if (units.empty())
    return text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<36}", "busy %");
  for (std::string_view unit : units)
    fmt::format_to(out, " {:>6}", unit);
  text += '\n';
  for (const auto &[name, kernel] : order) {
    if (kernel->coreCycles == 0)
      continue;
    fmt::format_to(out, "{:<36}", name.substr(0, 36));
    for (std::string_view unit : units) {
      auto busy = kernel->busyCycles.find(unit);
      fmt::format_to(out, " {:>6.1f}",
                     busy == kernel->busyCycles.end()
                         ? 0.0
                         : 100.0 * busy->second / kernel->coreCycles);
    }
    text += '\n';
  }
  return text;
}

std::string Profile::table() const {
  std::map<std::string, KernelTotals> totals;
  std::vector<std::string_view> units;
  uint64_t all = 0;
  for (const ProfileRecord &record : entries) {
    KernelTotals &kernel = totals[*record.name];
    kernel.opType = record.opType;
    ++kernel.calls;
    kernel.durationNs += record.durationNs;
    kernel.flops += record.flops;
    kernel.bytes += record.bytes;
    kernel.coreCycles += record.cycles * record.threads;
    for (const UnitLoad &load : record.units) {
      kernel.busyCycles[load.unit] += load.busyCycles;
      if (std::find(units.begin(), units.end(), load.unit) == units.end())
        units.push_back(load.unit);
    }
    if (!record.source->empty())
      kernel.sources.insert(*record.source);
    all += record.durationNs;
  }
  KernelOrder order;
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
  return text + busyTable(order, units);
}

} // namespace atc
