// Writes the .om container.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_MODEL_OFFLINEMODELWRITER_H
#define ATC_MODEL_OFFLINEMODELWRITER_H

#include "atc/Model/OfflineModel.h"
#include "atc/Model/Sha256.h"
#include "atc/Support/ByteSink.h"

#include <vector>

namespace atc {

/// Streams an offline model into a sink: begin, any number of appendWeights,
/// finish. Weights are written as they come, so no more than one of them needs
/// to be in memory; their digest is computed on the way. Nothing but the
/// arguments enters the file: equal calls, equal bytes.
class OfflineModelWriter {
public:
  /// `plan` is serializePlan's result; the weights' offsets in it count from
  /// the first appended weight byte.
  static Expected<OfflineModelWriter> begin(ByteSink &sink,
                                            const OfflineModelInfo &info,
                                            std::vector<uint8_t> plan);

  Status appendWeights(const void *data, uint64_t size);
  /// Appends zeros up to a multiple of `alignment` (at most 4096).
  Status alignWeights(uint64_t alignment = 64);
  /// Bytes of weights so far: the offset of the next one.
  uint64_t weightsPosition() const;

  /// Writes code and graph, then header, table and digests. The caller commits
  /// the sink.
  Status finish(ByteRange code, ByteRange graph);

private:
  explicit OfflineModelWriter(ByteSink &sink) : sink(&sink) {}
  Status writeHead(ByteRange graph, ByteRange code);

  ByteSink *sink;
  OfflineModelInfo info;
  std::vector<uint8_t> plan;
  Sha256 weightsDigest;
  uint64_t weightsBegin = 0;
  uint64_t codeBegin = 0;
  uint64_t graphBegin = 0;
};

} // namespace atc

#endif // ATC_MODEL_OFFLINEMODELWRITER_H
