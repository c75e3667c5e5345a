// Codes and sizes of element types.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/ElementType.h"

#include <gtest/gtest.h>

using namespace atc;

TEST(ElementType, CodesOfOtherFormats) {
  EXPECT_EQ(elementTypeFromOnnx(1), ElementType::F32);
  EXPECT_EQ(elementTypeFromOnnx(10), ElementType::F16);
  EXPECT_EQ(elementTypeFromOnnx(0), std::nullopt);
  EXPECT_EQ(elementTypeFromOnnx(1000), std::nullopt);
  EXPECT_EQ(elementTypeFromNumpy("<i8"), ElementType::I64);
  EXPECT_EQ(elementTypeFromNumpy("|b1"), ElementType::BOOL);
  EXPECT_EQ(elementTypeFromNumpy(""), std::nullopt);
  EXPECT_EQ(elementTypeFromNumpy(">f4"), std::nullopt);
  EXPECT_EQ(elementTypeFromText("bfloat16"), ElementType::BF16);
  EXPECT_EQ(elementTypeFromText("float"), std::nullopt);
}

TEST(ElementType, ValuesFromFilesAreChecked) {
  EXPECT_TRUE(isElementType(0));
  EXPECT_TRUE(isElementType(static_cast<uint8_t>(ElementType::F4E2M1)));
  EXPECT_FALSE(isElementType(static_cast<uint8_t>(ElementType::F4E2M1) + 1));
}

TEST(ElementType, BytesRoundUpToWholeBytes) {
  EXPECT_EQ(elementBytes(ElementType::F32, 3), 12);
  EXPECT_EQ(elementBytes(ElementType::BOOL, 3), 3);
  EXPECT_EQ(elementBytes(ElementType::I4, 3), 2);
  EXPECT_EQ(elementBytes(ElementType::I4, 4), 2);
  EXPECT_EQ(elementBytes(ElementType::C128, 0), 0);
}

TEST(ElementType, BytesThatCannotBe) {
  EXPECT_EQ(elementBytes(ElementType::F64, INT64_MAX / 4), std::nullopt);
  EXPECT_EQ(elementBytes(ElementType::F32, -1), std::nullopt);
  EXPECT_EQ(elementBytes(ElementType::STRING, 1), std::nullopt);
}
