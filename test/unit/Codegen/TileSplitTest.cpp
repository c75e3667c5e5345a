// How loops are divided into tiles.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/TileSplit.h"

#include <gtest/gtest.h>

using namespace mlir::atc::cpu;

TEST(TileSplit, EndsForEverySizeAndUnit) {
  for (int64_t size = 0; size <= 70; ++size)
    for (int64_t unit : {1, 2, 4, 8, 16})
      for (double work : {1.0, 1e5, 1e7}) {
        TileSplit split = TileSplit::choose({size}, {unit}, 0, work);
        SCOPED_TRACE(testing::Message() << size << " in units of " << unit);
        if (size == 0) {
          EXPECT_EQ(split.tiles, 0);
          continue;
        }
        // All is covered, and no tile is empty.
        EXPECT_GE(split.chunk * split.tiles, size);
        EXPECT_LT(split.chunk * (split.tiles - 1), size);
        // The last of several tiles holds a unit at least.
        if (split.tiles > 1) {
          EXPECT_EQ(split.chunk % unit, 0);
          EXPECT_GE(size - split.chunk * (split.tiles - 1), unit);
        }
      }
}

TEST(TileSplit, SplitsOuterLoopsBeforeInner) {
  TileSplit split = TileSplit::choose({4, 1000, 8}, {1, 1, 8}, 2, 4 * 8192.0);
  EXPECT_EQ(split.split, 0);
  EXPECT_EQ(split.tiles, 4);
}
