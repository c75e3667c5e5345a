// NumPy's array format.
// SPDX-License-Identifier: Apache-2.0
#include "ArrayFile.h"

#include "atc/Support/CheckedMath.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <string_view>

namespace atc::run {
namespace {

Status malformed(const std::string &reason) {
  return Status::error(ErrorCode::MalformedArray,
                       "is no usable .npy file: " + reason);
}

struct NpyHeader {
  std::string descr;
  bool isFortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the header: a Python dictionary of three known keys, whose values are
/// a string, a boolean and a tuple of integers. Other expressions are refused.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  bool parse(NpyHeader &header) {
    if (!take('{'))
      return false;
    unsigned seen = 0;
    while (!take('}')) {
      std::string key;
      if (!parseString(key) || !take(':'))
        return false;
      bool ok = false;
      if (key == "descr")
        ok = mark(seen, 1) && parseString(header.descr);
      else if (key == "fortran_order")
        ok = mark(seen, 2) && parseBool(header.isFortranOrder);
      else if (key == "shape")
        ok = mark(seen, 4) && parseTuple(header.shape);
      if (!ok)
        return false;
      take(',');
    }
    skipSpace();
    return seen == 7 && rest.empty();
  }

private:
  static bool mark(unsigned &seen, unsigned bit) {
    bool isNew = !(seen & bit);
    seen |= bit;
    return isNew;
  }
  void skipSpace() {
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest[0])))
      rest.remove_prefix(1);
  }
  bool take(char wanted) {
    skipSpace();
    if (rest.empty() || rest[0] != wanted)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (rest.substr(0, word.size()) != word)
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  bool parseString(std::string &text) {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return false;
    text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }
  bool parseBool(bool &value) {
    value = takeWord("True");
    return value || takeWord("False");
  }
  bool parseTuple(std::vector<int64_t> &values) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      int64_t value = 0;
      auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), value);
      if (error != std::errc() || value < 0 || values.size() >= 32)
        return false;
      values.push_back(value);
      rest.remove_prefix(end - rest.data());
      // Python 2 wrote long integers with a suffix.
      takeWord("L");
      if (!take(',') && (rest.empty() || rest[0] != ')'))
        return false;
    }
    return true;
  }

  std::string_view rest;
};

/// How a type's elements lie in the file: in NumPy's own type, or as raw bits.
std::string descrOf(ElementType type) {
  const ElementTypeInfo &info = elementTypeInfo(type);
  if (!info.numpyDescr.empty())
    return std::string(info.numpyDescr);
  if (type == ElementType::I4)
    return "|i1";
  return info.bits == 16 ? "<u2" : "|u1";
}

/// The type of the elements, given what the model wants.
std::optional<ElementType> typeOf(std::string descr, ElementType wanted) {
  const ElementTypeInfo &info = elementTypeInfo(wanted);
  // '=' and '|' say nothing about the order of bytes that matters here.
  if (!descr.empty() && descr[0] == '=')
    descr[0] = '<';
  if (descr.size() == 3 && descr[2] == '1' && descr[0] == '<')
    descr[0] = '|';
  if (info.numpyDescr.empty()) {
    // Arrays of extension types are saved as bytes without meaning.
    unsigned bytes = info.bits == 16 ? 2 : 1;
    bool isRaw = descr == descrOf(wanted) ||
                 descr == "<V" + std::to_string(bytes) ||
                 descr == "|V" + std::to_string(bytes);
    if (isRaw)
      return wanted;
  }
  return elementTypeFromNumpy(descr);
}

/// Bytes of one element in the file.
unsigned fileBytes(ElementType type) {
  return std::max(1u, elementTypeInfo(type).bits / 8);
}

/// Reorders from Fortran order, where the first index runs fastest.
std::vector<uint8_t> toRowMajor(const uint8_t *data,
                                const std::vector<int64_t> &shape,
                                unsigned bytes, uint64_t count) {
  std::vector<uint8_t> result(count * bytes);
  std::vector<int64_t> index(shape.size());
  for (uint64_t from = 0; from < count; ++from) {
    uint64_t to = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      to = to * shape[dim] + index[dim];
    std::memcpy(&result[to * bytes], data + from * bytes, bytes);
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
  return result;
}

/// Two elements to a byte, low half first.
std::vector<uint8_t> pack(const std::vector<uint8_t> &bytes) {
  std::vector<uint8_t> packed((bytes.size() + 1) / 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    packed[i / 2] |= (bytes[i] & 0xf) << (i % 2 * 4);
  return packed;
}

} // namespace

Expected<HostArray> parseNpy(const uint8_t *data, uint64_t size,
                             ElementType wanted) {
  static constexpr char magic[] = "\x93NUMPY";
  if (size < 10 || std::memcmp(data, magic, 6) != 0)
    return malformed("it does not begin as one");
  unsigned version = data[6];
  if (version < 1 || version > 3)
    return malformed("its version is " + std::to_string(version));
  uint64_t lengthBytes = version == 1 ? 2 : 4;
  if (size < 8 + lengthBytes)
    return malformed("its header is cut off");
  uint64_t length = 0;
  for (unsigned i = 0; i < lengthBytes; ++i)
    length |= uint64_t(data[8 + i]) << (8 * i);
  uint64_t begin = 8 + lengthBytes;
  if (!isRangeInside(begin, length, size))
    return malformed("its header is cut off");
  NpyHeader header;
  if (!HeaderParser({reinterpret_cast<const char *>(data) + begin, length})
           .parse(header))
    return malformed("its header cannot be read");
  std::optional<ElementType> type = typeOf(header.descr, wanted);
  if (!type)
    return malformed("it has the type '" + header.descr +
                     "'; expects little-endian numbers or booleans");

  HostArray array{*type, header.shape, {}};
  if (Expected<uint64_t> bytes = arrayBytes(*type, header.shape); !bytes)
    return bytes.getDiagnostic();
  uint64_t count = *checkedProduct(header.shape);
  begin += length;
  if (size - begin != count * fileBytes(*type))
    return malformed("it has " + std::to_string(size - begin) +
                     " bytes of data, its shape " + shapeText(header.shape) +
                     " needs " + std::to_string(count * fileBytes(*type)));
  if (header.isFortranOrder && header.shape.size() > 1)
    array.bytes =
        toRowMajor(data + begin, header.shape, fileBytes(*type), count);
  else
    array.bytes.assign(data + begin, data + size);
  if (elementTypeInfo(*type).bits < 8)
    array.bytes = pack(array.bytes);
  return array;
}

std::string serializeNpy(const HostArray &array) {
  std::string shape;
  for (int64_t size : array.shape)
    shape += std::to_string(size) + ", ";
  // A tuple of one element keeps its comma, as Python wants it.
  if (array.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back();
  std::string header = "{'descr': '" + descrOf(array.elementType) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data begins at a multiple of 64.
  size_t prefix = 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string file = "\x93NUMPY\x01";
  file.push_back(0);
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  file += header;
  if (elementTypeInfo(array.elementType).bits >= 8) {
    file.append(array.bytes.begin(), array.bytes.end());
    return file;
  }
  int64_t count = *checkedProduct(array.shape);
  for (int64_t i = 0; i < count; ++i) {
    uint8_t half = (array.bytes[i / 2] >> (i % 2 * 4)) & 0xf;
    if (array.elementType == ElementType::I4 && half >= 8)
      half |= 0xf0;
    file.push_back(static_cast<char>(half));
  }
  return file;
}

} // namespace atc::run
