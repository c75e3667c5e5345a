// The .om container, opened for reading.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_MODEL_OFFLINEMODEL_H
#define ATC_MODEL_OFFLINEMODEL_H

#include "atc/Model/Plan.h"
#include "atc/Support/MappedFile.h"

#include <memory>
#include <string>

namespace atc {

/// Bytes that someone else owns.
struct ByteRange {
  const uint8_t *data = nullptr;
  uint64_t size = 0;
};

/// What the header says beside the places of things.
struct OfflineModelInfo {
  /// At most 31 bytes are stored.
  std::string name;
  /// Name and version of the compiler; at most 19 bytes are stored.
  std::string platformVersion;
  /// Sizes depend on the inputs.
  bool isDynamic = false;
};

/// An opened offline model. Opening checks every offset and size, the digests
/// of header, table, graph, plan and code, and the whole plan; weights are read
/// when they are used and checked by verifyWeights().
///
/// Errors: NotOfflineModel for another kind of file, DamagedOfflineModel,
/// NewerOfflineModel, and those of MappedFile.
class OfflineModel {
public:
  /// Maps a file.
  static Expected<OfflineModel> open(const std::string &path);
  /// Copies a file's bytes from memory.
  static Expected<OfflineModel> fromMemory(const void *data, uint64_t size);

  OfflineModel(OfflineModel &&) noexcept;
  OfflineModel &operator=(OfflineModel &&) noexcept;
  ~OfflineModel();

  const OfflineModelInfo &info() const { return header; }
  const Plan &plan() const { return modelPlan; }
  /// Partition 0: a serialized ge.proto ModelDef.
  ByteRange graph() const { return graphBytes; }
  /// Partition 1, 64-byte aligned.
  ByteRange weights() const { return weightBytes; }
  /// Partition 2, as stored.
  ByteRange planPartition() const { return planBytes; }
  /// Partition 3, page-aligned.
  ByteRange code() const { return codeBytes; }

  /// The file's descriptor, for mapping code; -1 if the model is in memory.
  int descriptor() const;
  /// Where the code partition begins in the file.
  uint64_t codeFileOffset() const;

  /// Reads all weights and compares their digest.
  Status verifyWeights() const;

private:
  OfflineModel() = default;
  Status load(const std::string &where);

  class PageMemory;
  std::unique_ptr<MappedFile> file;
  std::unique_ptr<PageMemory> memory;
  ByteRange bytes;
  OfflineModelInfo header;
  Plan modelPlan;
  ByteRange graphBytes, weightBytes, planBytes, codeBytes;
};

} // namespace atc

#endif // ATC_MODEL_OFFLINEMODEL_H
