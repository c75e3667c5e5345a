// A file that appears whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_ATOMICFILE_H
#define ATC_SUPPORT_ATOMICFILE_H

#include "atc/Support/ByteSink.h"

#include <string>
#include <string_view>

namespace atc {

/// Writes to a file without a name, or with a temporary one where the file
/// system wants names, in the folder of the final path; commit() moves it into
/// place, and whatever goes wrong before that removes it. A file that already
/// had the final name stays as it was until then. Failures are
/// FileUnwritable (a full disk among them), PathTooLong or MissingFileName.
class AtomicFile final : public ByteSink {
public:
  /// A symbolic link is followed, so that its target is replaced. A path that
  /// names a folder is MissingFileName.
  static Expected<AtomicFile> create(const std::string &path);

  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;
  /// Discards what was not committed.
  ~AtomicFile() override;

  Status append(const void *data, uint64_t size) override;
  Status append(std::string_view text) {
    return append(text.data(), text.size());
  }
  Status overwrite(uint64_t offset, const void *data, uint64_t size) override;
  uint64_t position() const override { return length; }

  /// Whether commit() waits until the bytes are on the medium.
  enum class Durability { Synchronized, Cached };
  Status commit(Durability durability = Durability::Synchronized);

private:
  AtomicFile() = default;
  Status failure(int error) const;

  std::string finalPath;
  /// Empty while the file has no name.
  std::string temporaryPath;
  uint64_t length = 0;
  int fileDescriptor = -1;
};

/// Creates, fills and commits a file in one call.
Status writeFileAtomically(
    const std::string &path, std::string_view contents,
    AtomicFile::Durability durability = AtomicFile::Durability::Synchronized);

} // namespace atc

#endif // ATC_SUPPORT_ATOMICFILE_H
