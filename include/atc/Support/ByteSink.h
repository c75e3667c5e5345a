// Where bytes are written to: a file or memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_BYTESINK_H
#define ATC_SUPPORT_BYTESINK_H

#include "atc/Support/Diagnostic.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace atc {

class ByteSink {
public:
  virtual ~ByteSink() = default;

  virtual Status append(const void *data, uint64_t size) = 0;
  /// Overwrites bytes that were appended before.
  virtual Status overwrite(uint64_t offset, const void *data,
                           uint64_t size) = 0;
  /// Bytes appended so far.
  virtual uint64_t position() const = 0;
};

/// Collects the bytes in memory.
class MemorySink final : public ByteSink {
public:
  Status append(const void *data, uint64_t size) override {
    const auto *begin = static_cast<const uint8_t *>(data);
    bytes.insert(bytes.end(), begin, begin + size);
    return Status::success();
  }
  Status overwrite(uint64_t offset, const void *data, uint64_t size) override {
    assert(offset <= bytes.size() && size <= bytes.size() - offset);
    if (size != 0)
      std::memcpy(bytes.data() + offset, data, size);
    return Status::success();
  }
  uint64_t position() const override { return bytes.size(); }

  std::vector<uint8_t> bytes;
};

} // namespace atc

#endif // ATC_SUPPORT_BYTESINK_H
