// ONNX's TensorProto, by its wire format.
// SPDX-License-Identifier: Apache-2.0
#include "ArrayFile.h"

#include "atc/Support/CheckedMath.h"

#include <cstring>
#include <string_view>

namespace atc::run {
namespace {

Status malformed(const std::string &reason) {
  return Status::error(ErrorCode::MalformedArray,
                       "is no usable TensorProto: " + reason);
}

/// Walks over the fields of one message. No field of a TensorProto that is read
/// here is a message itself, so nothing nests.
class WireReader {
public:
  WireReader(const uint8_t *data, uint64_t size)
      : cursor(data), end(data + size) {}

  bool atEnd() const { return cursor == end; }
  uint64_t left() const { return end - cursor; }

  bool varint(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 70 && cursor != end; shift += 7) {
      uint8_t byte = *cursor++;
      if (shift == 63 && byte > 1)
        return false;
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return true;
    }
    return false;
  }
  bool fixed(void *value, unsigned bytes) {
    if (left() < bytes)
      return false;
    std::memcpy(value, cursor, bytes);
    cursor += bytes;
    return true;
  }
  bool delimited(std::string_view &bytes) {
    uint64_t length;
    if (!varint(length) || length > left())
      return false;
    bytes = {reinterpret_cast<const char *>(cursor), length};
    cursor += length;
    return true;
  }
  /// Skips a field's value.
  bool skip(unsigned wireType) {
    uint64_t number;
    std::string_view bytes;
    switch (wireType) {
    case 0:
      return varint(number);
    case 1:
      return fixed(&number, 8);
    case 2:
      return delimited(bytes);
    case 5:
      return fixed(&number, 4);
    default:
      return false;
    }
  }

private:
  const uint8_t *cursor;
  const uint8_t *end;
};

enum Field : uint64_t {
  Dims = 1,
  DataType = 2,
  Segment = 3,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  DataLocation = 14,
};

/// What the message says; at most one kind of data is allowed.
struct TensorFields {
  std::vector<int64_t> dims;
  uint64_t dataType = 0;
  bool hasRaw = false;
  std::string_view raw;
  std::vector<uint64_t> integers; // int32_data, int64_data, uint64_data
  std::vector<uint8_t> reals;     // float_data, double_data: their bytes
  uint64_t realField = 0, integerField = 0;
};

/// Integers come one by one or packed into one value.
bool readIntegers(WireReader &reader, unsigned wireType,
                  std::vector<uint64_t> &values) {
  uint64_t value;
  if (wireType == 0) {
    if (!reader.varint(value))
      return false;
    values.push_back(value);
    return true;
  }
  std::string_view packed;
  if (wireType != 2 || !reader.delimited(packed))
    return false;
  WireReader inner(reinterpret_cast<const uint8_t *>(packed.data()),
                   packed.size());
  while (!inner.atEnd()) {
    if (!inner.varint(value))
      return false;
    values.push_back(value);
  }
  return true;
}

bool readReals(WireReader &reader, unsigned wireType, unsigned bytes,
               std::vector<uint8_t> &values) {
  if (wireType == (bytes == 4 ? 5 : 1)) {
    uint8_t value[8];
    if (!reader.fixed(value, bytes))
      return false;
    values.insert(values.end(), value, value + bytes);
    return true;
  }
  std::string_view packed;
  if (wireType != 2 || !reader.delimited(packed) || packed.size() % bytes)
    return false;
  values.insert(values.end(), packed.begin(), packed.end());
  return true;
}

/// Reads one field; a reason why not, or null.
const char *readField(WireReader &reader, TensorFields &fields) {
  static constexpr const char *cut = "it is cut off or damaged";
  uint64_t tag;
  if (!reader.varint(tag))
    return cut;
  unsigned wireType = tag & 7;
  switch (tag >> 3) {
  case Dims: {
    std::vector<uint64_t> values;
    if (!readIntegers(reader, wireType, values))
      return cut;
    for (uint64_t value : values)
      fields.dims.push_back(static_cast<int64_t>(value));
    return fields.dims.size() > 32 ? "it has too many dims" : nullptr;
  }
  case DataType:
    return wireType == 0 && reader.varint(fields.dataType) ? nullptr : cut;
  case FloatData:
  case DoubleData:
    fields.realField = tag >> 3;
    return readReals(reader, wireType, tag >> 3 == FloatData ? 4 : 8,
                     fields.reals)
               ? nullptr
               : cut;
  case Int32Data:
  case Int64Data:
  case Uint64Data:
    fields.integerField = tag >> 3;
    return readIntegers(reader, wireType, fields.integers) ? nullptr : cut;
  case RawData:
    fields.hasRaw = true;
    return wireType == 2 && reader.delimited(fields.raw) ? nullptr : cut;
  case StringData:
  case Segment:
    return "strings and segments are not supported";
  case DataLocation: {
    uint64_t location;
    if (wireType != 0 || !reader.varint(location))
      return cut;
    return location ? "its data is in another file" : nullptr;
  }
  default:
    return reader.skip(wireType) ? nullptr : cut;
  }
}

/// Which typed field carries a type's elements, and in how many bytes of its
/// entries.
uint64_t fieldOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::C64:
    return FloatData;
  case ElementType::F64:
  case ElementType::C128:
    return DoubleData;
  case ElementType::I64:
    return Int64Data;
  case ElementType::U32:
  case ElementType::U64:
    return Uint64Data;
  default:
    return Int32Data;
  }
}

Status storeTyped(const TensorFields &fields, HostArray &array) {
  uint64_t wanted = fieldOf(array.elementType);
  bool isReal = wanted == FloatData || wanted == DoubleData;
  if ((fields.realField && fields.realField != wanted) ||
      (fields.integerField && fields.integerField != wanted))
    return malformed("its data is in the field of another type");
  if (isReal) {
    array.bytes = fields.reals;
    return Status::success();
  }
  // One entry holds one element, but below a byte, two.
  unsigned bytes = std::max(1u, elementTypeInfo(array.elementType).bits / 8);
  array.bytes.resize(fields.integers.size() * bytes);
  for (size_t i = 0; i < fields.integers.size(); ++i)
    std::memcpy(&array.bytes[i * bytes], &fields.integers[i], bytes);
  return Status::success();
}

} // namespace

Expected<HostArray> parseTensorProto(const uint8_t *data, uint64_t size) {
  TensorFields fields;
  WireReader reader(data, size);
  while (!reader.atEnd())
    if (const char *fault = readField(reader, fields))
      return malformed(fault);
  std::optional<ElementType> type =
      fields.dataType < 1000
          ? elementTypeFromOnnx(static_cast<int>(fields.dataType))
          : std::nullopt;
  if (!type || elementTypeInfo(*type).bits == 0)
    return malformed("its element type is " + std::to_string(fields.dataType));
  HostArray array{*type, fields.dims, {}};
  Expected<uint64_t> bytes = arrayBytes(*type, fields.dims);
  if (!bytes)
    return bytes.getDiagnostic();
  if (fields.hasRaw) {
    if (fields.realField || fields.integerField)
      return malformed("it has its data twice");
    array.bytes.assign(fields.raw.begin(), fields.raw.end());
  } else if (Status status = storeTyped(fields, array); !status) {
    return status;
  }
  if (array.bytes.size() != *bytes)
    return malformed("it has " + std::to_string(array.bytes.size()) +
                     " bytes of data, its shape " + shapeText(array.shape) +
                     " needs " + std::to_string(*bytes));
  return array;
}

} // namespace atc::run
