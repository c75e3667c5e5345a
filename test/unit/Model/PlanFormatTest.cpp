// The binary form of plans: round trip, versions, damage.
// SPDX-License-Identifier: Apache-2.0
#include "PlanExamples.h"

#include "atc/Model/PlanFormat.h"

#include <gtest/gtest.h>

using namespace atc;
using namespace atc::test;

static std::vector<uint8_t> bytesOf(const Plan &plan) {
  Expected<std::vector<uint8_t>> bytes = serializePlan(plan);
  EXPECT_TRUE(bytes.ok()) << bytes.getDiagnostic().message;
  return *bytes;
}

static Expected<Plan> parse(const std::vector<uint8_t> &bytes) {
  return parsePlan(bytes.data(), bytes.size());
}

TEST(PlanFormat, RoundTripKeepsEverything) {
  std::vector<uint8_t> bytes = bytesOf(everythingPlan());
  Expected<Plan> plan = parse(bytes);
  ASSERT_TRUE(plan.ok()) << plan.getDiagnostic().message;
  EXPECT_EQ(bytesOf(*plan), bytes);

  EXPECT_EQ(plan->targetName, "CPU-x86-64-v3");
  EXPECT_EQ(plan->symbols[0].name, "batch");
  EXPECT_EQ(plan->codeImages[0].features, uint32_t(CpuFeatureAvx512Vnni));
  EXPECT_EQ(plan->kernels[0].launches[1].entries,
            (std::vector<uint64_t>{0x200, 0x90}));
  const auto &launch = std::get<LaunchInstruction>(plan->body[0].operation);
  EXPECT_EQ(launch.operands[2].view, 2u);
  EXPECT_EQ(launch.operands[2].access, Access::Write);
  EXPECT_EQ(launch.tileCount, PlanInt::reg(0));
  EXPECT_EQ(plan->body[0].source, "fc+relu");
  const auto &call = std::get<HostCallInstruction>(plan->body[1].operation);
  EXPECT_EQ(call.attributes, std::string("\0\1\2", 3));
}

TEST(PlanFormat, EmptyPlan) {
  Plan plan;
  plan.targetName = "CPU-x86-64-v3";
  std::vector<uint8_t> bytes = bytesOf(plan);
  EXPECT_EQ(bytes.size(), planformat::headerBytes + 16);
  EXPECT_TRUE(parse(bytes).ok());
}

TEST(PlanFormat, NegativeAndLargeNumbers) {
  Plan plan = everythingPlan();
  plan.symbols[0].max = PlanInt::maxStatic;
  plan.body[18].operation =
      StoreScalarInstruction{4, {0}, PlanInt(PlanInt::minStatic)};
  Expected<Plan> parsed = parse(bytesOf(plan));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->symbols[0].max, PlanInt::maxStatic);
  EXPECT_EQ(std::get<StoreScalarInstruction>(parsed->body[18].operation).value,
            PlanInt(PlanInt::minStatic));
}

TEST(PlanFormat, NewerVersionIsNamed) {
  std::vector<uint8_t> bytes = bytesOf(everythingPlan());
  bytes[planformat::versionOffset] = planformat::version + 1;
  Expected<Plan> plan = parse(bytes);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.getDiagnostic().code, ErrorCode::NewerOfflineModel);
}

TEST(PlanFormat, PaddingMayOnlyBeZero) {
  std::vector<uint8_t> bytes = bytesOf(everythingPlan());
  bytes.resize(bytes.size() + 40);
  EXPECT_TRUE(parse(bytes).ok());
  bytes.back() = 1;
  EXPECT_FALSE(parse(bytes).ok());
}

TEST(PlanFormat, EveryTruncationIsRefused) {
  std::vector<uint8_t> bytes = bytesOf(everythingPlan());
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy of the exact size lets the sanitizer see reads behind its end.
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + size);
    Expected<Plan> plan = parse(cut);
    ASSERT_FALSE(plan.ok()) << size;
    EXPECT_EQ(plan.getDiagnostic().code, ErrorCode::DamagedOfflineModel);
  }
}

TEST(PlanFormat, NoFlippedBitDoesHarm) {
  // Without the container's digests, a flip may yield another valid plan; it
  // must then still be one that can be written again.
  std::vector<uint8_t> bytes = bytesOf(everythingPlan());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] ^= 1 << bit;
      if (Expected<Plan> plan = parse(bytes); plan.ok())
        EXPECT_TRUE(serializePlan(*plan).ok()) << i << "." << bit;
      bytes[i] ^= 1 << bit;
    }
}

TEST(PlanFormat, NoExtremeWordDoesHarm) {
  std::vector<uint8_t> bytes = bytesOf(everythingPlan());
  for (size_t i = 0; i + 8 <= bytes.size(); i += 4)
    for (uint8_t value : {0x00, 0x7f, 0x80, 0xff}) {
      std::vector<uint8_t> changed = bytes;
      std::fill_n(changed.begin() + i, 8, value);
      (void)parse(changed);
    }
}
