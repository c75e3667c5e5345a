// Integer arithmetic that tells when it overflows.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_CHECKEDMATH_H
#define ATC_SUPPORT_CHECKEDMATH_H

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace atc {

/// a + b, a - b and a * b; nullopt where the result does not fit T.
template <typename T>
std::optional<T> checkedAdd(T a, T b) {
  T result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}
template <typename T>
std::optional<T> checkedSubtract(T a, T b) {
  T result;
  if (__builtin_sub_overflow(a, b, &result))
    return std::nullopt;
  return result;
}
template <typename T>
std::optional<T> checkedMultiply(T a, T b) {
  T result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// a / b rounded towards minus infinity; nullopt for a zero divisor and for
/// the one quotient that overflows.
template <typename T>
std::optional<T> checkedFloorDivide(T a, T b) {
  if (b == 0)
    return std::nullopt;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1 && a == std::numeric_limits<T>::min())
      return std::nullopt;
    return a / b - ((a % b != 0) && ((a % b < 0) != (b < 0)));
  }
  return a / b;
}

/// a / b rounded towards plus infinity, with the same refusals.
template <typename T>
std::optional<T> checkedCeilDivide(T a, T b) {
  if (b == 0)
    return std::nullopt;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1 && a == std::numeric_limits<T>::min())
      return std::nullopt;
    return a / b + ((a % b != 0) && ((a % b < 0) == (b < 0)));
  }
  return a / b + (a % b != 0);
}

/// The least multiple of `alignment` (a power of two) that is >= value.
template <typename T>
std::optional<T> checkedAlignTo(T value, T alignment) {
  static_assert(std::is_unsigned_v<T>);
  std::optional<T> raised = checkedAdd<T>(value, alignment - 1);
  if (!raised)
    return std::nullopt;
  return *raised & ~(alignment - 1);
}

/// True if [offset, offset + size) lies inside [0, limit).
inline bool isRangeInside(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

inline bool isPowerOfTwo(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

/// The product of the elements of a range of sizes; nullopt on overflow or a
/// negative size. A zero makes the product zero whatever the others are.
template <typename Range>
std::optional<int64_t> checkedProduct(const Range &sizes) {
  int64_t product = 1;
  bool overflow = false;
  for (int64_t size : sizes) {
    if (size < 0)
      return std::nullopt;
    if (size == 0)
      product = 0;
    if (product != 0 && __builtin_mul_overflow(product, size, &product)) {
      overflow = true;
      product = 1;
    }
  }
  if (product != 0 && overflow)
    return std::nullopt;
  return product;
}

} // namespace atc

#endif // ATC_SUPPORT_CHECKEDMATH_H
