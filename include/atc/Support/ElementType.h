// Element types of tensors: sizes and codes in the formats that we read.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_ELEMENTTYPE_H
#define ATC_SUPPORT_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace atc {

/// The values are part of the plan format: append only.
enum class ElementType : uint8_t {
#define ATC_ELEMENT_TYPE(NAME, TEXT, BITS, GE, ONNX, NUMPY) NAME,
#include "atc/Support/ElementTypes.def"
};

/// What ElementTypes.def says of a type.
struct ElementTypeInfo {
  ElementType type;
  std::string_view text;
  /// Bits of one element in a buffer; types below 8 bits are packed.
  unsigned bits;
  int geCode;
  int onnxCode;
  std::string_view numpyDescr;
};

const ElementTypeInfo &elementTypeInfo(ElementType type);
std::optional<ElementType> elementTypeFromOnnx(int code);
std::optional<ElementType> elementTypeFromText(std::string_view text);
/// By NumPy's array-protocol text, e.g. "<f4".
std::optional<ElementType> elementTypeFromNumpy(std::string_view descr);
/// True for a value of the enumeration; for values read from a file.
bool isElementType(uint8_t value);
/// Bytes of `count` elements, rounded up to a whole byte; nullopt on overflow.
std::optional<int64_t> elementBytes(ElementType type, int64_t count);

} // namespace atc

#endif // ATC_SUPPORT_ELEMENTTYPE_H
