// SHA-256 by OpenSSL.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Model/Sha256.h"

#include <new>
#include <openssl/evp.h>

namespace atc {

struct Sha256::Context {
  EVP_MD_CTX *handle = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(handle); }
};

/// OpenSSL's digest functions fail only where memory ends.
static void require(int success) {
  if (success != 1)
    throw std::bad_alloc();
}

Sha256::Sha256() : context(std::make_unique<Context>()) {
  require(context->handle != nullptr);
  require(EVP_DigestInit_ex(context->handle, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256 &&) noexcept = default;
Sha256 &Sha256::operator=(Sha256 &&) noexcept = default;

void Sha256::update(const void *data, uint64_t size) {
  require(EVP_DigestUpdate(context->handle, data, size));
}

Sha256::Digest Sha256::finish() {
  Digest digest;
  require(EVP_DigestFinal_ex(context->handle, digest.data(), nullptr));
  return digest;
}

Sha256::Digest Sha256::of(const void *data, uint64_t size) {
  Sha256 sha;
  sha.update(data, size);
  return sha.finish();
}

} // namespace atc
