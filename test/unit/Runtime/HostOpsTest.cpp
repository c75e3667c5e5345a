// Host operators against their definitions.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/HostOps.h"

#include "atc/Support/Float16.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace atc;

template <typename To, typename From>
static To cast(ElementType from, From value, ElementType to) {
  To result = {};
  TensorRef tensors[2];
  tensors[0].elementType = from;
  tensors[0].data = reinterpret_cast<uint8_t *>(&value);
  tensors[1].elementType = to;
  tensors[1].data = reinterpret_cast<uint8_t *>(&result);
  HostCall call;
  call.tensors = tensors;
  call.tensorCount = 2;
  EXPECT_TRUE(findHostOp("cast")->function(call).ok());
  return result;
}

TEST(HostOps, UnknownNames) {
  EXPECT_EQ(findHostOp("no_such_op"), nullptr);
  EXPECT_EQ(findHostOp(""), nullptr);
}

TEST(Cast, FloatToIntegerTruncatesAndClamps) {
  using Type = ElementType;
  EXPECT_EQ(cast<int32_t>(Type::F32, -2.9f, Type::I32), -2);
  EXPECT_EQ(cast<int8_t>(Type::F32, 300.0f, Type::I8), 127);
  EXPECT_EQ(cast<int8_t>(Type::F32, -128.9f, Type::I8), -128);
  EXPECT_EQ(cast<uint8_t>(Type::F32, -1.0f, Type::U8), 0);
  EXPECT_EQ(cast<uint8_t>(Type::F64, 255.9, Type::U8), 255);
  EXPECT_EQ(cast<int64_t>(Type::F64, 0x1p63, Type::I64), INT64_MAX);
  EXPECT_EQ(cast<int64_t>(Type::F64, -0x1p63, Type::I64), INT64_MIN);
  EXPECT_EQ(cast<uint64_t>(Type::F64, 0x1p64, Type::U64), UINT64_MAX);
  EXPECT_EQ(cast<int32_t>(Type::F32, std::nanf(""), Type::I32), 0);
}

TEST(Cast, IntegersWrap) {
  using Type = ElementType;
  EXPECT_EQ(cast<int8_t>(Type::I32, 300, Type::I8), 44);
  EXPECT_EQ(cast<uint64_t>(Type::I32, -1, Type::U64), UINT64_MAX);
  EXPECT_EQ(cast<double>(Type::U64, UINT64_MAX, Type::F64), 0x1p64);
  EXPECT_EQ(cast<double>(Type::I64, INT64_MIN, Type::F64), -0x1p63);
}

TEST(Cast, Bool) {
  using Type = ElementType;
  EXPECT_EQ(cast<uint8_t>(Type::F32, 0.5f, Type::BOOL), 1);
  EXPECT_EQ(cast<uint8_t>(Type::F32, -0.0f, Type::BOOL), 0);
  EXPECT_EQ(cast<uint8_t>(Type::F32, std::nanf(""), Type::BOOL), 1);
  EXPECT_EQ(cast<float>(Type::BOOL, uint8_t(1), Type::F32), 1.0f);
}

TEST(Cast, NarrowFloatsRoundOnce) {
  using Type = ElementType;
  EXPECT_EQ(cast<uint16_t>(Type::F32, 1.0f, Type::F16), 0x3c00);
  EXPECT_EQ(cast<float>(Type::BF16, uint16_t(0x3f80), Type::F32), 1.0f);
  // Just above the middle of 1 and the next half: by way of binary32 it would
  // fall on the middle and then to the even side.
  EXPECT_EQ(cast<uint16_t>(Type::F64, 1 + 0x1p-11 + 0x1p-40, Type::F16),
            0x3c01);
  EXPECT_EQ(cast<uint16_t>(Type::F64, 1 + 0x1p-11 - 0x1p-40, Type::F16),
            0x3c00);
  EXPECT_EQ(cast<uint16_t>(Type::F64, -(1 + 0x1p-8 + 0x1p-40), Type::BF16),
            floatToBfloat(-1.0078125f));
  // 2^60 + 2^52 is the middle of two bfloat16; one more decides.
  EXPECT_EQ(cast<uint16_t>(Type::I64, (1LL << 60) + (1LL << 52), Type::BF16),
            floatToBfloat(0x1p60f));
  EXPECT_EQ(
      cast<uint16_t>(Type::I64, (1LL << 60) + (1LL << 52) + 1, Type::BF16),
      floatToBfloat(0x1p60f + 0x1p53f));
}

TEST(Cast, RefusesOtherShapesAndTypes) {
  TensorRef tensors[2];
  HostCall call;
  call.tensors = tensors;
  call.tensorCount = 2;
  tensors[1].rank = 1;
  EXPECT_FALSE(findHostOp("cast")->function(call).ok());
  tensors[1].rank = 0;
  tensors[1].elementType = ElementType::C64;
  EXPECT_FALSE(findHostOp("cast")->function(call).ok());
  call.tensorCount = 1;
  EXPECT_FALSE(findHostOp("cast")->function(call).ok());
}
