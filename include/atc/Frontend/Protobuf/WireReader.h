// A bounds-checked cursor over protobuf's wire format.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_FRONTEND_PROTOBUF_WIREREADER_H
#define ATC_FRONTEND_PROTOBUF_WIREREADER_H

#include <cstddef>
#include <cstdint>

namespace atc::protobuf {

enum class WireType : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  LengthDelimited = 2,
  StartGroup = 3,
  EndGroup = 4,
  Fixed32 = 5,
};

/// Reads one field after the other. No method reads past `end`; each returns
/// false when it would have to, or when the bytes break the format. After a
/// failure the position is unspecified.
class WireReader {
public:
  WireReader(const uint8_t *data, size_t size)
      : begin(data), cursor(data), end(data + size) {}

  bool atEnd() const { return cursor == end; }
  uint64_t offset() const { return static_cast<uint64_t>(cursor - begin); }
  uint64_t remaining() const { return static_cast<uint64_t>(end - cursor); }
  const uint8_t *position() const { return cursor; }

  /// At most ten bytes; bits above the 64th are dropped as protobuf does.
  bool readVarint(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (atEnd())
        return false;
      uint8_t byte = *cursor++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
    return false;
  }

  bool readTag(uint32_t &field, WireType &type) {
    uint64_t tag;
    if (!readVarint(tag) || tag > UINT32_MAX)
      return false;
    field = static_cast<uint32_t>(tag >> 3);
    type = static_cast<WireType>(tag & 7);
    return field != 0 && (tag & 7) <= 5;
  }

  bool readFixed32(uint32_t &value) { return readFixed(value); }
  bool readFixed64(uint64_t &value) { return readFixed(value); }

  /// A length that fits in what is left.
  bool readLength(uint64_t &length) {
    return readVarint(length) && length <= remaining();
  }

  bool skip(uint64_t count) {
    if (count > remaining())
      return false;
    cursor += count;
    return true;
  }

private:
  template <typename T>
  bool readFixed(T &value) {
    if (remaining() < sizeof(T))
      return false;
    value = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      value |= static_cast<T>(cursor[i]) << (8 * i);
    cursor += sizeof(T);
    return true;
  }

  const uint8_t *begin;
  const uint8_t *cursor;
  const uint8_t *end;
};

} // namespace atc::protobuf

#endif // ATC_FRONTEND_PROTOBUF_WIREREADER_H
