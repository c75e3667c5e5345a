// The scalar unit of a core, and the life of a block.
// SPDX-License-Identifier: Apache-2.0
#include "Core.h"

#include "atc/Isa/Assembly.h"

#include <fmt/format.h>

#include <algorithm>

namespace atc::sim {

using namespace isa;

namespace {
/// Larger addresses could overflow on their way to the bounds check.
constexpr int64_t maxAddress = int64_t(1) << 56;
} // namespace

Core::Core(LaunchState &launch, const Program &program, BlockIdentity identity)
    : launch(launch), program(program), identity(identity),
      memory(launch.device, launch.global),
      flags(pipeCount * pipeCount * launch.device.eventIds) {
  if (launch.shadow)
    checker.emplace(launch.device, launch.global, *launch.shadow);
}

uint64_t Core::run() {
  try {
    while (!ended)
      step();
  } catch (const FatalFault &fault) {
    report(fault.kind, fault.instruction.value_or(pc), fault.message);
    failed = true;
  }
  launch.report.gmReadBytes += memory.gmReadBytes;
  launch.report.gmWriteBytes += memory.gmWriteBytes;
  uint64_t end = now;
  for (const PipeState &pipe : pipes)
    end = std::max(end, std::max(pipe.complete, pipe.freeAt));
  return end;
}

void Core::report(FaultKind kind, uint32_t instruction, std::string message) {
  Fault fault;
  fault.kind = kind;
  fault.block = identity.block;
  fault.core = identity.core;
  fault.instruction = instruction;
  if (instruction < program.instructions.size())
    message = fmt::format(
        "{}: {}", printInstruction(program.instructions[instruction]), message);
  fault.message = std::move(message);
  launch.faults.add(std::move(fault));
}

void Core::checkCycles(uint64_t cycle) const {
  if (cycle > launch.options.maxCycles)
    throw FatalFault{FaultKind::CycleLimit,
                     fmt::format("the block needs more than {} cycles",
                                 launch.options.maxCycles)};
}

//===----------------------------------------------------------------------===//
// Scalar instructions
//===----------------------------------------------------------------------===//

int64_t Core::valueOf(const Operand &operand) const {
  return operand.isRegister ? registers[operand.value] : operand.value;
}

int64_t Core::alu(AluFunction function, int64_t a, int64_t b) const {
  auto wrap = [](uint64_t value) { return static_cast<int64_t>(value); };
  uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (function) {
  case AluFunction::Add:
    return wrap(ua + ub);
  case AluFunction::Subtract:
    return wrap(ua - ub);
  case AluFunction::Multiply:
    return wrap(ua * ub);
  case AluFunction::Divide:
  case AluFunction::Modulo: {
    if (b == 0)
      throw FatalFault{FaultKind::DivideByZero, "divides by zero"};
    bool isDivide = function == AluFunction::Divide;
    if (b == -1) // The quotient of the smallest number would overflow.
      return isDivide ? wrap(0 - ua) : 0;
    int64_t quotient = a / b, remainder = a % b;
    bool adjust = remainder != 0 && (remainder < 0) != (b < 0);
    if (isDivide)
      return adjust ? quotient - 1 : quotient;
    return adjust ? remainder + b : remainder;
  }
  case AluFunction::Minimum:
    return std::min(a, b);
  case AluFunction::Maximum:
    return std::max(a, b);
  case AluFunction::And:
    return a & b;
  case AluFunction::Or:
    return a | b;
  case AluFunction::Xor:
    return a ^ b;
  case AluFunction::ShiftLeft:
    return wrap(ua << (ub & 63));
  case AluFunction::ShiftRight:
    return a >> (ub & 63);
  case AluFunction::Less:
    return a < b;
  case AluFunction::LessEqual:
    return a <= b;
  case AluFunction::Equal:
    return a == b;
  case AluFunction::NotEqual:
    return a != b;
  }
  return 0;
}

namespace {
bool holds(Condition condition, int64_t a, int64_t b) {
  switch (condition) {
  case Condition::Less:
    return a < b;
  case Condition::GreaterEqual:
    return a >= b;
  case Condition::Equal:
    return a == b;
  case Condition::NotEqual:
    return a != b;
  }
  return false;
}
} // namespace

void Core::executeScalar(const Instruction &instruction) {
  const auto &operands = instruction.operands;
  auto value = [&](unsigned i) { return valueOf(operands[i]); };
  auto result = [&]() -> int64_t & { return registers[operands[0].value]; };
  uint32_t next = pc + 1;
  switch (instruction.opcode) {
  case Opcode::End:
    return finish();
  case Opcode::MoveImmediate:
    result() = static_cast<int64_t>(
        static_cast<uint64_t>(static_cast<uint32_t>(operands[2].value)) << 32 |
        static_cast<uint32_t>(operands[1].value));
    break;
  case Opcode::Alu:
    result() = alu(static_cast<AluFunction>(instruction.modifiers[0]), value(1),
                   value(2));
    break;
  case Opcode::Select:
    result() = value(1) != 0 ? value(2) : value(3);
    break;
  case Opcode::Jump:
    next = static_cast<uint32_t>(operands[0].value);
    break;
  case Opcode::Branch:
    if (holds(static_cast<Condition>(instruction.modifiers[0]), value(0),
              value(1)))
      next = static_cast<uint32_t>(operands[2].value);
    break;
  case Opcode::ReadSpecial: {
    const uint32_t specials[] = {identity.block, launch.blockCount,
                                 identity.subBlock};
    result() = specials[instruction.modifiers[0]];
    break;
  }
  case Opcode::LoadArgument: {
    int64_t index = value(1);
    if (index < 0 || index >= static_cast<int64_t>(launch.arguments.size()))
      throw FatalFault{
          FaultKind::FieldLimit,
          fmt::format("argument {} of {}", index, launch.arguments.size())};
    result() = launch.arguments[index];
    break;
  }
  default:
    break;
  }
  pc = next;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

void Core::step() {
  if (pc >= program.instructions.size())
    throw FatalFault{FaultKind::NoEnd,
                     "the program runs past its last instruction"};
  checkCycles(now);
  const Instruction &instruction = program.instructions[pc];
  ++launch.report.instructions;
  ++launch.report.busy[static_cast<unsigned>(Pipe::S)];
  ++now;
  bool isScalar = instructionInfo(instruction.opcode).pipe == Pipe::S;
  bool isSync = instruction.opcode == Opcode::SetFlag ||
                instruction.opcode == Opcode::WaitFlag ||
                instruction.opcode == Opcode::Barrier;
  if (isScalar && !isSync)
    return executeScalar(instruction);
  issue(instruction);
  ++pc;
}

ResolvedInstruction Core::resolve(const Instruction &instruction) const {
  const InstructionInfo &info = instructionInfo(instruction.opcode);
  ResolvedInstruction resolved;
  resolved.opcode = instruction.opcode;
  resolved.modifiers = instruction.modifiers;
  bool isVector = info.pipe == Pipe::V;
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const OperandInfo &operand = info.operands[i];
    int64_t value = valueOf(instruction.operands[i]);
    resolved.values[i] = value;
    const char *violation = operandViolation(operand, value);
    if (!violation && operand.role == OperandRole::Address &&
        value > maxAddress)
      violation = "is outside of every space";
    if (!violation && isVector && operand.name == "lanes" &&
        value > lanesPerRepeat(resolved))
      violation = "exceeds a repeat of the type";
    if (!violation)
      continue;
    bool misaligned = value >= 0 && value % operand.multiple != 0;
    throw FatalFault{misaligned ? FaultKind::Misaligned : FaultKind::FieldLimit,
                     fmt::format("{} = {} {}", operand.name, value, violation)};
  }
  return resolved;
}

void Core::issue(const Instruction &instruction) {
  ResolvedInstruction resolved = resolve(instruction);
  Pipe pipe = pipeOf(resolved);
  if (pipe == Pipe::S) {
    if (resolved.opcode == Opcode::Barrier)
      drainAll();
    else if (resolved.opcode == Opcode::SetFlag)
      setFlag(pipe, {resolved, pc, now, scalarClock()}, now);
    else if (!scalarWait(resolved))
      reportDeadlock("the scalar unit waits for a flag that nothing sets");
    return;
  }
  PipeState &state = stateOf(pipe);
  unsigned depth = launch.device.queueDepth;
  if (state.queue.size() >= depth)
    reportDeadlock("the scalar unit waits for a full queue");
  // The entry that leaves the queue when the oldest of `depth` starts.
  if (state.queue.empty() && state.starts.size() >= depth)
    now = std::max(now, state.starts[state.starts.size() - depth]);
  state.queue.push_back({resolved, pc, now, scalarClock()});
  advance(pipe);
}

bool Core::scalarWait(const ResolvedInstruction &instruction) {
  Flag &flag = flagOf(instruction);
  if (!flag.isSet)
    return false;
  PipeState &state = stateOf(Pipe::S);
  flag.isSet = false;
  flag.consumer = ++state.sequence;
  state.clock[static_cast<unsigned>(Pipe::S)] = state.sequence;
  join(state.clock, flag.clock);
  now = std::max(now, flag.readyAt);
  return true;
}

void Core::drainAll() {
  VectorClock all{};
  for (unsigned i = 0; i < pipeCount; ++i) {
    if (!pipes[i].queue.empty())
      reportDeadlock("a barrier waits for pipes that do not finish");
    now = std::max(now, pipes[i].complete);
    all[i] = pipes[i].sequence;
  }
  for (PipeState &pipe : pipes)
    join(pipe.clock, all);
}

void Core::finish() {
  for (const PipeState &pipe : pipes)
    if (!pipe.queue.empty())
      reportDeadlock("the program ends, but pipes do not finish");
  ended = true;
  if (!checker)
    return;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (!flags[i].isSet)
      continue;
    size_t pair = i / launch.device.eventIds;
    report(FaultKind::LeftoverFlag, flags[i].setter,
           fmt::format("flag {} from {} to {} is still set at the end",
                       i % launch.device.eventIds,
                       pipeName(static_cast<Pipe>(pair / pipeCount)),
                       pipeName(static_cast<Pipe>(pair % pipeCount))));
  }
}

void Core::reportDeadlock(const std::string &reason) {
  std::string message = reason;
  for (unsigned i = 0; i < pipeCount; ++i)
    if (!pipes[i].queue.empty())
      message += fmt::format(
          "; pipe {} waits at instruction {} ({})",
          pipeName(static_cast<Pipe>(i)), pipes[i].queue.front().index,
          printInstruction(pipes[i].queue.front().instruction));
  throw FatalFault{FaultKind::Deadlock, message};
}

} // namespace atc::sim
