// A file mapped read-only into memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_MAPPEDFILE_H
#define ATC_SUPPORT_MAPPEDFILE_H

#include "atc/Support/Diagnostic.h"

#include <cstdint>
#include <string>

namespace atc {

/// Owns a mapping and the descriptor behind it. Pages are read when touched and
/// belong to the page cache, so a mapped file costs no anonymous memory.
class MappedFile {
public:
  /// Maps a regular file; directories, devices and pipes are refused with
  /// FileNotFound, other failures are FileUnreadable. An empty file maps to
  /// data() == nullptr.
  static Expected<MappedFile> open(const std::string &path);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  const uint8_t *data() const { return bytes; }
  uint64_t size() const { return length; }
  /// Open for reading as long as this object lives.
  int descriptor() const { return fileDescriptor; }
  const std::string &path() const { return filePath; }

private:
  MappedFile() = default;
  void release();

  std::string filePath;
  const uint8_t *bytes = nullptr;
  uint64_t length = 0;
  int fileDescriptor = -1;
};

} // namespace atc

#endif // ATC_SUPPORT_MAPPEDFILE_H
