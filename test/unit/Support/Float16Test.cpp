// Rounding of half precision and bfloat16.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/Float16.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace atc;

static bool isHalfNan(uint16_t half) { return (half & 0x7fff) > 0x7c00; }

TEST(Float16, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = halfToFloat(bits);
    if (isHalfNan(bits)) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(isHalfNan(floatToHalf(value)));
      continue;
    }
    EXPECT_EQ(floatToHalf(value), bits);
  }
}

TEST(Float16, KnownValues) {
  EXPECT_EQ(halfToFloat(0x3c00), 1.0f);
  EXPECT_EQ(halfToFloat(0x0001), 0x1p-24f);
  EXPECT_EQ(halfToFloat(0x7bff), 65504.0f);
  EXPECT_EQ(halfToFloat(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(halfToFloat(0x8000)));
}

/// Between two neighbours, the middle goes to the even one and everything
/// else to the nearer; over all finite halves, subnormal ones included.
TEST(Float16, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    float low = halfToFloat(bits), high = halfToFloat(bits + 1);
    float middle = low + (high - low) / 2; // exact in binary32
    uint32_t even = bits & 1 ? bits + 1 : bits;
    EXPECT_EQ(floatToHalf(middle), even) << bits;
    EXPECT_EQ(floatToHalf(-middle), even | 0x8000) << bits;
    EXPECT_EQ(floatToHalf(std::nextafter(middle, 0.0f)), bits);
    EXPECT_EQ(floatToHalf(std::nextafter(middle, 1e9f)), bits + 1);
  }
}

TEST(Float16, OverflowBecomesInfinity) {
  EXPECT_EQ(floatToHalf(65519.996f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(1e30f), 0x7c00);
  EXPECT_EQ(floatToHalf(-std::numeric_limits<float>::infinity()), 0xfc00);
}

TEST(Bfloat16, RoundsToNearestEven) {
  EXPECT_EQ(floatToBfloat(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat(floatFromBits(0x3f808000)), 0x3f80); // tie, even
  EXPECT_EQ(floatToBfloat(floatFromBits(0x3f818000)), 0x3f82); // tie, odd
  EXPECT_EQ(floatToBfloat(floatFromBits(0x3f808001)), 0x3f81);
  EXPECT_EQ(floatToBfloat(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(
      std::isnan(bfloatToFloat(floatToBfloat(floatFromBits(0x7f800001)))))
      << "a NaN whose payload is cut off";
}
