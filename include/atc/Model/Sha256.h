// SHA-256 digests.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_MODEL_SHA256_H
#define ATC_MODEL_SHA256_H

#include <array>
#include <cstdint>
#include <memory>

namespace atc {

/// Computes one digest from bytes that come in pieces.
class Sha256 {
public:
  using Digest = std::array<uint8_t, 32>;

  Sha256();
  ~Sha256();
  Sha256(Sha256 &&) noexcept;
  Sha256 &operator=(Sha256 &&) noexcept;

  void update(const void *data, uint64_t size);
  /// The digest of everything so far; the object cannot be used afterwards.
  Digest finish();

  /// The digest of one range.
  static Digest of(const void *data, uint64_t size);

private:
  struct Context;
  std::unique_ptr<Context> context;
};

} // namespace atc

#endif // ATC_MODEL_SHA256_H
