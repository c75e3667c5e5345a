// Greedy interval packing: the best of several orders.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/ArenaPlanner.h"

#include "atc/Support/CheckedMath.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace atc {
namespace {

/// What is placed: a buffer alone or a whole group.
struct Item {
  uint64_t size = 0;
  uint64_t alignment = 1;
  uint32_t first = std::numeric_limits<uint32_t>::max();
  uint32_t last = 0;
  /// The most bytes alive at one time during the item's life.
  uint64_t pressure = 0;
};

/// Finds the items that live in a span of time: a binary search tree over the
/// items sorted by first use, each node knowing the latest last use below it.
class LifetimeIndex {
public:
  explicit LifetimeIndex(const std::vector<Item> &items)
      : items(items), order(items.size()), latest(items.size()) {
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::make_pair(items[a].first, a) <
             std::make_pair(items[b].first, b);
    });
    computeLatest(0, items.size());
  }

  /// Calls visit(item) for every item that lives somewhere in [first, last].
  template <typename Visitor>
  void forEachAlive(uint32_t first, uint32_t last, Visitor &&visit) const {
    visitRange(0, order.size(), first, last, visit);
  }

private:
  // The recursion halves its range: its depth is the logarithm of the count.
  uint32_t computeLatest(size_t begin, size_t end) {
    if (begin == end)
      return 0;
    size_t middle = begin + (end - begin) / 2;
    uint32_t result = items[order[middle]].last;
    result = std::max(result, computeLatest(begin, middle));
    result = std::max(result, computeLatest(middle + 1, end));
    return latest[middle] = result;
  }

  template <typename Visitor>
  void visitRange(size_t begin, size_t end, uint32_t first, uint32_t last,
                  Visitor &visit) const {
    if (begin == end)
      return;
    size_t middle = begin + (end - begin) / 2;
    if (latest[middle] < first)
      return;
    visitRange(begin, middle, first, last, visit);
    const Item &item = items[order[middle]];
    if (item.first > last)
      return;
    if (item.last >= first)
      visit(order[middle]);
    visitRange(middle + 1, end, first, last, visit);
  }

  const std::vector<Item> &items;
  std::vector<uint32_t> order;
  std::vector<uint32_t> latest;
};

/// Live bytes over time as steps: at `time`, the total becomes `bytes`.
struct LiveStep {
  uint32_t time;
  uint64_t bytes;
};

class Planner {
public:
  explicit Planner(const std::vector<ArenaBuffer> &buffers)
      : buffers(buffers) {}

  Expected<ArenaPlan> run();

private:
  Status checkBuffers() const;
  void collectItems();
  std::vector<LiveStep> liveBytes() const;
  void computePressure(const std::vector<LiveStep> &steps);
  void place(const LifetimeIndex &index, const std::vector<uint32_t> &order,
             bool bestFit);
  void sweep();
  ArenaPlan finish(ArenaPlan plan) const;
  uint64_t countConflicts() const;

  const std::vector<ArenaBuffer> &buffers;
  std::vector<Item> items;
  std::vector<uint32_t> itemOfBuffer;
  std::vector<uint64_t> bestOffsets;
  uint64_t bestPeak = std::numeric_limits<uint64_t>::max();
};

} // namespace

static constexpr uint64_t unplaced = std::numeric_limits<uint64_t>::max();

Status Planner::checkBuffers() const {
  // With room for the padding in front of each buffer, no offset computed
  // below can overflow.
  uint64_t total = 0;
  for (const ArenaBuffer &buffer : buffers) {
    if (!isPowerOfTwo(buffer.alignment) || buffer.firstUse > buffer.lastUse)
      return Status::error(
          ErrorCode::Internal,
          "an arena buffer has alignment " + std::to_string(buffer.alignment) +
              " and lifetime [" + std::to_string(buffer.firstUse) + ", " +
              std::to_string(buffer.lastUse) + "]");
    std::optional<uint64_t> padded =
        checkedAdd<uint64_t>(buffer.size, buffer.alignment);
    std::optional<uint64_t> sum =
        padded ? checkedAdd(total, *padded) : std::nullopt;
    if (!sum || *sum > uint64_t(std::numeric_limits<int64_t>::max()))
      return Status::error(ErrorCode::OutOfMemory,
                           "the sizes of the buffers overflow 63 bits");
    total = *sum;
  }
  return Status::success();
}

void Planner::collectItems() {
  std::map<uint32_t, uint32_t> itemOfGroup;
  itemOfBuffer.reserve(buffers.size());
  for (const ArenaBuffer &buffer : buffers) {
    uint32_t index = items.size();
    if (buffer.group != ArenaBuffer::noGroup)
      index = itemOfGroup.emplace(buffer.group, index).first->second;
    if (index == items.size())
      items.emplace_back();
    Item &item = items[index];
    item.size = std::max(item.size, buffer.size);
    item.alignment = std::max<uint64_t>(item.alignment, buffer.alignment);
    item.first = std::min(item.first, buffer.firstUse);
    item.last = std::max(item.last, buffer.lastUse);
    itemOfBuffer.push_back(index);
  }
}

/// Sums, over time, the largest live member of each item.
std::vector<LiveStep> Planner::liveBytes() const {
  struct Event {
    uint64_t time;
    uint32_t buffer;
    bool begins;
  };
  std::vector<Event> events;
  events.reserve(2 * buffers.size());
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    events.push_back({buffers[i].firstUse, i, true});
    events.push_back({uint64_t(buffers[i].lastUse) + 1, i, false});
  }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return std::make_pair(a.time, a.buffer) < std::make_pair(b.time, b.buffer);
  });

  std::vector<std::multiset<uint64_t>> alive(items.size());
  std::vector<LiveStep> steps;
  uint64_t total = 0;
  for (size_t i = 0; i < events.size();) {
    uint64_t time = events[i].time;
    for (; i < events.size() && events[i].time == time; ++i) {
      const Event &event = events[i];
      std::multiset<uint64_t> &sizes = alive[itemOfBuffer[event.buffer]];
      total -= sizes.empty() ? 0 : *sizes.rbegin();
      if (event.begins)
        sizes.insert(buffers[event.buffer].size);
      else
        sizes.erase(sizes.find(buffers[event.buffer].size));
      total += sizes.empty() ? 0 : *sizes.rbegin();
    }
    if (time <= std::numeric_limits<uint32_t>::max())
      steps.push_back({static_cast<uint32_t>(time), total});
  }
  return steps;
}

/// Sets each item's pressure: a range maximum over the steps, by doubling.
void Planner::computePressure(const std::vector<LiveStep> &steps) {
  std::vector<std::vector<uint64_t>> maxima(1);
  for (const LiveStep &step : steps)
    maxima[0].push_back(step.bytes);
  for (size_t width = 1; 2 * width <= steps.size(); width *= 2) {
    const std::vector<uint64_t> &half = maxima.back();
    std::vector<uint64_t> whole(half.size() - width);
    for (size_t i = 0; i < whole.size(); ++i)
      whole[i] = std::max(half[i], half[i + width]);
    maxima.push_back(std::move(whole));
  }
  auto before = [](const LiveStep &step, uint32_t time) {
    return step.time < time;
  };
  for (Item &item : items) {
    // An item's first use is the time of a step.
    size_t begin =
        std::lower_bound(steps.begin(), steps.end(), item.first, before) -
        steps.begin();
    size_t end = std::upper_bound(steps.begin(), steps.end(), item.last,
                                  [](uint32_t time, const LiveStep &step) {
                                    return time < step.time;
                                  }) -
                 steps.begin();
    unsigned level = 0;
    while ((size_t(2) << level) <= end - begin)
      ++level;
    item.pressure = std::max(maxima[level][begin],
                             maxima[level][end - (size_t(1) << level)]);
  }
}

/// Places the items in the given order, each into the smallest (bestFit) or
/// lowest gap between those placed before. Keeps the result if it is the best
/// so far; gives up as soon as it cannot be.
void Planner::place(const LifetimeIndex &index,
                    const std::vector<uint32_t> &order, bool bestFit) {
  std::vector<uint64_t> offsets(items.size(), unplaced);
  std::vector<std::pair<uint64_t, uint64_t>> taken;
  uint64_t peak = 0;
  for (uint32_t current : order) {
    const Item &item = items[current];
    if (item.size == 0) {
      offsets[current] = 0;
      continue;
    }
    taken.clear();
    index.forEachAlive(item.first, item.last, [&](uint32_t other) {
      if (offsets[other] != unplaced && items[other].size != 0)
        taken.emplace_back(offsets[other], offsets[other] + items[other].size);
    });
    std::sort(taken.begin(), taken.end());
    uint64_t chosen = unplaced, chosenGap = unplaced;
    uint64_t end = 0;
    auto aligned = [&] { return *checkedAlignTo(end, item.alignment); };
    for (const auto &[begin, stop] : taken) {
      uint64_t start = aligned();
      if (start <= begin && begin - start >= item.size &&
          begin - start < chosenGap) {
        chosen = start;
        chosenGap = begin - start;
        if (!bestFit)
          break;
      }
      end = std::max(end, stop);
    }
    if (chosen == unplaced)
      chosen = aligned();
    offsets[current] = chosen;
    peak = std::max(peak, chosen + item.size);
    if (peak >= bestPeak)
      return;
  }
  bestPeak = peak;
  bestOffsets = std::move(offsets);
}

/// Walks along the time line with a list of free ranges: what is born takes the
/// smallest range that holds it, what dies returns its range.
void Planner::sweep() {
  std::vector<uint32_t> births(items.size()), deaths;
  std::iota(births.begin(), births.end(), 0u);
  deaths = births;
  std::sort(births.begin(), births.end(), [&](uint32_t a, uint32_t b) {
    // Larger ones first among those born together.
    return std::make_tuple(items[a].first, ~items[a].size, a) <
           std::make_tuple(items[b].first, ~items[b].size, b);
  });
  std::sort(deaths.begin(), deaths.end(), [&](uint32_t a, uint32_t b) {
    return std::make_pair(items[a].last, a) < std::make_pair(items[b].last, b);
  });

  bestPeak = 0;
  bestOffsets.assign(items.size(), 0);
  std::map<uint64_t, uint64_t> freeRanges = {{0, unplaced}}; // begin -> end
  auto release = [&](const Item &item, uint64_t begin) {
    uint64_t end = begin + item.size;
    auto next = freeRanges.lower_bound(begin);
    if (next != freeRanges.end() && next->first == end) {
      end = next->second;
      next = freeRanges.erase(next);
    }
    if (next != freeRanges.begin() && std::prev(next)->second == begin)
      std::prev(next)->second = end;
    else
      freeRanges.emplace_hint(next, begin, end);
  };
  size_t dead = 0;
  for (uint32_t current : births) {
    const Item &item = items[current];
    for (; items[deaths[dead]].last < item.first; ++dead)
      if (items[deaths[dead]].size != 0)
        release(items[deaths[dead]], bestOffsets[deaths[dead]]);
    if (item.size == 0)
      continue;
    auto best = freeRanges.end();
    uint64_t bestStart = 0;
    for (auto range = freeRanges.begin(); range != freeRanges.end(); ++range) {
      uint64_t start = *checkedAlignTo(range->first, item.alignment);
      if (start >= range->second || range->second - start < item.size)
        continue;
      if (best == freeRanges.end() ||
          range->second - range->first < best->second - best->first) {
        best = range;
        bestStart = start;
      }
    }
    auto [begin, end] = *best; // the last range is endless
    freeRanges.erase(best);
    if (bestStart != begin)
      freeRanges.emplace(begin, bestStart);
    if (bestStart + item.size != end)
      freeRanges.emplace(bestStart + item.size, end);
    bestOffsets[current] = bestStart;
    bestPeak = std::max(bestPeak, bestStart + item.size);
  }
}

/// Pairs of items that live at one time: what a placement costs.
uint64_t Planner::countConflicts() const {
  std::vector<uint32_t> ends;
  for (const Item &item : items)
    ends.push_back(item.last);
  std::sort(ends.begin(), ends.end());
  uint64_t pairs = 0;
  std::vector<uint32_t> starts;
  for (const Item &item : items)
    starts.push_back(item.first);
  std::sort(starts.begin(), starts.end());
  for (size_t i = 0; i < starts.size(); ++i)
    pairs += i - (std::lower_bound(ends.begin(), ends.end(), starts[i]) -
                  ends.begin());
  return pairs;
}

Expected<ArenaPlan> Planner::run() {
  if (Status status = checkBuffers(); !status)
    return status;
  ArenaPlan plan;
  plan.offsets.resize(buffers.size());
  if (buffers.empty())
    return plan;
  collectItems();
  std::vector<LiveStep> steps = liveBytes();
  for (const LiveStep &step : steps)
    plan.lowerBound = std::max(plan.lowerBound, step.bytes);
  computePressure(steps);

  // Each order sorts by a key, larger first; equal keys by first use.
  using Key = std::pair<uint64_t, uint64_t>;
  static constexpr auto byPressure = [](const Item &item) {
    return Key(item.pressure, item.size);
  };
  static constexpr auto bySize = [](const Item &item) {
    return Key(item.size, item.last - item.first);
  };
  static constexpr auto byLifetime = [](const Item &item) {
    return Key(item.last - item.first, item.size);
  };
  static constexpr auto byFirstUse = [](const Item &item) {
    return Key(std::numeric_limits<uint32_t>::max() - item.first, item.size);
  };
  using KeyFunction = Key (*)(const Item &);
  static constexpr KeyFunction keys[] = {byPressure, bySize, byLifetime,
                                         byFirstUse};
  // Comparing with all that live at the same time is quadratic; when very many
  // do, one pass along the time line has to be enough.
  static constexpr uint64_t manyConflicts = 20'000'000;
  if (countConflicts() > manyConflicts) {
    sweep();
    return finish(std::move(plan));
  }

  LifetimeIndex index(items);
  std::vector<uint32_t> order(items.size());
  for (KeyFunction key : keys) {
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      Key keyA = key(items[a]), keyB = key(items[b]);
      if (keyA != keyB)
        return keyA > keyB;
      return std::make_pair(items[a].first, a) <
             std::make_pair(items[b].first, b);
    });
    for (bool bestFit : {true, false}) {
      if (bestPeak > plan.lowerBound)
        place(index, order, bestFit);
    }
  }
  return finish(std::move(plan));
}

/// Turns the best offsets of items into those of buffers.
ArenaPlan Planner::finish(ArenaPlan plan) const {
  plan.peak = bestPeak;
  for (size_t i = 0; i < buffers.size(); ++i)
    plan.offsets[i] = buffers[i].size ? bestOffsets[itemOfBuffer[i]] : 0;
  return plan;
}

Expected<ArenaPlan> planArena(const std::vector<ArenaBuffer> &buffers) {
  return Planner(buffers).run();
}

} // namespace atc
