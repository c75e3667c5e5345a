// Little-endian integers in byte buffers, whatever the host's order.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_MODEL_LITTLEENDIAN_H
#define ATC_LIB_MODEL_LITTLEENDIAN_H

#include <cstdint>
#include <type_traits>
#include <vector>

namespace atc {

template <typename T>
T loadLittle(const uint8_t *bytes) {
  static_assert(std::is_unsigned_v<T>);
  T value = 0;
  for (unsigned i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
  return value;
}

template <typename T>
void storeLittle(uint8_t *bytes, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (unsigned i = 0; i < sizeof(T); ++i)
    bytes[i] = static_cast<uint8_t>(value >> (8 * i));
}

template <typename T>
void appendLittle(std::vector<uint8_t> &bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  storeLittle(bytes.data() + bytes.size() - sizeof(T), value);
}

} // namespace atc

#endif // ATC_LIB_MODEL_LITTLEENDIAN_H
