// Placement of buffers by size and lifetime.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/ArenaPlanner.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <random>

using atc::ArenaBuffer;
using atc::ArenaPlan;
using atc::ErrorCode;
using atc::Expected;
using atc::planArena;

/// Alignment holds, the peak covers everything, and what lives together lies
/// apart unless it is of one group.
static void expectValid(const std::vector<ArenaBuffer> &buffers,
                        const ArenaPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), buffers.size());
  EXPECT_GE(plan.peak, plan.lowerBound);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const ArenaBuffer &a = buffers[i];
    EXPECT_EQ(plan.offsets[i] % a.alignment, 0u);
    EXPECT_LE(plan.offsets[i] + a.size, plan.peak);
    for (size_t j = 0; j < i; ++j) {
      const ArenaBuffer &b = buffers[j];
      if (a.group != ArenaBuffer::noGroup && a.group == b.group) {
        if (a.size != 0 && b.size != 0)
          EXPECT_EQ(plan.offsets[i], plan.offsets[j]);
        continue;
      }
      bool together = a.firstUse <= b.lastUse && b.firstUse <= a.lastUse;
      bool overlap = plan.offsets[i] < plan.offsets[j] + b.size &&
                     plan.offsets[j] < plan.offsets[i] + a.size;
      EXPECT_FALSE(together && overlap && a.size != 0 && b.size != 0)
          << i << " and " << j;
    }
  }
}

static ArenaPlan plan(const std::vector<ArenaBuffer> &buffers) {
  Expected<ArenaPlan> result = planArena(buffers);
  EXPECT_TRUE(result.ok());
  return *result;
}

TEST(ArenaPlanner, NothingNeedsNothing) {
  ArenaPlan result = plan({});
  EXPECT_EQ(result.peak, 0u);
  EXPECT_EQ(result.lowerBound, 0u);
}

TEST(ArenaPlanner, ChainReusesTwoBuffers) {
  std::vector<ArenaBuffer> buffers;
  for (uint32_t i = 0; i < 10; ++i)
    buffers.push_back({1024, 64, i, i + 1});
  ArenaPlan result = plan(buffers);
  expectValid(buffers, result);
  EXPECT_EQ(result.peak, 2048u);
  EXPECT_EQ(result.lowerBound, 2048u);
}

TEST(ArenaPlanner, TouchingLifetimesDoNotShare) {
  // The last reader of one is the writer of the next: both live there.
  std::vector<ArenaBuffer> buffers = {{64, 64, 0, 1}, {64, 64, 1, 2}};
  EXPECT_EQ(plan(buffers).peak, 128u);
}

TEST(ArenaPlanner, GroupSharesItsAddress) {
  // An in-place result: twice the bytes, but one place.
  std::vector<ArenaBuffer> buffers = {
      {256, 64, 0, 1, 7}, {512, 64, 1, 2, 7}, {128, 64, 0, 2}};
  ArenaPlan result = plan(buffers);
  expectValid(buffers, result);
  EXPECT_EQ(result.offsets[0], result.offsets[1]);
  EXPECT_EQ(result.peak, 640u);
  EXPECT_EQ(result.lowerBound, 640u);
}

TEST(ArenaPlanner, LowerBoundCountsOnlyLiveMembersOfAGroup) {
  // The large member is dead when the other buffer is born.
  std::vector<ArenaBuffer> buffers = {
      {512, 64, 0, 1, 0}, {64, 64, 1, 4, 0}, {256, 64, 3, 4}};
  ArenaPlan result = plan(buffers);
  expectValid(buffers, result);
  EXPECT_EQ(result.lowerBound, 512u);
}

TEST(ArenaPlanner, ZeroSizesTakeNoRoom) {
  std::vector<ArenaBuffer> buffers = {{0, 64, 0, 5}, {100, 64, 0, 5}};
  ArenaPlan result = plan(buffers);
  EXPECT_EQ(result.offsets[0], 0u);
  EXPECT_EQ(result.offsets[1], 0u);
  EXPECT_EQ(result.peak, 100u);
}

TEST(ArenaPlanner, AlignmentIsPerBuffer) {
  std::vector<ArenaBuffer> buffers = {
      {1, 1, 0, 9}, {1, 4096, 0, 9}, {1, 64, 0, 9}};
  ArenaPlan result = plan(buffers);
  expectValid(buffers, result);
}

TEST(ArenaPlanner, RefusesNonsense) {
  EXPECT_EQ(planArena({{8, 48, 0, 1}}).getDiagnostic().code,
            ErrorCode::Internal);
  EXPECT_EQ(planArena({{8, 64, 2, 1}}).getDiagnostic().code,
            ErrorCode::Internal);
  uint64_t huge = uint64_t(1) << 62;
  EXPECT_EQ(
      planArena({{huge, 64, 0, 1}, {huge, 64, 2, 3}}).getDiagnostic().code,
      ErrorCode::OutOfMemory);
}

TEST(ArenaPlanner, LastInstantOfTime) {
  std::vector<ArenaBuffer> buffers = {{64, 64, 0, UINT32_MAX},
                                      {64, 64, UINT32_MAX, UINT32_MAX}};
  EXPECT_EQ(plan(buffers).lowerBound, 128u);
}

TEST(ArenaPlanner, RandomPlansAreValidAndDeterministic) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaBuffer> buffers;
    uint32_t count = 1 + random() % 80;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t first = random() % 100;
      buffers.push_back({random() % 5000, 1u << random() % 8, first,
                         first + static_cast<uint32_t>(random() % 20)});
      if (random() % 4 == 0)
        buffers.back().group = random() % 10;
    }
    ArenaPlan result = plan(buffers);
    expectValid(buffers, result);
    EXPECT_EQ(result.offsets, plan(buffers).offsets);
  }
}

TEST(ArenaPlanner, LargeGraphIsPlannedInTime) {
  std::mt19937 random(2);
  std::vector<ArenaBuffer> buffers;
  for (uint32_t i = 0; i < 20000; ++i)
    buffers.push_back({64 * (1 + random() % 4096), 64, i,
                       i + 1 + static_cast<uint32_t>(random() % 30)});
  buffers.push_back({1 << 20, 64, 0, 20000});
  auto begin = std::chrono::steady_clock::now();
  ArenaPlan result = plan(buffers);
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  EXPECT_LT(result.peak, result.lowerBound + result.lowerBound / 5);
  EXPECT_LT(seconds, 10) << "expects well below a second when optimized";
}

TEST(ArenaPlanner, ManyAliveAtOnceArePlannedInTime) {
  std::vector<ArenaBuffer> buffers;
  for (uint32_t i = 0; i < 16000; ++i) {
    bool early = i < 8000;
    uint32_t birth = early ? 0 : 10 + i % 5;
    buffers.push_back({128 + 64 * (i % 3), 64, birth, birth + 9});
  }
  ArenaPlan result = plan(buffers);
  EXPECT_LT(result.peak, result.lowerBound + result.lowerBound / 2);
  // Validity at one instant: sorted by offset, no two overlap.
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].firstUse <= 14 && buffers[i].lastUse >= 14)
      ranges.emplace_back(result.offsets[i],
                          result.offsets[i] + buffers[i].size);
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i)
    EXPECT_LE(ranges[i - 1].second, ranges[i].first);
}
