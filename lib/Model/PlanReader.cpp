// Reads a plan from its binary form; trusts none of its bytes.
// SPDX-License-Identifier: Apache-2.0
#include "LittleEndian.h"
#include "PlanFaults.h"
#include "PlanRecords.h"

#include "atc/Support/CheckedMath.h"
#include "atc/Support/KernelAbi.h"

#include <algorithm>
#include <cstring>

namespace atc {
namespace {

/// The archive that records are described to when a plan is read. The first
/// fault is kept; after it, every field reads as zero.
///
/// Strings and words must be used in the order in which they are stored, each
/// once: what a plan unfolds to in memory is then linear in its bytes.
class PlanReader {
public:
  PlanReader(const uint8_t *data, uint64_t size) : data(data), size(size) {}

  Expected<Plan> read();

  template <typename T>
  void u8(T &field) {
    field = static_cast<T>(integer<uint8_t>());
  }
  void u32(uint32_t &field) { field = integer<uint32_t>(); }
  void u64(uint64_t &field) { field = integer<uint64_t>(); }
  void i64(int64_t &field) {
    field = static_cast<int64_t>(integer<uint64_t>());
  }
  void planInt(PlanInt &field) { field = decode(integer<uint64_t>()); }
  template <typename Enum>
  void enumeration(Enum &field, Enum last) {
    uint8_t value = integer<uint8_t>();
    if (value > static_cast<uint8_t>(last))
      fail("an enumerator is out of range");
    field = static_cast<Enum>(value);
  }
  void elementType(ElementType &field) {
    uint8_t value = integer<uint8_t>();
    if (!isElementType(value))
      return fail("an element type is unknown");
    field = static_cast<ElementType>(value);
  }
  void cpuLevel(CpuLevel &field) {
    uint8_t value = integer<uint8_t>();
    if (value > static_cast<uint8_t>(CpuLevel::X86_64_V4) &&
        value != static_cast<uint8_t>(CpuLevel::AArch64))
      return fail("a processor level is unknown");
    field = static_cast<CpuLevel>(value);
  }
  void zero(unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      if (integer<uint8_t>() != 0)
        fail("padding is not zero");
  }

  void string(std::string &field) {
    blob(field);
    if (field.find('\0') != std::string::npos)
      fail("a text contains a zero byte");
  }
  void blob(std::string &field) {
    uint64_t offset = integer<uint32_t>(), length = integer<uint32_t>();
    if (fault)
      return;
    if (offset != stringsUsed || length > strings.count - offset)
      return fail("a text lies outside the table of strings");
    stringsUsed += length;
    field.assign(reinterpret_cast<const char *>(data + strings.offset + offset),
                 length);
  }

  void beginWords() {
    uint64_t begin = integer<uint32_t>(), count = integer<uint32_t>();
    wordsLeft = 0;
    if (fault)
      return;
    if (begin != wordsUsed || count > words.count - begin)
      return fail("a record's words lie outside their table");
    wordsLeft = count;
  }
  void endWords() {
    if (wordsLeft != 0)
      fail("a record has more words than fields");
  }
  void noWords() {
    beginWords();
    endWords();
  }
  template <typename T>
  void word(T &field) {
    uint64_t value = nextWord();
    if constexpr (sizeof(T) < sizeof(uint64_t))
      if (value > std::numeric_limits<T>::max())
        return fail("a word is out of range");
    field = static_cast<T>(value);
  }
  void planIntWord(PlanInt &field) { field = decode(nextWord()); }
  uint32_t remaining(uint32_t) const { return wordsLeft; }
  void planInts(std::vector<PlanInt> &values, uint32_t count) {
    forEachWordGroup(values, count, 1,
                     [this](PlanInt &value) { planIntWord(value); });
  }
  template <typename T>
  void numbers(std::vector<T> &values, uint32_t count) {
    forEachWordGroup(values, count, 1, [this](T &value) { word(value); });
  }
  void operands(std::vector<PlanOperand> &operands, uint32_t count) {
    forEachWordGroup(operands, count, 1, [this](PlanOperand &operand) {
      uint64_t value = nextWord();
      if (value >> 40 != 0 || (value & 0xff) < 1 || (value & 0xff) > 3)
        return fail("an operand is malformed");
      operand.view = static_cast<uint32_t>(value >> 8);
      operand.access = static_cast<Access>(value & 0xff);
    });
  }
  template <typename T, typename Visitor>
  void forEachWordGroup(std::vector<T> &groups, uint32_t count,
                        uint32_t wordsPerGroup, Visitor &&visit) {
    if (fault || count == 0)
      return;
    if (wordsPerGroup == 0 || count > wordsLeft / wordsPerGroup)
      return fail("a record has fewer words than fields");
    groups.resize(count);
    for (T &group : groups)
      visit(group);
  }

  void opcode(PlanOperation &operation) {
    uint8_t code = integer<uint8_t>();
    if (code >= planformat::opcodeCount)
      return fail("an instruction is unknown");
    emplace(operation, code,
            std::make_index_sequence<planformat::opcodeCount>());
  }
  template <typename Visitor>
  void visitOperation(PlanOperation &operation, Visitor &&visit) {
    std::visit(visit, operation);
  }

private:
  struct TableRange {
    uint64_t offset = 0;
    uint64_t count = 0;
  };

  void fail(const char *reason) {
    if (!fault)
      fault = reason;
  }

  template <typename T>
  T integer() {
    if (fault || cursor > size || size - cursor < sizeof(T)) {
      fail("a record is cut off");
      return 0;
    }
    cursor += sizeof(T);
    return loadLittle<T>(data + cursor - sizeof(T));
  }
  uint64_t nextWord() {
    if (fault || wordsLeft == 0) {
      fail("a record has fewer words than fields");
      return 0;
    }
    --wordsLeft;
    return loadLittle<uint64_t>(data + words.offset + 8 * wordsUsed++);
  }
  PlanInt decode(uint64_t word) {
    if ((word & 1) == 0)
      return PlanInt(static_cast<int64_t>(word) >> 1);
    if (word >> 1 > noIndex)
      fail("a register's index is out of range");
    return PlanInt::reg(static_cast<uint32_t>(word >> 1));
  }
  template <size_t... Index>
  static void emplace(PlanOperation &operation, uint8_t code,
                      std::index_sequence<Index...>) {
    (void)((code == Index && (operation.emplace<Index>(), true)) || ...);
  }

  Status readHeader(Plan &plan);
  void readDirectory();
  void checkTail(uint64_t planBytes);

  const uint8_t *data;
  uint64_t size;
  uint64_t cursor = 0;
  const char *fault = nullptr;
  TableRange tables[planformat::tableCount];
  TableRange strings, words;
  uint64_t stringsUsed = 0, wordsUsed = 0, wordsLeft = 0;
};

static_assert(std::variant_size_v<PlanOperation> == planformat::opcodeCount);

} // namespace

/// Reads the fixed part, all but the target's name, whose text cannot be found
/// before the directory is known.
Status PlanReader::readHeader(Plan &plan) {
  using namespace planformat;
  if (size < fixedHeaderBytes || std::memcmp(data, magic, sizeof(magic)) != 0)
    return planDamaged("the plan has no header");
  uint32_t fileVersion = loadLittle<uint32_t>(data + versionOffset);
  if (fileVersion > version)
    return Status::error(
        ErrorCode::NewerOfflineModel,
        "the plan has format version " + std::to_string(fileVersion) +
            ", this runtime reads up to " + std::to_string(version));
  if (fileVersion == 0 ||
      loadLittle<uint32_t>(data + headerBytesOffset) != headerBytes ||
      size < headerBytes)
    return planDamaged("the plan's header is malformed");
  cursor = digestsOffset + digestsBytes;
  enumeration(plan.targetKind, TargetKind::Npu);
  zero(3);
  u32(plan.importCount);
  cursor += 8;
  u32(plan.registerCount);
  uint32_t abiVersion = integer<uint32_t>();
  u64(plan.arenaBytes);
  u64(plan.variableBytes);
  u64(plan.arenaLowerBound);
  uint64_t planBytes = integer<uint64_t>();
  uint32_t fileTables = integer<uint32_t>();
  zero(4);
  if (fault)
    return planDamaged(fault);
  if (abiVersion != ATC_KERNEL_ABI_VERSION)
    return Status::error(ErrorCode::NewerOfflineModel,
                         "the code follows kernel interface version " +
                             std::to_string(abiVersion) +
                             ", this runtime version " +
                             std::to_string(ATC_KERNEL_ABI_VERSION));
  if (fileTables != tableCount || planBytes > size)
    return planDamaged("the plan's header is malformed");
  // The container pads the partition with zeros.
  if (std::any_of(data + planBytes, data + size,
                  [](uint8_t byte) { return byte != 0; }))
    return planDamaged("bytes follow the plan's tables");
  size = planBytes;
  return Status::success();
}

/// Tables follow each other without gaps, in the order of their numbers.
void PlanReader::readDirectory() {
  using namespace planformat;
  uint64_t expected = headerBytes;
  for (uint32_t table = 0; table < tableCount && !fault; ++table) {
    uint32_t kind = integer<uint32_t>(), bytes = integer<uint32_t>();
    uint64_t offset = integer<uint64_t>(), count = integer<uint64_t>();
    if (kind != table || bytes != recordBytes[table] || offset != expected ||
        offset > size || count > (size - offset) / bytes)
      return fail("the directory of tables is malformed");
    tables[table] = {offset, count};
    uint64_t end = offset + count * bytes;
    expected = (end + 7) / 8 * 8;
    if (expected > size || std::any_of(data + end, data + expected,
                                       [](uint8_t byte) { return byte != 0; }))
      return fail("a table is not padded with zeros");
  }
  if (expected != size)
    fail("the tables do not fill the plan");
  strings = tables[static_cast<uint32_t>(Table::Strings)];
  words = tables[static_cast<uint32_t>(Table::Words)];
}

Expected<Plan> PlanReader::read() {
  using namespace planformat;
  Plan plan;
  if (Status status = readHeader(plan); !status)
    return status;
  readDirectory();
  cursor = digestsOffset + digestsBytes + 8;
  string(plan.targetName);
  forEachTable(plan, [&](Table table, auto &entries) {
    const TableRange &range = tables[static_cast<uint32_t>(table)];
    cursor = range.offset;
    if (fault)
      return;
    entries.resize(range.count);
    for (size_t i = 0; i < entries.size() && !fault; ++i)
      describe(*this, entries[i]);
  });
  if (stringsUsed != strings.count || wordsUsed != words.count)
    fail("strings or words are left over");
  if (fault)
    return planDamaged(fault);
  return plan;
}

Expected<Plan> parsePlan(const uint8_t *data, uint64_t size,
                         const std::optional<PlanSizes> &sizes) {
  Expected<Plan> plan = PlanReader(data, size).read();
  if (!plan)
    return plan;
  if (std::string reason = findPlanFault(*plan, sizes); !reason.empty())
    return planDamaged(reason);
  return plan;
}

} // namespace atc
