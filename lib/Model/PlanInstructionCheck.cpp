// Rules of the plan's instructions: operands, definition before use, nesting.
// SPDX-License-Identifier: Apache-2.0
#include "PlanFaults.h"

#include "atc/Support/CheckedMath.h"

#include <fmt/format.h>

namespace atc {
namespace {

/// Which registers are set on every path to the current instruction.
///
/// One set is kept, and a log of what entered it since the enclosing If or Loop
/// began; leaving a branch takes its entries out again. No set is ever copied,
/// so the work is linear in the number of definitions.
class DefinedRegisters {
public:
  explicit DefinedRegisters(uint32_t count) : defined(count), mark(count) {}

  bool contains(uint32_t index) const { return defined[index]; }
  void define(uint32_t index) {
    if (defined[index])
      return;
    defined[index] = true;
    log.push_back(index);
  }
  size_t position() const { return log.size(); }

  /// Takes out what was defined since `position` and returns it.
  std::vector<uint32_t> rollBack(size_t position) {
    std::vector<uint32_t> undone(log.begin() + position, log.end());
    for (uint32_t index : undone)
      defined[index] = false;
    log.resize(position);
    return undone;
  }
  /// Of what was defined since `position`, keeps only members of `other`.
  void intersect(size_t position, const std::vector<uint32_t> &other) {
    ++stamp;
    for (uint32_t index : other)
      mark[index] = stamp;
    for (uint32_t index : rollBack(position))
      if (mark[index] == stamp)
        define(index);
  }

private:
  std::vector<bool> defined;
  std::vector<uint32_t> log;
  std::vector<uint64_t> mark;
  uint64_t stamp = 0;
};

/// Each check returns its fault, or an empty text.
class InstructionChecker {
public:
  explicit InstructionChecker(const Plan &plan)
      : plan(plan), registers(plan.registerCount) {}

  std::string check();

private:
  enum class Region { If, Else, LoopHead, LoopBody };
  struct Frame {
    Region region;
    /// Where the region's definitions begin in the log.
    size_t begin;
    /// Definitions of the first branch, once the second has begun.
    std::vector<uint32_t> firstBranch;
  };

  std::string checkPrologue();
  std::string checkShapeBuffers() const;
  std::string checkBody();
  std::string checkOutputs() const;

  std::string check(const LaunchInstruction &op);
  std::string check(const HostCallInstruction &op);
  std::string check(const CopyInstruction &op);
  std::string check(const FillInstruction &op);
  std::string check(const ZeroHaloInstruction &op);
  std::string check(const ScalarInstruction &op);
  std::string check(const LoadScalarInstruction &op);
  std::string check(const StoreScalarInstruction &op);
  std::string check(const CheckInstruction &op);
  std::string check(const IfInstruction &op);
  std::string check(const ElseInstruction &op);
  std::string check(const EndIfInstruction &op);
  std::string check(const LoopInstruction &op);
  std::string check(const LoopTestInstruction &op);
  std::string check(const EndLoopInstruction &op);
  std::string check(const AllocateInstruction &op);
  std::string check(const FreeInstruction &op);

  std::string checkUse(const PlanInt &value) const;
  std::string checkUses(const std::vector<PlanInt> &values) const;
  std::string checkNonNegative(const PlanInt &value) const;
  std::string checkDefinition(uint32_t index);
  std::string checkViewValues(const PlanView &view) const;
  std::string checkOperand(uint32_t view, Access access) const;
  std::string checkElement(uint32_t view, const std::vector<PlanInt> &index,
                           Access access) const;
  std::string checkDataBuffer(uint32_t buffer) const;

  const Plan &plan;
  DefinedRegisters registers;
  std::vector<Frame> frames;
  /// Index of the current body instruction.
  uint32_t now = 0;
};

/// The first text that is not empty.
template <typename... Texts>
std::string firstOf(Texts &&...texts) {
  std::string result;
  ((result.empty() ? void(result = std::forward<Texts>(texts)) : void()), ...);
  return result;
}

} // namespace

std::string InstructionChecker::checkUse(const PlanInt &value) const {
  if (!isValidPlanInt(plan, value))
    return "a number is malformed";
  if (value.isRegister() && !registers.contains(value.registerIndex()))
    return fmt::format("register {} is used before it is set",
                       value.registerIndex());
  return {};
}

std::string
InstructionChecker::checkUses(const std::vector<PlanInt> &values) const {
  for (const PlanInt &value : values)
    if (std::string fault = checkUse(value); !fault.empty())
      return fault;
  return {};
}

std::string InstructionChecker::checkNonNegative(const PlanInt &value) const {
  if (value.isStatic() && value.value() < 0)
    return "a count is negative";
  return checkUse(value);
}

std::string InstructionChecker::checkDefinition(uint32_t index) {
  if (index >= plan.registerCount)
    return "the result's register does not exist";
  registers.define(index);
  return {};
}

std::string InstructionChecker::checkViewValues(const PlanView &view) const {
  std::string fault = firstOf(checkUse(view.byteOffset),
                              checkUse(plan.buffers[view.buffer].bytes));
  for (const PlanView::Dim &dim : view.dims)
    fault = firstOf(fault, checkUse(dim.size), checkUse(dim.stride));
  return fault;
}

/// The view exists, its sizes are known, its buffer is alive and may be used
/// in this way.
std::string InstructionChecker::checkOperand(uint32_t index,
                                             Access access) const {
  if (index >= plan.views.size())
    return "the view does not exist";
  const PlanView &view = plan.views[index];
  const PlanBuffer &buffer = plan.buffers[view.buffer];
  if (access != Access::Read && (buffer.space == BufferSpace::Weights ||
                                 buffer.space == BufferSpace::Input))
    return fmt::format("view {} is read-only", index);
  if (buffer.space == BufferSpace::Arena &&
      (now < buffer.firstUse || now > buffer.lastUse))
    return fmt::format("view {} is used outside its buffer's lifetime", index);
  return checkViewValues(view);
}

std::string InstructionChecker::check(const LaunchInstruction &op) {
  if (op.kernel >= plan.kernels.size())
    return "the kernel does not exist";
  const PlanKernel &kernel = plan.kernels[op.kernel];
  if (op.launch >= kernel.launches.size())
    return fmt::format("kernel '{}' has no launch {}", kernel.name, op.launch);
  if (op.operands.size() != kernel.bufferCount ||
      op.scalars.size() != kernel.scalarCount)
    return fmt::format("kernel '{}' takes {} buffers and {} scalars, got {} "
                       "and {}",
                       kernel.name, kernel.bufferCount, kernel.scalarCount,
                       op.operands.size(), op.scalars.size());
  for (const PlanOperand &operand : op.operands)
    if (std::string fault = checkOperand(operand.view, operand.access);
        !fault.empty())
      return fault;
  return firstOf(checkUses(op.scalars), checkNonNegative(op.tileCount),
                 checkNonNegative(op.scratchBytes), checkUse(op.flops),
                 checkUse(op.bytes));
}

std::string InstructionChecker::check(const HostCallInstruction &op) {
  if (op.hostOp >= plan.hostOps.size())
    return "the host operator does not exist";
  for (const PlanOperand &operand : op.operands)
    if (std::string fault = checkOperand(operand.view, operand.access);
        !fault.empty())
      return fault;
  if (std::string fault = checkUses(op.scalars); !fault.empty())
    return fault;
  for (uint32_t result : op.results)
    if (std::string fault = checkDefinition(result); !fault.empty())
      return fault;
  return {};
}

std::string InstructionChecker::check(const CopyInstruction &op) {
  if (std::string fault = firstOf(checkOperand(op.source, Access::Read),
                                  checkOperand(op.destination, Access::Write));
      !fault.empty())
    return fault;
  const PlanView &source = plan.views[op.source];
  const PlanView &destination = plan.views[op.destination];
  bool equal = source.elementType == destination.elementType &&
               source.dims.size() == destination.dims.size();
  for (size_t dim = 0; equal && dim < source.dims.size(); ++dim) {
    const PlanInt &a = source.dims[dim].size, &b = destination.dims[dim].size;
    equal = a.isRegister() || b.isRegister() || a == b;
  }
  return equal ? "" : "expects views of one shape and element type";
}

std::string InstructionChecker::check(const FillInstruction &op) {
  return checkOperand(op.view, Access::Write);
}

std::string InstructionChecker::check(const ZeroHaloInstruction &op) {
  if (std::string fault = checkOperand(op.view, Access::Write); !fault.empty())
    return fault;
  const PlanView &view = plan.views[op.view];
  if (op.low.size() != view.dims.size() || op.high.size() != view.dims.size())
    return "expects two halo widths for each dim";
  if (view.layout != noIndex || elementTypeInfo(view.elementType).bits < 8)
    return "expects a strided view of whole bytes";
  for (const auto *widths : {&op.low, &op.high})
    for (const PlanInt &width : *widths)
      if (std::string fault = checkNonNegative(width); !fault.empty())
        return fault;
  return {};
}

std::string InstructionChecker::check(const ScalarInstruction &op) {
  return firstOf(checkUse(op.a), checkUse(op.b), checkUse(op.c),
                 checkDefinition(op.result));
}

std::string InstructionChecker::checkElement(
    uint32_t index, const std::vector<PlanInt> &position, Access access) const {
  if (std::string fault =
          firstOf(checkOperand(index, access), checkUses(position));
      !fault.empty())
    return fault;
  const PlanView &view = plan.views[index];
  switch (view.elementType) {
  case ElementType::I8:
  case ElementType::I16:
  case ElementType::I32:
  case ElementType::I64:
  case ElementType::U8:
  case ElementType::U16:
  case ElementType::U32:
  case ElementType::U64:
  case ElementType::BOOL:
    break;
  default:
    return "expects an integer or boolean element type";
  }
  if (view.layout != noIndex || position.size() != view.dims.size())
    return "expects a strided view and one index for each dim";
  for (size_t dim = 0; dim < position.size(); ++dim) {
    if (!position[dim].isStatic() || !view.dims[dim].size.isStatic())
      continue;
    if (position[dim].value() < 0 ||
        position[dim].value() >= view.dims[dim].size.value())
      return "the index is out of range";
  }
  return {};
}

std::string InstructionChecker::check(const LoadScalarInstruction &op) {
  return firstOf(checkElement(op.view, op.index, Access::Read),
                 checkDefinition(op.result));
}

std::string InstructionChecker::check(const StoreScalarInstruction &op) {
  return firstOf(checkElement(op.view, op.index, Access::Write),
                 checkUse(op.value));
}

std::string InstructionChecker::check(const CheckInstruction &op) {
  return checkUse(op.condition);
}

std::string InstructionChecker::check(const IfInstruction &op) {
  frames.push_back({Region::If, registers.position(), {}});
  return checkUse(op.condition);
}

std::string InstructionChecker::check(const ElseInstruction &) {
  if (frames.empty() || frames.back().region != Region::If)
    return "Else without If";
  Frame &frame = frames.back();
  frame.region = Region::Else;
  frame.firstBranch = registers.rollBack(frame.begin);
  return {};
}

std::string InstructionChecker::check(const EndIfInstruction &) {
  if (frames.empty() || (frames.back().region != Region::If &&
                         frames.back().region != Region::Else))
    return "EndIf without If";
  // Without Else, the first branch intersects with nothing.
  registers.intersect(frames.back().begin, frames.back().firstBranch);
  frames.pop_back();
  return {};
}

std::string InstructionChecker::check(const LoopInstruction &) {
  frames.push_back({Region::LoopHead, registers.position(), {}});
  return {};
}

std::string InstructionChecker::check(const LoopTestInstruction &op) {
  if (frames.empty() || frames.back().region != Region::LoopHead)
    return "LoopTest without Loop";
  // What stands before the test is executed at least once.
  frames.back() = {Region::LoopBody, registers.position(), {}};
  return checkUse(op.condition);
}

std::string InstructionChecker::check(const EndLoopInstruction &) {
  if (frames.empty() || frames.back().region != Region::LoopBody)
    return "EndLoop without LoopTest";
  registers.rollBack(frames.back().begin);
  frames.pop_back();
  return {};
}

std::string InstructionChecker::checkDataBuffer(uint32_t buffer) const {
  if (buffer >= plan.buffers.size() ||
      plan.buffers[buffer].placement != Placement::Data)
    return "expects a buffer whose size depends on data";
  return {};
}

std::string InstructionChecker::check(const AllocateInstruction &op) {
  if (std::string fault = checkDataBuffer(op.buffer); !fault.empty())
    return fault;
  return checkUse(plan.buffers[op.buffer].bytes);
}

std::string InstructionChecker::check(const FreeInstruction &op) {
  if (std::string fault = checkDataBuffer(op.buffer); !fault.empty())
    return fault;
  if (plan.buffers[op.buffer].space == BufferSpace::Output)
    return "an output outlives the run";
  return {};
}

std::string InstructionChecker::checkPrologue() {
  for (const PlanSymbol &symbol : plan.symbols)
    registers.define(symbol.registerIndex);
  for (size_t i = 0; i < plan.prologue.size(); ++i) {
    const PlanOperation &operation = plan.prologue[i].operation;
    std::string fault = "expects only scalar operations and checks";
    if (auto *scalar = std::get_if<ScalarInstruction>(&operation))
      fault = check(*scalar);
    else if (auto *condition = std::get_if<CheckInstruction>(&operation))
      fault = check(*condition);
    if (!fault.empty())
      return fmt::format("prologue instruction {}: {}", i, fault);
  }
  return {};
}

/// What the planner needs is known after the prologue, and so is what an input
/// must look like.
std::string InstructionChecker::checkShapeBuffers() const {
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].placement == Placement::Shape)
      if (std::string fault = checkUse(plan.buffers[i].bytes); !fault.empty())
        return fmt::format("buffer {}: {}", i, fault);
  for (const PlanPort &port : plan.inputs)
    if (std::string fault = checkViewValues(plan.views[port.view]);
        !fault.empty())
      return fmt::format("input '{}': {}", port.name, fault);
  for (const PlanVariable &variable : plan.variables)
    if (std::string fault = checkViewValues(plan.views[variable.view]);
        !fault.empty())
      return fmt::format("variable '{}': {}", variable.name, fault);
  return {};
}

std::string InstructionChecker::checkBody() {
  for (now = 0; now < plan.body.size(); ++now) {
    std::string fault =
        std::visit([this](const auto &operation) { return check(operation); },
                   plan.body[now].operation);
    if (!fault.empty())
      return fmt::format("instruction {}: {}", now, fault);
  }
  return frames.empty() ? "" : "a branch or loop is not closed";
}

std::string InstructionChecker::checkOutputs() const {
  for (const PlanPort &port : plan.outputs)
    if (std::string fault = checkViewValues(plan.views[port.view]);
        !fault.empty())
      return fmt::format("output '{}': {}", port.name, fault);
  return {};
}

std::string InstructionChecker::check() {
  std::string fault = checkPrologue();
  if (fault.empty())
    fault = checkShapeBuffers();
  if (fault.empty())
    fault = checkBody();
  if (fault.empty())
    fault = checkOutputs();
  return fault;
}

std::string findInstructionFault(const Plan &plan) {
  return InstructionChecker(plan).check();
}

} // namespace atc
