// Writes a plan in its binary form.
// SPDX-License-Identifier: Apache-2.0
#include "LittleEndian.h"
#include "PlanRecords.h"

#include "atc/Support/KernelAbi.h"

#include <algorithm>
#include <iterator>

namespace atc {
namespace {

/// The archive that records are described to when a plan is written.
class PlanWriter {
public:
  std::vector<uint8_t> write(const Plan &plan);

  void u8(uint8_t value) { records->push_back(value); }
  void u32(uint32_t value) { appendLittle(*records, value); }
  void u64(uint64_t value) { appendLittle(*records, value); }
  void i64(int64_t value) { u64(static_cast<uint64_t>(value)); }
  void planInt(const PlanInt &value) { u64(encode(value)); }
  void elementType(ElementType type) { u8(static_cast<uint8_t>(type)); }
  void cpuLevel(CpuLevel level) { u8(static_cast<uint8_t>(level)); }
  template <typename Enum>
  void enumeration(Enum value, Enum last) {
    u8(static_cast<uint8_t>(value));
  }
  void zero(unsigned bytes) { records->insert(records->end(), bytes, 0); }

  void string(const std::string &text) {
    u32(strings.size());
    u32(text.size());
    strings.insert(strings.end(), text.begin(), text.end());
  }
  void blob(const std::string &bytes) { string(bytes); }

  void beginWords() {
    wordsBegin = words.size() / 8;
    rangePosition = records->size();
    zero(8);
  }
  void endWords() {
    storeLittle<uint32_t>(records->data() + rangePosition, wordsBegin);
    storeLittle<uint32_t>(records->data() + rangePosition + 4,
                          words.size() / 8 - wordsBegin);
  }
  void noWords() {
    beginWords();
    endWords();
  }
  template <typename T>
  void word(const T &value) {
    appendLittle(words, static_cast<uint64_t>(value));
  }
  void planIntWord(const PlanInt &value) { word(encode(value)); }
  uint32_t remaining(uint32_t count) const { return count; }
  void planInts(const std::vector<PlanInt> &values, uint32_t count) {
    for (const PlanInt &value : values)
      planIntWord(value);
  }
  template <typename T>
  void numbers(const std::vector<T> &values, uint32_t count) {
    for (const T &value : values)
      word(value);
  }
  void operands(const std::vector<PlanOperand> &operands, uint32_t count) {
    for (const PlanOperand &operand : operands)
      word(uint64_t(operand.view) << 8 | static_cast<uint8_t>(operand.access));
  }
  template <typename T, typename Visitor>
  void forEachWordGroup(std::vector<T> &groups, uint32_t count,
                        uint32_t wordsPerGroup, Visitor &&visit) {
    for (T &group : groups)
      visit(group);
  }

  void opcode(const PlanOperation &operation) { u8(operation.index()); }
  template <typename Visitor>
  void visitOperation(PlanOperation &operation, Visitor &&visit) {
    std::visit(visit, operation);
  }

private:
  static uint64_t encode(const PlanInt &value) {
    if (value.isRegister())
      return uint64_t(value.registerIndex()) << 1 | 1;
    return static_cast<uint64_t>(value.value()) << 1;
  }

  std::vector<uint8_t> strings;
  std::vector<uint8_t> words;
  std::vector<uint8_t> tables[planformat::tableCount];
  std::vector<uint8_t> *records = nullptr;
  uint32_t wordsBegin = 0;
  size_t rangePosition = 0;
};

} // namespace

std::vector<uint8_t> PlanWriter::write(const Plan &constPlan) {
  using namespace planformat;
  // One description serves both directions, so it takes mutable records; this
  // archive only reads them.
  Plan &plan = const_cast<Plan &>(constPlan);
  std::vector<uint8_t> header(std::begin(magic), std::end(magic));
  records = &header;
  u32(version);
  u32(headerBytes);
  zero(digestsBytes);
  enumeration(plan.targetKind, TargetKind::Npu);
  zero(3);
  u32(plan.importCount);
  string(plan.targetName);
  u32(plan.registerCount);
  u32(ATC_KERNEL_ABI_VERSION);
  u64(plan.arenaBytes);
  u64(plan.variableBytes);
  u64(plan.arenaLowerBound);
  size_t planBytesPosition = header.size();
  zero(8);
  u32(tableCount);
  zero(4);
  assert(header.size() == fixedHeaderBytes);

  forEachTable(plan, [&](Table table, auto &entries) {
    records = &tables[static_cast<uint32_t>(table)];
    for (auto &entry : entries)
      describe(*this, entry);
  });
  tables[static_cast<uint32_t>(Table::Strings)] = std::move(strings);
  tables[static_cast<uint32_t>(Table::Words)] = std::move(words);

  records = &header;
  uint64_t offset = headerBytes;
  for (uint32_t table = 0; table < tableCount; ++table) {
    u32(table);
    u32(recordBytes[table]);
    u64(offset);
    u64(tables[table].size() / recordBytes[table]);
    offset += (tables[table].size() + 7) / 8 * 8;
  }
  storeLittle<uint64_t>(header.data() + planBytesPosition, offset);
  for (const std::vector<uint8_t> &table : tables) {
    header.insert(header.end(), table.begin(), table.end());
    header.resize((header.size() + 7) / 8 * 8);
  }
  assert(header.size() == offset);
  return header;
}

/// Offsets and counts of the format are 32 bits wide.
static bool fitsFormat(const Plan &plan) {
  uint64_t weight = plan.targetName.size();
  auto addInstruction = [&](const PlanInstruction &instruction) {
    weight += instruction.source.size();
    if (auto *launch = std::get_if<LaunchInstruction>(&instruction.operation))
      weight += 4 + launch->operands.size() + launch->scalars.size();
    else if (auto *call =
                 std::get_if<HostCallInstruction>(&instruction.operation))
      weight += 2 + call->operands.size() + call->scalars.size() +
                call->results.size() + call->attributes.size();
    else if (auto *check =
                 std::get_if<CheckInstruction>(&instruction.operation))
      weight += 1 + check->message.size();
    else
      weight += 2 * planformat::maxRank + 1;
  };
  std::for_each(plan.prologue.begin(), plan.prologue.end(), addInstruction);
  std::for_each(plan.body.begin(), plan.body.end(), addInstruction);
  for (const PlanView &view : plan.views)
    weight += 2 * view.dims.size() + view.name.size();
  for (const PlanKernel &kernel : plan.kernels)
    weight += kernel.name.size() + kernel.opType.size() +
              kernel.launches.size() * plan.codeImages.size();
  for (const auto *ports : {&plan.inputs, &plan.outputs})
    for (const PlanPort &port : *ports)
      weight += port.name.size();
  for (const PlanVariable &variable : plan.variables)
    weight += variable.name.size();
  for (const PlanSymbol &symbol : plan.symbols)
    weight += symbol.name.size();
  for (const std::string &name : plan.hostOps)
    weight += name.size();
  return weight < noIndex;
}

Expected<std::vector<uint8_t>> serializePlan(const Plan &plan) {
  if (Status status = checkPlan(plan); !status)
    return status;
  if (!fitsFormat(plan))
    return Status::error(ErrorCode::Internal,
                         "the plan is too large for its format");
  return PlanWriter().write(plan);
}

} // namespace atc
