// Opens an .om file and checks it.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Model/OfflineModel.h"

#include "ContainerFormat.h"
#include "LittleEndian.h"

#include "atc/Model/PlanFormat.h"
#include "atc/Support/CheckedMath.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace atc {

/// Page-aligned memory for a model that does not come from a file.
class OfflineModel::PageMemory {
public:
  PageMemory(const void *data, uint64_t size) : size(size) {
    void *mapping = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
      return;
    std::memcpy(mapping, data, size);
    bytes = static_cast<uint8_t *>(mapping);
  }
  ~PageMemory() {
    if (bytes)
      ::munmap(bytes, size);
  }
  PageMemory(const PageMemory &) = delete;
  PageMemory &operator=(const PageMemory &) = delete;

  uint8_t *bytes = nullptr;

private:
  uint64_t size;
};

namespace {

struct Partition {
  uint64_t begin = 0;
  uint64_t size = 0;
  bool present = false;
};

/// Reads header and table. All members are offsets into the file.
class ContainerReader {
public:
  ContainerReader(ByteRange file, const std::string &where)
      : file(file), where(where) {}

  Status read();
  OfflineModelInfo info() const;
  ByteRange range(container::PartitionType type) const {
    return {file.data + partitions[type].begin, partitions[type].size};
  }

private:
  Status damaged(const std::string &reason) const {
    return Status::error(ErrorCode::DamagedOfflineModel, reason, where);
  }
  Status foreign(const std::string &reason) const {
    return Status::error(ErrorCode::NotOfflineModel, reason, where);
  }
  Status readHeader() const;
  Status readTable();
  Status checkDigests() const;
  std::string text(uint32_t offset, uint32_t bytes) const;

  ByteRange file;
  const std::string &where;
  Partition partitions[container::partitionCount];
};

} // namespace

Status ContainerReader::readHeader() const {
  using namespace container;
  if (file.size < sizeof(magic) ||
      std::memcmp(file.data, magic, sizeof(magic)) != 0)
    return foreign("the file does not begin with IMOD");
  if (file.size < headerBytes)
    return damaged("the header is cut off");
  if (loadLittle<uint32_t>(file.data + headerBytesOffset) != headerBytes)
    return damaged("the header has an unknown size");
  uint64_t payload = loadLittle<uint64_t>(file.data + payloadBytesOffset);
  if (payload == 0)
    return foreign("the file has no 64-bit partition table; it comes from "
                   "another compiler");
  if (payload != file.size - headerBytes)
    return damaged("the file has " + std::to_string(file.size) +
                   " bytes, its header says " +
                   std::to_string(payload + headerBytes));
  return Status::success();
}

Status ContainerReader::readTable() {
  using namespace container;
  const uint8_t *table = file.data + headerBytes;
  if (file.size < headerBytes + tableHeadBytes)
    return damaged("the partition table is cut off");
  uint32_t count = loadLittle<uint32_t>(table);
  if (count != partitionCount)
    return foreign("the file has " + std::to_string(count) +
                   " partitions instead of " + std::to_string(partitionCount));
  if (file.size < dataBegin)
    return damaged("the partition table is cut off");
  uint64_t cursor = dataBegin;
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t *entry = table + tableHeadBytes + i * tableEntryBytes;
    uint32_t type = loadLittle<uint32_t>(entry);
    uint64_t offset = loadLittle<uint64_t>(entry + 8);
    uint64_t size = loadLittle<uint64_t>(entry + 16);
    if (type >= partitionCount || partitions[type].present)
      return foreign("a partition has the unexpected type " +
                     std::to_string(type));
    if (offset != cursor - dataBegin || size > file.size - cursor)
      return damaged("partition " + std::to_string(type) +
                     " does not follow the one before");
    partitions[type] = {cursor, size, true};
    cursor += size;
  }
  if (cursor != file.size)
    return damaged("bytes follow the last partition");
  return Status::success();
}

/// The plan's digests stand at the same place in all versions, so damage is
/// told apart from a newer version.
Status ContainerReader::checkDigests() const {
  using namespace container;
  ByteRange plan = range(PlanPartition);
  const uint8_t *stored = file.data + digestOffset;
  if (plan.size < planformat::headerBytes ||
      std::memcmp(plan.data, planformat::magic, sizeof(planformat::magic)) !=
          0) {
    if (std::all_of(stored, stored + 32, [](uint8_t byte) { return !byte; }))
      return foreign("the file has no plan; it comes from another compiler");
    return damaged("the plan has no header");
  }
  const uint8_t *digests = plan.data + planformat::digestsOffset;
  auto differs = [](const Sha256::Digest &digest, const uint8_t *expected) {
    return std::memcmp(digest.data(), expected, digest.size()) != 0;
  };
  if (differs(headDigest(file.data, file.data + headerBytes, digests), stored))
    return damaged("header, partition table or digests were changed");
  if (differs(planDigest(plan.data, plan.size), digests + 32))
    return damaged("the plan was changed");
  ByteRange graph = range(GraphPartition), code = range(CodePartition);
  if (differs(Sha256::of(graph.data, graph.size), digests))
    return damaged("the graph was changed");
  if (differs(Sha256::of(code.data, code.size), digests + 64))
    return damaged("the code was changed");
  uint32_t version = loadLittle<uint32_t>(file.data + versionOffset);
  if (version != container::version)
    return Status::error(ErrorCode::NewerOfflineModel,
                         "the container has version " +
                             std::to_string(version) + ", this runtime reads " +
                             std::to_string(container::version),
                         where);
  return Status::success();
}

Status ContainerReader::read() {
  if (Status status = readHeader(); !status)
    return status;
  if (Status status = readTable(); !status)
    return status;
  if (Status status = checkDigests(); !status)
    return status;
  // The digests are right, so what follows is the writer's fault.
  if (partitions[container::WeightsPartition].begin %
          container::weightsAlignment !=
      0)
    return damaged("the weights are not aligned");
  if (partitions[container::CodePartition].size != 0 &&
      partitions[container::CodePartition].begin % container::codeAlignment !=
          0)
    return damaged("the code is not aligned");
  return Status::success();
}

std::string ContainerReader::text(uint32_t offset, uint32_t bytes) const {
  const char *begin = reinterpret_cast<const char *>(file.data) + offset;
  return std::string(begin, ::strnlen(begin, bytes));
}

OfflineModelInfo ContainerReader::info() const {
  using namespace container;
  return {text(nameOffset, nameBytes), text(platformOffset, platformBytes),
          file.data[isDynamicOffset] != 0};
}

Status OfflineModel::load(const std::string &where) {
  ContainerReader reader(bytes, where);
  if (Status status = reader.read(); !status)
    return status;
  header = reader.info();
  graphBytes = reader.range(container::GraphPartition);
  weightBytes = reader.range(container::WeightsPartition);
  planBytes = reader.range(container::PlanPartition);
  codeBytes = reader.range(container::CodePartition);
  Expected<Plan> parsed =
      parsePlan(planBytes.data, planBytes.size,
                PlanSizes{weightBytes.size, codeBytes.size});
  if (!parsed) {
    Diagnostic diagnostic = parsed.getDiagnostic();
    diagnostic.where = where;
    return diagnostic;
  }
  modelPlan = std::move(*parsed);
  return Status::success();
}

Expected<OfflineModel> OfflineModel::open(const std::string &path) {
  Expected<MappedFile> mapped = MappedFile::open(path);
  if (!mapped)
    return mapped.getDiagnostic();
  OfflineModel model;
  model.file = std::make_unique<MappedFile>(std::move(*mapped));
  model.bytes = {model.file->data(), model.file->size()};
  if (Status status = model.load(path); !status)
    return status;
  return model;
}

Expected<OfflineModel> OfflineModel::fromMemory(const void *data,
                                                uint64_t size) {
  OfflineModel model;
  if (size != 0) {
    model.memory = std::make_unique<PageMemory>(data, size);
    if (!model.memory->bytes)
      return Status::error(ErrorCode::OutOfMemory, "no memory for a model of " +
                                                       std::to_string(size) +
                                                       " bytes");
    model.bytes = {model.memory->bytes, size};
  }
  if (Status status = model.load("model in memory"); !status)
    return status;
  return model;
}

OfflineModel::OfflineModel(OfflineModel &&) noexcept = default;
OfflineModel &OfflineModel::operator=(OfflineModel &&) noexcept = default;
OfflineModel::~OfflineModel() = default;

int OfflineModel::descriptor() const { return file ? file->descriptor() : -1; }

uint64_t OfflineModel::codeFileOffset() const {
  return static_cast<uint64_t>(codeBytes.data - bytes.data);
}

Status OfflineModel::verifyWeights() const {
  Sha256::Digest digest = Sha256::of(weightBytes.data, weightBytes.size);
  const uint8_t *expected =
      planBytes.data + planformat::digestsOffset + 3 * digest.size();
  if (std::memcmp(digest.data(), expected, digest.size()) != 0)
    return Status::error(ErrorCode::DamagedOfflineModel,
                         "the weights were changed",
                         file ? file->path() : "model in memory");
  return Status::success();
}

} // namespace atc
