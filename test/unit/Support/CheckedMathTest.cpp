// Arithmetic that tells when it overflows.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/CheckedMath.h"

#include <gtest/gtest.h>
#include <vector>

using namespace atc;

TEST(CheckedMath, OverflowHasNoValue) {
  EXPECT_EQ(checkedAdd<int64_t>(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(checkedSubtract<uint64_t>(1, 2), std::nullopt);
  EXPECT_EQ(checkedMultiply<int64_t>(INT64_MAX, 2), std::nullopt);
  EXPECT_EQ(checkedMultiply<int64_t>(-3, 4), -12);
}

TEST(CheckedMath, DivisionRoundsAsNamed) {
  EXPECT_EQ(checkedFloorDivide<int64_t>(-7, 2), -4);
  EXPECT_EQ(checkedFloorDivide<int64_t>(7, -2), -4);
  EXPECT_EQ(checkedFloorDivide<int64_t>(-8, 2), -4);
  EXPECT_EQ(checkedCeilDivide<int64_t>(-7, 2), -3);
  EXPECT_EQ(checkedCeilDivide<int64_t>(7, 2), 4);
  EXPECT_EQ(checkedCeilDivide<uint64_t>(UINT64_MAX, 2), uint64_t(1) << 63);
  EXPECT_EQ(checkedFloorDivide<int64_t>(1, 0), std::nullopt);
  EXPECT_EQ(checkedCeilDivide<int64_t>(INT64_MIN, -1), std::nullopt);
}

TEST(CheckedMath, AlignTo) {
  EXPECT_EQ(checkedAlignTo<uint64_t>(65, 64), 128u);
  EXPECT_EQ(checkedAlignTo<uint64_t>(64, 64), 64u);
  EXPECT_EQ(checkedAlignTo<uint64_t>(UINT64_MAX, 64), std::nullopt);
}

TEST(CheckedMath, RangesDoNotWrap) {
  EXPECT_TRUE(isRangeInside(0, 8, 8));
  EXPECT_TRUE(isRangeInside(8, 0, 8));
  EXPECT_FALSE(isRangeInside(1, 8, 8));
  EXPECT_FALSE(isRangeInside(UINT64_MAX, 2, 8));
}

TEST(CheckedMath, ProductOfSizes) {
  EXPECT_EQ(checkedProduct(std::vector<int64_t>{2, 3, 4}), 24);
  EXPECT_EQ(checkedProduct(std::vector<int64_t>{}), 1);
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ(checkedProduct(std::vector<int64_t>{large, large}), std::nullopt);
  EXPECT_EQ(checkedProduct(std::vector<int64_t>{large, large, 0}), 0);
  EXPECT_EQ(checkedProduct(std::vector<int64_t>{0, -1}), std::nullopt);
}
