// Look-ups in the table of element types.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/ElementType.h"

#include "atc/Support/CheckedMath.h"

#include <cassert>
#include <iterator>

namespace atc {

static constexpr ElementTypeInfo typeTable[] = {
#define ATC_ELEMENT_TYPE(NAME, TEXT, BITS, GE, ONNX, NUMPY)                    \
  {ElementType::NAME, TEXT, BITS, GE, ONNX, NUMPY},
#include "atc/Support/ElementTypes.def"
};

const ElementTypeInfo &elementTypeInfo(ElementType type) {
  assert(isElementType(static_cast<uint8_t>(type)));
  return typeTable[static_cast<uint8_t>(type)];
}

template <typename Predicate>
static std::optional<ElementType> findType(Predicate &&matches) {
  for (const ElementTypeInfo &info : typeTable)
    if (matches(info))
      return info.type;
  return std::nullopt;
}

std::optional<ElementType> elementTypeFromOnnx(int code) {
  return findType(
      [code](const ElementTypeInfo &info) { return info.onnxCode == code; });
}

std::optional<ElementType> elementTypeFromText(std::string_view text) {
  return findType(
      [text](const ElementTypeInfo &info) { return info.text == text; });
}

std::optional<ElementType> elementTypeFromNumpy(std::string_view descr) {
  return findType([descr](const ElementTypeInfo &info) {
    return !info.numpyDescr.empty() && info.numpyDescr == descr;
  });
}

bool isElementType(uint8_t value) { return value < std::size(typeTable); }

std::optional<int64_t> elementBytes(ElementType type, int64_t count) {
  unsigned bits = elementTypeInfo(type).bits;
  if (count < 0 || bits == 0)
    return std::nullopt;
  if (bits >= 8)
    return checkedMultiply<int64_t>(count, bits / 8);
  int64_t perByte = 8 / bits;
  return count / perByte + (count % perByte != 0);
}

} // namespace atc
