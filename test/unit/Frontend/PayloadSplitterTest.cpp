// Splitting payloads off protobuf messages.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Frontend/Protobuf/PayloadSplitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace atc::protobuf {
namespace {

using ::testing::HasSubstr;

// message Root { Root child = 1; bytes payload = 2; string name = 3; }
constexpr FieldRule kRootFields[] = {{1, FieldRule::Kind::Message, 0},
                                     {2, FieldRule::Kind::Payload}};
constexpr MessageRules kRules[] = {{kRootFields, 2}};
constexpr SplitSchema kSchema{kRules, 1};
constexpr uint64_t kThreshold = 16;

std::string varint(uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7)
    text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}
std::string field(uint32_t number, const std::string &contents) {
  return varint(number << 3 | 2) + varint(contents.size()) + contents;
}
std::string marker(uint64_t index) {
  return varint(kPayloadMarker << 3) + varint(index);
}
/// A field whose length is written in five bytes.
std::string patchedField(uint32_t number, const std::string &contents) {
  uint64_t size = contents.size();
  std::string length;
  for (int i = 0; i < 5; ++i, size >>= 7)
    length += static_cast<char>((size & 0x7f) | (i < 4 ? 0x80 : 0));
  return varint(number << 3 | 2) + length + contents;
}

Expected<SplitMessage> split(const std::string &text) {
  return splitPayloads(reinterpret_cast<const uint8_t *>(text.data()),
                       text.size(), kSchema, kThreshold);
}
std::string skeleton(const SplitMessage &message) {
  return {message.skeleton.begin(), message.skeleton.end()};
}
std::string errorOf(const std::string &text) {
  Expected<SplitMessage> result = split(text);
  if (result)
    return "no error";
  EXPECT_EQ(result.getDiagnostic().code, ErrorCode::MalformedModel);
  return result.getDiagnostic().message;
}

TEST(PayloadSplitter, KeepsAMessageWithoutLargePayloads) {
  std::string text = field(3, std::string(100, 'n')) +
                     field(1, field(2, std::string(15, 'p'))) + field(2, "");
  Expected<SplitMessage> result = split(text);
  ASSERT_TRUE(result);
  EXPECT_EQ(skeleton(*result), text);
  EXPECT_TRUE(result->payloads.empty());
}

TEST(PayloadSplitter, ReplacesAPayloadByItsMarker) {
  std::string payload(16, 'p');
  std::string text = field(3, "a") + field(2, payload) + field(3, "b");
  Expected<SplitMessage> result = split(text);
  ASSERT_TRUE(result);
  EXPECT_EQ(skeleton(*result), field(3, "a") + marker(0) + field(3, "b"));
  ASSERT_EQ(result->payloads.size(), 1u);
  EXPECT_EQ(result->payloads[0].field, 2u);
  EXPECT_EQ(text.substr(result->payloads[0].offset, result->payloads[0].length),
            payload);
}

TEST(PayloadSplitter, PatchesTheLengthsOfAllMessagesAround) {
  std::string payload(1000, 'p');
  std::string text =
      field(1, field(1, "") + field(1, field(2, payload) + field(3, "in")) +
                   field(2, payload)) +
      field(3, "out");
  Expected<SplitMessage> result = split(text);
  ASSERT_TRUE(result);
  EXPECT_EQ(skeleton(*result),
            patchedField(1, field(1, "") +
                                patchedField(1, marker(0) + field(3, "in")) +
                                marker(1)) +
                field(3, "out"));
  EXPECT_EQ(result->payloads.size(), 2u);
}

TEST(PayloadSplitter, KeepsUnknownFieldsAndGroups) {
  std::string group = varint(9 << 3 | 3) + varint(1 << 3) + varint(300) +
                      field(2, std::string(50, 'g')) + varint(9 << 3 | 4);
  std::string text = group + varint(7 << 3 | 5) + "1234" + varint(7 << 3 | 1) +
                     "12345678" + varint(UINT32_MAX & ~7u) + varint(UINT64_MAX);
  Expected<SplitMessage> result = split(text);
  ASSERT_TRUE(result);
  EXPECT_EQ(skeleton(*result), text);
}

TEST(PayloadSplitter, ReportsTheOffsetOfATruncatedField) {
  EXPECT_EQ(errorOf(field(3, "abc") + varint(2 << 3 | 2) + varint(40) + "x"),
            "truncated field at byte 5");
  EXPECT_EQ(errorOf(field(3, "abc") + varint(4 << 3)),
            "truncated field at byte 5");
  EXPECT_EQ(errorOf("\x80"), "truncated field at byte 0");
}

TEST(PayloadSplitter, RefusesAFieldThatPassesItsMessage) {
  // The child has 3 bytes; its name claims 4, which the root could give.
  std::string text = varint(1 << 3 | 2) + varint(3) + varint(3 << 3 | 2) +
                     varint(4) + "abcdef";
  EXPECT_THAT(errorOf(text), HasSubstr("truncated field at byte 2"));
}

TEST(PayloadSplitter, RefusesALengthThatWouldOverflow) {
  EXPECT_THAT(errorOf(varint(2 << 3 | 2) + varint(UINT64_MAX) + "abc"),
              HasSubstr("truncated"));
  EXPECT_THAT(errorOf(varint(1 << 3 | 2) + varint(UINT64_MAX - 1) + "abc"),
              HasSubstr("truncated"));
}

TEST(PayloadSplitter, RefusesInvalidTags) {
  EXPECT_EQ(errorOf(varint(0) + "abc"), "invalid field tag at byte 0");
  EXPECT_EQ(errorOf(varint(1 << 3 | 6) + "abc"), "invalid field tag at byte 0");
}

TEST(PayloadSplitter, RefusesUnmatchedGroups) {
  EXPECT_THAT(errorOf(varint(9 << 3 | 4)), HasSubstr("end of group"));
  EXPECT_THAT(errorOf(varint(9 << 3 | 3) + varint(8 << 3 | 4)),
              HasSubstr("end of group"));
  EXPECT_THAT(errorOf(varint(9 << 3 | 3)), HasSubstr("truncated"));
}

TEST(PayloadSplitter, RefusesAForgedMarker) {
  EXPECT_THAT(errorOf(marker(0)), HasSubstr("reserved field"));
  EXPECT_THAT(errorOf(field(kPayloadMarker, "x")), HasSubstr("reserved field"));
}

TEST(PayloadSplitter, BoundsNesting) {
  std::string text = "";
  for (unsigned i = 1; i < kMaxMessageDepth; ++i)
    text = field(1, text);
  EXPECT_TRUE(split(text));
  EXPECT_THAT(errorOf(field(1, text)), HasSubstr("nested deeper"));
  std::string groups;
  for (unsigned i = 0; i < 100'000; ++i)
    groups += varint(1 << 3 | 3);
  EXPECT_THAT(errorOf(groups), HasSubstr("nested deeper"));
}

TEST(PayloadSplitter, SurvivesMutations) {
  std::string text =
      field(1, field(3, "name") + field(2, std::string(40, 'p')) +
                   field(1, field(2, std::string(20, 'q')))) +
      varint(9 << 3 | 3) + varint(9 << 3 | 4) + field(2, std::string(30, 'r'));
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string mutated = text;
    for (int flips = 1 + random() % 3; flips > 0; --flips)
      mutated[random() % mutated.size()] ^= 1 << random() % 8;
    mutated.resize(mutated.size() - random() % 4);
    Expected<SplitMessage> result = split(mutated);
    if (!result)
      continue;
    for (const Payload &payload : result->payloads)
      EXPECT_TRUE(payload.offset <= mutated.size() &&
                  payload.length <= mutated.size() - payload.offset);
  }
}

} // namespace
} // namespace atc::protobuf
