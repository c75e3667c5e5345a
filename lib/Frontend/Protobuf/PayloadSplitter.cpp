// One pass over the wire format; copies what stays, notes what leaves.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Frontend/Protobuf/PayloadSplitter.h"

#include "atc/Frontend/Protobuf/WireReader.h"

#include <cassert>
#include <string>

namespace atc::protobuf {
namespace {

/// A length prefix padded to five bytes; parsers take non-minimal varints. It
/// can be written before the length is known.
constexpr size_t kPaddedLength = 5;
constexpr uint64_t kMaxSkeleton = INT32_MAX;
constexpr uint64_t kUnchanged = UINT64_MAX;

/// An open message or group.
struct Frame {
  /// Message: index in the schema. Group: its field number.
  uint32_t id;
  bool isGroup;
  /// Rules apply only inside messages that the schema describes.
  bool hasRules;
  /// Where the length prefix starts, and where the contents start and end.
  uint64_t prefix, body, end;
  /// Where the padded length stands in the skeleton, once it must change.
  uint64_t patch = kUnchanged;
};

class Splitter {
public:
  Splitter(const uint8_t *data, size_t size, const SplitSchema &schema,
           uint64_t threshold)
      : data(data), size(size), schema(schema), threshold(threshold),
        reader(data, size) {}

  Expected<SplitMessage> run();

private:
  Status step();
  Status endGroup(uint32_t field);
  Status lengthDelimited(uint32_t field, uint64_t tagOffset);
  Status push(Frame frame);
  Status pop();
  Status takeOut(uint32_t field, uint64_t tagOffset, uint64_t length);
  const FieldRule *findRule(uint32_t field) const;

  /// Copies the input up to `offset` that is not copied yet.
  void copyUpTo(uint64_t offset) {
    result.skeleton.insert(result.skeleton.end(), data + copied, data + offset);
    copied = offset;
  }
  void appendVarint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      result.skeleton.push_back(static_cast<uint8_t>(value | 0x80));
    result.skeleton.push_back(static_cast<uint8_t>(value));
  }
  static Status malformed(uint64_t offset, const std::string &what) {
    return Status::error(ErrorCode::MalformedModel,
                         what + " at byte " + std::to_string(offset));
  }

  const uint8_t *data;
  uint64_t size;
  const SplitSchema &schema;
  uint64_t threshold;
  WireReader reader;
  SplitMessage result;
  /// Input before this offset is in the skeleton or was left out.
  uint64_t copied = 0;
  std::vector<Frame> frames;
};

Expected<SplitMessage> Splitter::run() {
  frames.push_back({0, false, schema.count != 0, 0, 0, size});
  while (!frames.empty()) {
    const Frame &top = frames.back();
    Status status = !top.isGroup && reader.offset() == top.end ? pop() : step();
    if (!status)
      return status;
  }
  copyUpTo(size);
  if (result.skeleton.size() > kMaxSkeleton)
    return Diagnostic{ErrorCode::MalformedModel,
                      "the model without its large tensors has " +
                          std::to_string(result.skeleton.size()) +
                          " bytes, more than the 2 GiB that protobuf allows",
                      {},
                      {}};
  return std::move(result);
}

/// Reads one field of the innermost open message or group.
Status Splitter::step() {
  uint64_t tagOffset = reader.offset();
  uint32_t field;
  WireType type;
  if (!reader.readTag(field, type))
    return malformed(tagOffset,
                     reader.atEnd() ? "truncated field" : "invalid field tag");
  uint64_t varint;
  bool complete = true;
  switch (type) {
  case WireType::Varint:
    complete = reader.readVarint(varint);
    break;
  case WireType::Fixed32:
    complete = reader.skip(4);
    break;
  case WireType::Fixed64:
    complete = reader.skip(8);
    break;
  case WireType::StartGroup:
    return push({field, true, false, 0, reader.offset(), frames.back().end});
  case WireType::EndGroup:
    return endGroup(field);
  case WireType::LengthDelimited:
    return lengthDelimited(field, tagOffset);
  }
  if (!complete || reader.offset() > frames.back().end)
    return malformed(tagOffset, "truncated field");
  if (field == kPayloadMarker)
    return malformed(tagOffset, "reserved field " + std::to_string(field));
  return Status::success();
}

Status Splitter::endGroup(uint32_t field) {
  const Frame &top = frames.back();
  if (!top.isGroup || top.id != field || reader.offset() > top.end)
    return malformed(reader.offset(), "unmatched end of group");
  frames.pop_back();
  return Status::success();
}

Status Splitter::lengthDelimited(uint32_t field, uint64_t tagOffset) {
  uint64_t prefix = reader.offset();
  uint64_t length;
  if (!reader.readLength(length) || reader.offset() > frames.back().end ||
      length > frames.back().end - reader.offset())
    return malformed(tagOffset, "truncated field");
  const FieldRule *rule = findRule(field);
  if (rule && rule->kind == FieldRule::Kind::Message)
    return push({rule->message, false, true, prefix, reader.offset(),
                 reader.offset() + length});
  if (rule && length >= threshold)
    return takeOut(field, tagOffset, length);
  if (field == kPayloadMarker)
    return malformed(tagOffset, "reserved field " + std::to_string(field));
  reader.skip(length);
  return Status::success();
}

Status Splitter::push(Frame frame) {
  if (frames.size() >= kMaxMessageDepth)
    return malformed(frame.body, "messages nested deeper than " +
                                     std::to_string(kMaxMessageDepth));
  frames.push_back(frame);
  return Status::success();
}

/// Closes a message; if something left it, its length is known now.
Status Splitter::pop() {
  Frame frame = frames.back();
  frames.pop_back();
  if (frame.patch == kUnchanged)
    return Status::success();
  copyUpTo(frame.end);
  uint64_t length = result.skeleton.size() - frame.patch - kPaddedLength;
  if (length > kMaxSkeleton)
    return malformed(frame.prefix, "message of more than 2 GiB");
  uint8_t *prefix = result.skeleton.data() + frame.patch;
  for (size_t i = 0; i < kPaddedLength; ++i, length >>= 7)
    prefix[i] = static_cast<uint8_t>((length & 0x7f) |
                                     (i + 1 < kPaddedLength ? 0x80 : 0));
  return Status::success();
}

Status Splitter::takeOut(uint32_t field, uint64_t tagOffset, uint64_t length) {
  // The messages around it get shorter: give each a length to patch. The root
  // has none.
  for (size_t i = 1; i < frames.size(); ++i) {
    Frame &frame = frames[i];
    if (frame.patch != kUnchanged)
      continue;
    assert(!frame.isGroup && "rules never apply inside groups");
    copyUpTo(frame.prefix);
    frame.patch = result.skeleton.size();
    result.skeleton.resize(result.skeleton.size() + kPaddedLength);
    copied = frame.body;
  }
  copyUpTo(tagOffset);
  appendVarint(uint64_t{kPayloadMarker} << 3);
  appendVarint(result.payloads.size());
  result.payloads.push_back({field, reader.offset(), length});
  reader.skip(length);
  copied = reader.offset();
  return Status::success();
}

const FieldRule *Splitter::findRule(uint32_t field) const {
  const Frame &top = frames.back();
  if (!top.hasRules)
    return nullptr;
  const MessageRules &message = schema.messages[top.id];
  for (size_t i = 0; i < message.count; ++i)
    if (message.fields[i].field == field)
      return &message.fields[i];
  return nullptr;
}

} // namespace

Expected<SplitMessage> splitPayloads(const uint8_t *data, size_t size,
                                     const SplitSchema &schema,
                                     uint64_t threshold) {
  return Splitter(data, size, schema, threshold).run();
}

} // namespace atc::protobuf
