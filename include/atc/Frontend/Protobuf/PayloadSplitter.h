// Takes large payloads out of a serialized protobuf message without copying.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_FRONTEND_PROTOBUF_PAYLOADSPLITTER_H
#define ATC_FRONTEND_PROTOBUF_PAYLOADSPLITTER_H

#include "atc/Support/Diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atc::protobuf {

/// What to do with one length-delimited field of a message.
struct FieldRule {
  /// Field number in the schema.
  uint32_t field;
  /// A field that holds bytes or packed numbers, or a message to look into.
  enum class Kind : uint8_t { Payload, Message } kind;
  /// For Kind::Message, the index of its MessageRules in the schema.
  uint16_t message = 0;
};

/// The fields of one message type that matter; all others are kept as is.
struct MessageRules {
  const FieldRule *fields;
  size_t count;
};

/// The part of a schema that leads to payloads. Message 0 is the root.
struct SplitSchema {
  const MessageRules *messages;
  size_t count;
};

/// A payload that was taken out: the contents of a length-delimited field.
struct Payload {
  /// Field number in the message that held it.
  uint32_t field;
  /// Range of the contents in the serialized message, in bytes.
  uint64_t offset;
  uint64_t length;
};

/// A message without its large payloads. In the place of each stands a varint
/// field `kPayloadMarker` whose value is an index into `payloads`.
struct SplitMessage {
  std::vector<uint8_t> skeleton;
  std::vector<Payload> payloads;
};

/// The field number that marks a removed payload. Protobuf reserves 19000 to
/// 19999, so no schema can declare it; a message that carries it already is
/// refused, so a marker always comes from us.
inline constexpr uint32_t kPayloadMarker = 19000;

/// Nesting that is accepted, messages and groups together. Reading the skeleton
/// needs the same recursion limit.
inline constexpr unsigned kMaxMessageDepth = 200;

/// Walks the wire format of `data` and splits payloads of at least `threshold`
/// bytes off. Everything is checked on the way: a truncated or malformed field
/// gives E13005 with its byte offset.
Expected<SplitMessage> splitPayloads(const uint8_t *data, size_t size,
                                     const SplitSchema &schema,
                                     uint64_t threshold);

} // namespace atc::protobuf

#endif // ATC_FRONTEND_PROTOBUF_PAYLOADSPLITTER_H
