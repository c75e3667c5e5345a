// TensorProto to a typed shape and its bytes in the weight store.
// SPDX-License-Identifier: Apache-2.0
#include "TensorReader.h"

#include "atc/Frontend/Protobuf/WireReader.h"
#include "atc/Support/CheckedMath.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace mlir::atc::onnx {
namespace {

using ::atc::Diagnostic;
using ::atc::ElementType;
using ::atc::ErrorCode;
using ::atc::Expected;
using ::atc::Status;
using ::atc::protobuf::WireReader;
using ::onnx::TensorProto;

Status invalid(std::string message) {
  return Status::error(ErrorCode::InvalidTensor, std::move(message));
}

/// How the values of a typed data field are coded.
enum class Coding : uint8_t { Raw, Packed, Varint };

/// Whether `field` may hold data of `type`, by the comments of onnx.proto, and
/// how. Packed fields hold the final bytes.
std::optional<Coding> fieldCoding(uint32_t field, ElementType type) {
  switch (field) {
  case TensorProto::kRawDataFieldNumber:
    return Coding::Raw;
  case TensorProto::kFloatDataFieldNumber:
    if (type == ElementType::F32 || type == ElementType::C64)
      return Coding::Packed;
    return std::nullopt;
  case TensorProto::kDoubleDataFieldNumber:
    if (type == ElementType::F64 || type == ElementType::C128)
      return Coding::Packed;
    return std::nullopt;
  case TensorProto::kInt64DataFieldNumber:
    if (type == ElementType::I64)
      return Coding::Varint;
    return std::nullopt;
  case TensorProto::kUint64DataFieldNumber:
    if (type == ElementType::U64 || type == ElementType::U32)
      return Coding::Varint;
    return std::nullopt;
  case TensorProto::kInt32DataFieldNumber:
    // Everything narrower than 32 bits, as bit patterns.
    if (type == ElementType::I32 || ::atc::elementTypeInfo(type).bits < 32)
      return Coding::Varint;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Bytes that one value of a varint-coded field stands for; types below eight
/// bits come packed, one byte a value.
size_t valueBytes(ElementType type) {
  return std::max<size_t>(::atc::elementTypeInfo(type).bits / 8, 1);
}

/// Appends the low bytes of values, little-endian.
void appendLow(std::vector<char> &bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i)
    bytes.push_back(static_cast<char>(value >> (8 * i)));
}

template <typename Values>
std::vector<char> narrow(const Values &values, size_t width) {
  std::vector<char> bytes;
  bytes.reserve(values.size() * width);
  for (auto value : values)
    appendLow(bytes, static_cast<uint64_t>(value), width);
  return bytes;
}

template <typename Values>
std::vector<char> copyPacked(const Values &values) {
  std::vector<char> bytes(values.size() * sizeof(*values.data()));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Decodes a packed field of varints; stops with an error past `limit` bytes.
Expected<std::vector<char>> decodeVarints(llvm::ArrayRef<char> coded,
                                          size_t width, uint64_t limit) {
  std::vector<char> bytes;
  bytes.reserve(limit);
  WireReader reader(reinterpret_cast<const uint8_t *>(coded.data()),
                    coded.size());
  while (!reader.atEnd()) {
    uint64_t value;
    if (!reader.readVarint(value))
      return invalid("truncated value in the tensor's data");
    if (bytes.size() + width > limit)
      return invalid("more values than the shape has elements");
    appendLow(bytes, value, width);
  }
  return std::move(bytes);
}

/// The data that the message itself still holds.
std::vector<char> copyField(const TensorProto &tensor, uint32_t field,
                            size_t width) {
  switch (field) {
  case TensorProto::kFloatDataFieldNumber:
    return copyPacked(tensor.float_data());
  case TensorProto::kDoubleDataFieldNumber:
    return copyPacked(tensor.double_data());
  case TensorProto::kInt64DataFieldNumber:
    return narrow(tensor.int64_data(), width);
  case TensorProto::kUint64DataFieldNumber:
    return narrow(tensor.uint64_data(), width);
  case TensorProto::kInt32DataFieldNumber:
    return narrow(tensor.int32_data(), width);
  default:
    return {tensor.raw_data().begin(), tensor.raw_data().end()};
  }
}

Expected<TensorData> readType(const TensorProto &tensor) {
  std::optional<ElementType> type =
      ::atc::elementTypeFromOnnx(tensor.data_type());
  if (!type || *type == ElementType::STRING)
    return Diagnostic{ErrorCode::UnsupportedType,
                      type ? std::string("string tensors are not supported")
                           : "unknown element type " +
                                 std::to_string(tensor.data_type()),
                      {},
                      {}};
  TensorData result{*type, {}, {}};
  for (int64_t dim : tensor.dims()) {
    if (dim < 0)
      return invalid("negative dimension " + std::to_string(dim));
    result.shape.push_back(dim);
  }
  return std::move(result);
}

} // namespace

Expected<std::optional<TensorReader::Field>>
TensorReader::findField(const TensorProto &tensor) const {
  llvm::SmallVector<Field> found;
  auto add = [&](uint32_t number, size_t count) {
    if (count != 0)
      found.push_back({number});
  };
  add(TensorProto::kRawDataFieldNumber, tensor.raw_data().size());
  add(TensorProto::kFloatDataFieldNumber, tensor.float_data_size());
  add(TensorProto::kInt32DataFieldNumber, tensor.int32_data_size());
  add(TensorProto::kInt64DataFieldNumber, tensor.int64_data_size());
  add(TensorProto::kDoubleDataFieldNumber, tensor.double_data_size());
  add(TensorProto::kUint64DataFieldNumber, tensor.uint64_data_size());

  // Markers of split-off payloads are unknown fields to protobuf.
  const std::string &unknown = tensor.unknown_fields();
  WireReader reader(reinterpret_cast<const uint8_t *>(unknown.data()),
                    unknown.size());
  while (!reader.atEnd()) {
    uint32_t number;
    ::atc::protobuf::WireType type;
    uint64_t value = 0;
    if (!reader.readTag(number, type))
      break;
    using ::atc::protobuf::WireType;
    bool read = type == WireType::Varint    ? reader.readVarint(value)
                : type == WireType::Fixed32 ? reader.skip(4)
                : type == WireType::Fixed64 ? reader.skip(8)
                : type == WireType::LengthDelimited
                    ? reader.readLength(value) && reader.skip(value)
                    : true; // Group tags; fields in between are read as ours.
    if (!read)
      break;
    if (number == ::atc::protobuf::kPayloadMarker && type == WireType::Varint &&
        value < source.payloads.size())
      found.push_back({source.payloads[value].field, &source.payloads[value]});
  }
  if (found.size() > 1)
    return invalid("the tensor's data is spread over several fields");
  if (found.empty())
    return std::optional<Field>();
  return std::optional<Field>(found.front());
}

Status TensorReader::readField(const TensorProto &tensor, const Field &field,
                               uint64_t bytes, TensorData &result) {
  std::optional<Coding> coding = fieldCoding(field.number, result.type);
  if (!coding)
    return invalid("the tensor's data stands in a field that cannot hold " +
                   std::string(::atc::elementTypeInfo(result.type).text));
  uint64_t size;
  if (!field.payload) {
    std::vector<char> copy =
        copyField(tensor, field.number, valueBytes(result.type));
    size = copy.size();
    result.data = std::move(copy);
  } else if (*coding == Coding::Varint) {
    llvm::ArrayRef<char> coded =
        store.getSource(source.storeSource)
            .slice(field.payload->offset, field.payload->length);
    // A varint has at least one byte, so hostile shapes reserve nothing.
    if (bytes / valueBytes(result.type) > coded.size())
      return invalid("fewer values than the shape has elements");
    Expected<std::vector<char>> decoded =
        decodeVarints(coded, valueBytes(result.type), bytes);
    if (!decoded)
      return decoded.status();
    size = decoded->size();
    result.data = std::move(*decoded);
  } else {
    size = field.payload->length;
    result.data = graph::WeightRange{source.storeSource, field.payload->offset,
                                     field.payload->length};
  }
  if (size != bytes)
    return invalid("data of " + std::to_string(size) +
                   " bytes, the shape needs " + std::to_string(bytes));
  return Status::success();
}

/// Any byte but zero is true in a file; a buffer holds 0 or 1.
Status TensorReader::normalizeBooleans(TensorData &tensor) {
  llvm::ArrayRef<char> bytes = getBytes(tensor);
  if (llvm::all_of(bytes, [](char byte) { return byte == 0 || byte == 1; }))
    return Status::success();
  std::vector<char> normal(bytes.begin(), bytes.end());
  for (char &byte : normal)
    byte = byte != 0;
  tensor.data = std::move(normal);
  return Status::success();
}

llvm::ArrayRef<char> TensorReader::getBytes(const TensorData &tensor) const {
  if (auto *owned = std::get_if<std::vector<char>>(&tensor.data))
    return *owned;
  std::optional<llvm::ArrayRef<char>> bytes =
      store.getBytes(std::get<graph::WeightRange>(tensor.data));
  assert(bytes && "ranges are checked when they are made");
  return *bytes;
}

Expected<TensorData> TensorReader::read(const TensorProto &tensor) {
  Expected<TensorData> result = readType(tensor);
  if (!result)
    return result;
  std::optional<int64_t> elements = ::atc::checkedProduct(result->shape);
  std::optional<int64_t> bytes;
  if (elements)
    bytes = ::atc::elementBytes(result->type, *elements);
  if (!bytes)
    return invalid("the shape has more elements than memory can hold");
  if (tensor.has_segment())
    return invalid("segmented tensors are not supported");

  if (tensor.data_location() == TensorProto::EXTERNAL) {
    Expected<graph::WeightRange> range = external.resolve(tensor, *bytes);
    if (!range)
      return range.status();
    result->data = *range;
  } else {
    Expected<std::optional<Field>> field = findField(tensor);
    if (!field)
      return field.status();
    if (!*field && *bytes != 0)
      return invalid("no data, the shape needs " + std::to_string(*bytes) +
                     " bytes");
    if (*field)
      if (Status status = readField(tensor, **field, *bytes, *result); !status)
        return status;
  }
  if (result->type == ElementType::BOOL)
    if (Status status = normalizeBooleans(*result); !status)
      return status;
  return result;
}

} // namespace mlir::atc::onnx
