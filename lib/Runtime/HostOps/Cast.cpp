// Conversion of element types, one element at a time.
// SPDX-License-Identifier: Apache-2.0
#include "Cast.h"

#include "atc/Support/Float16.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace atc {
namespace {

/// A value on its way from one type to another: integers exactly, floating
/// point as double, which holds every narrower type exactly.
struct Number {
  bool isInteger;
  bool isUnsigned;
  uint64_t integer;
  double real;

  static Number ofSigned(int64_t value) {
    return {true, false, static_cast<uint64_t>(value), 0};
  }
  static Number ofUnsigned(uint64_t value) { return {true, true, value, 0}; }
  static Number ofReal(double value) { return {false, false, 0, value}; }
};

template <typename T>
T read(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void write(uint8_t *to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

Number load(ElementType type, const uint8_t *from) {
  switch (type) {
  case ElementType::F32:
    return Number::ofReal(read<float>(from));
  case ElementType::F16:
    return Number::ofReal(halfToFloat(read<uint16_t>(from)));
  case ElementType::BF16:
    return Number::ofReal(bfloatToFloat(read<uint16_t>(from)));
  case ElementType::F64:
    return Number::ofReal(read<double>(from));
  case ElementType::I8:
    return Number::ofSigned(read<int8_t>(from));
  case ElementType::I16:
    return Number::ofSigned(read<int16_t>(from));
  case ElementType::I32:
    return Number::ofSigned(read<int32_t>(from));
  case ElementType::I64:
    return Number::ofSigned(read<int64_t>(from));
  case ElementType::U16:
    return Number::ofUnsigned(read<uint16_t>(from));
  case ElementType::U32:
    return Number::ofUnsigned(read<uint32_t>(from));
  case ElementType::U64:
    return Number::ofUnsigned(read<uint64_t>(from));
  default: // U8 and BOOL
    return Number::ofUnsigned(*from);
  }
}

template <typename T>
T toInteger(const Number &number) {
  if (number.isInteger)
    return static_cast<T>(number.integer);
  if (std::isnan(number.real))
    return 0;
  // The limits as doubles may lie just outside the type; compare before
  // converting, since converting a value out of range is undefined.
  if (number.real >= -static_cast<double>(std::numeric_limits<T>::min()) &&
      std::is_signed_v<T>)
    return std::numeric_limits<T>::max();
  if (number.real <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (number.real >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(number.real);
}

template <typename T>
T toReal(const Number &number) {
  if (!number.isInteger)
    return static_cast<T>(number.real);
  return number.isUnsigned
             ? static_cast<T>(number.integer)
             : static_cast<T>(static_cast<int64_t>(number.integer));
}

/// Narrows to 16 bits with one rounding: the step over binary32 rounds to odd,
/// which keeps the information that the second rounding needs.
float toOddFloat(const Number &number) {
  if (!number.isInteger) {
    float nearest = static_cast<float>(number.real);
    double back = nearest;
    if (std::isnan(number.real) || back == number.real || std::isinf(nearest))
      return nearest;
    uint32_t bits = floatBits(nearest);
    if (bits & 1)
      return nearest;
    bool away = std::fabs(back) > std::fabs(number.real);
    return floatFromBits(away ? bits - 1 : bits + 1);
  }
  // Integers below 2^53 are exact doubles; beyond, every half is infinite and
  // a bfloat16 keeps 8 bits, so that setting the last bit stands for the rest.
  double real = toReal<double>(number);
  if (std::fabs(real) < 0x1p53)
    return toOddFloat(Number::ofReal(real));
  uint64_t magnitude = number.integer;
  bool negative = !number.isUnsigned && static_cast<int64_t>(magnitude) < 0;
  if (negative)
    magnitude = 0 - magnitude;
  magnitude = (magnitude >> 12 << 12) | ((magnitude & 0xfff) ? 0x1000 : 0);
  double truncated = static_cast<double>(magnitude);
  return toOddFloat(Number::ofReal(negative ? -truncated : truncated));
}

void store(ElementType type, uint8_t *to, const Number &number) {
  switch (type) {
  case ElementType::F32:
    return write(to, toReal<float>(number));
  case ElementType::F16:
    return write(to, floatToHalf(toOddFloat(number)));
  case ElementType::BF16:
    return write(to, floatToBfloat(toOddFloat(number)));
  case ElementType::F64:
    return write(to, toReal<double>(number));
  case ElementType::I8:
    return write(to, toInteger<int8_t>(number));
  case ElementType::I16:
    return write(to, toInteger<int16_t>(number));
  case ElementType::I32:
    return write(to, toInteger<int32_t>(number));
  case ElementType::I64:
    return write(to, toInteger<int64_t>(number));
  case ElementType::U8:
    return write(to, toInteger<uint8_t>(number));
  case ElementType::U16:
    return write(to, toInteger<uint16_t>(number));
  case ElementType::U32:
    return write(to, toInteger<uint32_t>(number));
  case ElementType::U64:
    return write(to, toInteger<uint64_t>(number));
  default: // BOOL
    return write<uint8_t>(to, number.isInteger ? number.integer != 0
                                               : number.real != 0);
  }
}

bool isCastable(ElementType type) { return type <= ElementType::BOOL; }

} // namespace

Status castOnHost(const HostCall &call) {
  if (call.tensorCount != 2 || call.resultCount != 0)
    return Status::error(ErrorCode::ExecutionFailed,
                         "cast expects a source and a destination");
  const TensorRef &source = call.tensors[0], &destination = call.tensors[1];
  bool equal =
      source.rank == destination.rank &&
      std::equal(source.sizes.begin(), source.sizes.begin() + source.rank,
                 destination.sizes.begin());
  if (!equal || !isCastable(source.elementType) ||
      !isCastable(destination.elementType) || source.layout ||
      destination.layout)
    return Status::error(ErrorCode::ExecutionFailed,
                         "cast expects strided tensors of one shape with real "
                         "element types");
  unsigned from = elementTypeInfo(source.elementType).bits / 8;
  unsigned to = elementTypeInfo(destination.elementType).bits / 8;
  std::array<int64_t, planformat::maxRank> index{};
  for (int64_t left = source.elementCount(); left > 0; --left) {
    int64_t at = 0, target = 0;
    for (uint32_t dim = 0; dim < source.rank; ++dim) {
      at += index[dim] * source.strides[dim];
      target += index[dim] * destination.strides[dim];
    }
    store(destination.elementType, destination.data + target * to,
          load(source.elementType, source.data + at * from));
    for (uint32_t dim = source.rank; dim-- > 0;) {
      if (++index[dim] < source.sizes[dim])
        break;
      index[dim] = 0;
    }
  }
  return Status::success();
}

} // namespace atc
