// Half precision and bfloat16 as bit patterns, converted with correct rounding.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_FLOAT16_H
#define ATC_SUPPORT_FLOAT16_H

#include <cstdint>
#include <cstring>

namespace atc {

inline uint32_t floatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// IEEE binary16 to binary32; exact. NaN payloads are kept.
inline float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f)
    return floatFromBits(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0)
    return floatFromBits(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // Subnormal: mantissa * 2^-24, exact in binary32.
  float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return floatFromBits(sign | floatBits(magnitude));
}

/// binary32 to IEEE binary16, to nearest, ties to even. Too large values become
/// infinity; a NaN stays a (quiet) NaN.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = floatBits(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | ((magnitude >> 13) & 0x3ff);
  if (magnitude >= 0x477ff000) // 65520 and more round to infinity.
    return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    // Normal: drop 13 bits; a carry runs into the exponent as it should.
    uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
    return sign | ((rounded - (112u << 23)) >> 13);
  }
  // Subnormal or zero: adding 0.5 aligns the last bit of the sum with 2^-24,
  // so that the addition itself rounds to nearest even.
  float aligned = floatFromBits(magnitude) + 0.5f;
  return sign | (floatBits(aligned) - 0x3f000000);
}

/// bfloat16 to binary32; exact.
inline float bfloatToFloat(uint16_t bfloat) {
  return floatFromBits(uint32_t(bfloat) << 16);
}

/// binary32 to bfloat16, to nearest, ties to even; a NaN stays a quiet NaN.
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = floatBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

} // namespace atc

#endif // ATC_SUPPORT_FLOAT16_H
