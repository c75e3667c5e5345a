// Shadow memory: bytes, granules, replacement.
// SPDX-License-Identifier: Apache-2.0
#include "RaceDetector.h"

#include <gtest/gtest.h>

using namespace atc::isa;
using namespace atc::sim;

namespace {

bool unordered(const Party &, bool) { return false; }

TEST(ShadowMemory, FindsConflictsByByte) {
  ShadowMemory shadow(256, false);
  shadow.add(30, 4, true, {0, 0, Pipe::V, 1, 7});
  EXPECT_FALSE(shadow.findRace(0, 30, true, unordered));
  EXPECT_FALSE(shadow.findRace(34, 100, true, unordered));
  auto race = shadow.findRace(33, 1, false, unordered);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->address, 33);
  EXPECT_EQ(race->earlier.instruction, 7u);
}

TEST(ShadowMemory, ReadsDoNotConflict) {
  ShadowMemory shadow(64, true);
  shadow.add(0, 64, false, {0, 0, Pipe::V, 1, 0});
  EXPECT_FALSE(shadow.findRace(0, 64, false, unordered));
  EXPECT_TRUE(shadow.findRace(0, 64, true, unordered));
}

TEST(ShadowMemory, AWriteReplacesWhatItCovers) {
  ShadowMemory shadow(64, false);
  shadow.add(0, 32, true, {0, 0, Pipe::V, 1, 1});
  shadow.add(0, 16, true, {0, 0, Pipe::V, 2, 2});
  EXPECT_EQ(shadow.findRace(0, 16, false, unordered)->earlier.sequence, 2u);
  EXPECT_EQ(shadow.findRace(16, 16, false, unordered)->earlier.sequence, 1u);
}

TEST(ShadowMemory, KeepsReadsOfEachPipe) {
  ShadowMemory shadow(32, true);
  shadow.add(0, 32, false, {0, 0, Pipe::V, 1, 1});
  shadow.add(0, 32, false, {0, 0, Pipe::MTE3, 1, 2});
  auto onlyV = [](const Party &party, bool) { return party.pipe != Pipe::V; };
  auto onlyMte3 = [](const Party &party, bool) {
    return party.pipe != Pipe::MTE3;
  };
  EXPECT_TRUE(shadow.findRace(0, 32, true, onlyV));
  EXPECT_TRUE(shadow.findRace(0, 32, true, onlyMte3));
}

TEST(ShadowMemory, KnowsWhichBytesWereWritten) {
  ShadowMemory shadow(100, false);
  shadow.add(10, 50, true, {0, 0, Pipe::V, 1, 0});
  EXPECT_EQ(shadow.findUninitialized(10, 50), std::nullopt);
  EXPECT_EQ(shadow.findUninitialized(9, 51), 9u);
  EXPECT_EQ(shadow.findUninitialized(10, 60), 60u);
}

} // namespace
