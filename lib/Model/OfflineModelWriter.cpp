// Writes header, table and partitions of an .om file.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Model/OfflineModelWriter.h"

#include "ContainerFormat.h"
#include "LittleEndian.h"

#include "atc/Model/PlanFormat.h"

#include <algorithm>
#include <cstring>

namespace atc {

Sha256::Digest container::headDigest(const uint8_t *header,
                                     const uint8_t *table,
                                     const uint8_t *digests) {
  std::array<uint8_t, headerBytes> copy;
  std::memcpy(copy.data(), header, headerBytes);
  std::fill_n(copy.begin() + digestOffset, sizeof(Sha256::Digest), 0);
  Sha256 sha;
  sha.update(copy.data(), copy.size());
  sha.update(table, tableBytes);
  sha.update(digests, planformat::digestsBytes);
  return sha.finish();
}

Sha256::Digest container::planDigest(const uint8_t *plan, uint64_t size) {
  static constexpr uint8_t zeros[sizeof(Sha256::Digest)] = {};
  uint64_t behind = planformat::planDigestOffset + sizeof(zeros);
  Sha256 sha;
  sha.update(plan, planformat::planDigestOffset);
  sha.update(zeros, sizeof(zeros));
  sha.update(plan + behind, size - behind);
  return sha.finish();
}

Expected<OfflineModelWriter>
OfflineModelWriter::begin(ByteSink &sink, const OfflineModelInfo &info,
                          std::vector<uint8_t> plan) {
  using namespace container;
  assert(plan.size() >= planformat::headerBytes && "expects serializePlan");
  OfflineModelWriter writer(sink);
  writer.info = info;
  // Zeros behind the plan let the weights begin on their alignment.
  uint64_t end = dataBegin + plan.size();
  plan.resize(plan.size() +
              (weightsAlignment - end % weightsAlignment) % weightsAlignment);
  writer.plan = std::move(plan);
  // The head is written when everything is known.
  std::vector<uint8_t> head(dataBegin);
  if (Status status = sink.append(head.data(), head.size()); !status)
    return status;
  if (Status status = sink.append(writer.plan.data(), writer.plan.size());
      !status)
    return status;
  writer.weightsBegin = sink.position();
  return writer;
}

Status OfflineModelWriter::appendWeights(const void *data, uint64_t size) {
  weightsDigest.update(data, size);
  return sink->append(data, size);
}

uint64_t OfflineModelWriter::weightsPosition() const {
  return sink->position() - weightsBegin;
}

Status OfflineModelWriter::alignWeights(uint64_t alignment) {
  static constexpr uint8_t zeros[4096] = {};
  assert(alignment != 0 && alignment <= sizeof(zeros));
  uint64_t size = (alignment - weightsPosition() % alignment) % alignment;
  return appendWeights(zeros, size);
}

Status OfflineModelWriter::finish(ByteRange code, ByteRange graph) {
  // Padding belongs to the weights: partitions follow each other without gaps.
  static constexpr uint8_t zeros[container::codeAlignment] = {};
  uint64_t over = sink->position() % container::codeAlignment;
  if (code.size != 0 && over != 0)
    if (Status status = appendWeights(zeros, container::codeAlignment - over);
        !status)
      return status;
  codeBegin = sink->position();
  if (Status status = sink->append(code.data, code.size); !status)
    return status;
  graphBegin = sink->position();
  if (Status status = sink->append(graph.data, graph.size); !status)
    return status;
  return writeHead(graph, code);
}

Status OfflineModelWriter::writeHead(ByteRange graph, ByteRange code) {
  using namespace container;
  auto storeDigest = [this](uint32_t index, const Sha256::Digest &digest) {
    std::copy(digest.begin(), digest.end(),
              plan.begin() + planformat::digestsOffset + 32 * index);
  };
  storeDigest(0, Sha256::of(graph.data, graph.size));
  storeDigest(2, Sha256::of(code.data, code.size));
  storeDigest(3, weightsDigest.finish());
  storeDigest(1, planDigest(plan.data(), plan.size()));

  std::vector<uint8_t> head(headerBytes);
  auto set32 = [&](uint32_t offset, uint32_t value) {
    storeLittle<uint32_t>(head.data() + offset, value);
  };
  auto setText = [&](uint32_t offset, uint32_t bytes, const std::string &text) {
    std::copy_n(text.begin(), std::min<size_t>(text.size(), bytes - 1),
                head.begin() + offset);
  };
  uint64_t payload = sink->position() - headerBytes;
  std::copy(std::begin(magic), std::end(magic), head.begin());
  set32(headerBytesOffset, headerBytes);
  set32(versionOffset, version);
  set32(lengthOffset, static_cast<uint32_t>(payload));
  head[noChecksumOffset] = 1;
  setText(nameOffset, nameBytes, info.name);
  set32(irVersionOffset, 1);
  set32(modelCountOffset, 1);
  setText(platformOffset, platformBytes, info.platformVersion);
  storeLittle<uint64_t>(head.data() + payloadBytesOffset, payload);
  head[isDynamicOffset] = info.isDynamic;

  appendLittle<uint32_t>(head, partitionCount);
  appendLittle<uint32_t>(head, 0);
  auto addEntry = [&](PartitionType type, uint64_t begin, uint64_t end) {
    appendLittle<uint32_t>(head, type);
    appendLittle<uint32_t>(head, 0);
    appendLittle<uint64_t>(head, begin - dataBegin);
    appendLittle<uint64_t>(head, end - begin);
  };
  addEntry(PlanPartition, dataBegin, weightsBegin);
  addEntry(WeightsPartition, weightsBegin, codeBegin);
  addEntry(CodePartition, codeBegin, graphBegin);
  addEntry(GraphPartition, graphBegin, sink->position());

  Sha256::Digest digest = headDigest(head.data(), head.data() + headerBytes,
                                     plan.data() + planformat::digestsOffset);
  std::copy(digest.begin(), digest.end(), head.begin() + digestOffset);
  if (Status status = sink->overwrite(0, head.data(), head.size()); !status)
    return status;
  return sink->overwrite(dataBegin, plan.data(), plan.size());
}

} // namespace atc
