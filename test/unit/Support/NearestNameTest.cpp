// Guesses at misspelled names.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/NearestName.h"

#include <gtest/gtest.h>

using namespace atc;

static const std::vector<std::string> names = {"size", "scale", "std",
                                               "channels"};

TEST(NearestName, OneEdit) {
  EXPECT_EQ(nearestName("siz", names), "size");
  EXPECT_EQ(nearestName("sizes", names), "size");
  EXPECT_EQ(nearestName("sixe", names), "size");
  EXPECT_EQ(nearestName("siez", names), "size");
}

TEST(NearestName, LongNamesTakeMoreEdits) {
  EXPECT_EQ(nearestName("chanel", names), "channels");
  EXPECT_EQ(nearestName("channels", names), "channels");
}

TEST(NearestName, NoGuessAtOtherNames) {
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName("color", names), "");
  EXPECT_EQ(nearestName("size", {}), "");
  EXPECT_EQ(nearestName(std::string(100000, 's'), names), "");
  EXPECT_EQ(didYouMean("color", names), "");
}

TEST(NearestName, Question) {
  EXPECT_EQ(didYouMean("chanels", names), "; did you mean 'channels'?");
}
