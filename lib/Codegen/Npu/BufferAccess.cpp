// Buffer accesses of instruction ops, from the regions of lib/Isa.
// SPDX-License-Identifier: Apache-2.0
#include "BufferAccess.h"
#include "atc/Isa/Region.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!value)
    return 0;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

namespace {

/// An instruction whose addresses are replaced by tags, so that its regions
/// tell which operand they come from.
struct TaggedInstruction {
  static constexpr unsigned tagShift = 40;

  hw::ResolvedInstruction resolved;
  /// All fields are constant: sizes of regions are true.
  bool isExact = true;

  explicit TaggedInstruction(InstructionOpInterface op);

  static unsigned operandOf(const hw::Region &region) {
    return (region.address >> tagShift) - 1;
  }
  static int64_t offsetOf(const hw::Region &region) {
    return region.address & ((int64_t(1) << tagShift) - 1);
  }
};

TaggedInstruction::TaggedInstruction(InstructionOpInterface op) {
  const hw::InstructionInfo &info = hw::instructionInfo(op.getOpcode());
  resolved.opcode = info.opcode;
  for (auto [i, value] : llvm::enumerate(op.getModifierValues()))
    resolved.modifiers[i] = value;
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const hw::OperandInfo &operand = info.operands[i];
    if (operand.role == hw::OperandRole::Address) {
      resolved.values[i] = int64_t(i + 1) << tagShift;
      continue;
    }
    std::optional<int64_t> constant =
        getConstant(op.getOperation()->getOperand(i));
    isExact &= constant || operand.role != hw::OperandRole::Field;
    resolved.values[i] = constant.value_or(0);
  }
  if (!isExact)
    hw::setSampleFields(resolved);
}

} // namespace

SmallVector<BufferAccess>
mlir::atc::npu::getBufferAccesses(InstructionOpInterface op) {
  TaggedInstruction tagged(op);
  std::vector<hw::Region> regions;
  hw::appendRegions(tagged.resolved, regions);
  SmallVector<BufferAccess> accesses;
  for (const hw::Region &region : regions) {
    if (region.space == hw::Space::GM)
      continue;
    Value operand =
        op.getOperation()->getOperand(TaggedInstruction::operandOf(region));
    auto address = operand.getDefiningOp<AddressOp>();
    if (!address)
      continue;
    auto buffer = address.getBuffer().getDefiningOp<AllocOp>();
    if (!buffer)
      continue;
    BufferAccess access{
        op, op.getPipe(), region.isWrite, buffer, address.getSlot(), 0, 0};
    std::optional<int64_t> offset = getConstant(address.getOffset());
    access.end = buffer.getSlotBytes();
    if (offset && tagged.isExact) {
      int64_t first = TaggedInstruction::offsetOf(region);
      access.begin = *offset + first;
      access.end = access.begin + region.end() - region.address;
    }
    accesses.push_back(access);
  }
  return accesses;
}

bool mlir::atc::npu::mayOverlap(const BufferAccess &a, const BufferAccess &b) {
  if (a.buffer != b.buffer || a.begin >= b.end || b.begin >= a.end)
    return false;
  std::optional<int64_t> left = getConstant(a.slot),
                         right = getConstant(b.slot);
  return !left || !right || *left == *right;
}
