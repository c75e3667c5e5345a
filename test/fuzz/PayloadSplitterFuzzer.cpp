// Feeds arbitrary bytes to the wire walker.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Frontend/Protobuf/PayloadSplitter.h"

#include <cstdlib>

using namespace atc::protobuf;

// A schema with every kind of step: descent, recursion and payloads.
static constexpr FieldRule kOuter[] = {{7, FieldRule::Kind::Message, 1},
                                       {20, FieldRule::Kind::Payload}};
static constexpr FieldRule kInner[] = {{1, FieldRule::Kind::Message, 0},
                                       {5, FieldRule::Kind::Message, 1},
                                       {9, FieldRule::Kind::Payload}};
static constexpr MessageRules kRules[] = {{kOuter, 2}, {kInner, 3}};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto result = splitPayloads(data, size, SplitSchema{kRules, 2}, 8);
  if (!result)
    return 0;
  uint64_t end = 0;
  for (const Payload &payload : result->payloads) {
    if (payload.offset < end || payload.length > size - payload.offset)
      std::abort();
    end = payload.offset + payload.length;
  }
  return 0;
}
