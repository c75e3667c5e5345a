// The pipes of a core: when an instruction starts, and what follows from it.
// SPDX-License-Identifier: Apache-2.0
#include "Core.h"
#include "Execute.h"

#include "atc/Isa/Assembly.h"

#include <fmt/format.h>

#include <algorithm>

namespace atc::sim {

using namespace isa;

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

namespace {
constexpr uint64_t pageBytes = 4096;
} // namespace

CacheModel::CacheModel(const GlobalMemory &global) {
  for (const GlobalMemory::Segment &segment : global.getSegments())
    pages.emplace_back(segment.bytes / pageBytes + 1);
}

bool CacheModel::touch(const GlobalMemory &global, int64_t address,
                       int64_t end) {
  size_t segment;
  uint64_t offset;
  if (!global.locate(address, segment, offset))
    return false;
  bool present = true;
  uint64_t last = offset + static_cast<uint64_t>(end - address) - 1;
  for (uint64_t page = offset / pageBytes;
       page <= last / pageBytes && page < pages[segment].size(); ++page) {
    present &= pages[segment][page];
    pages[segment][page] = true;
  }
  return present;
}

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

void Core::advance(Pipe pipe) {
  // A flag may release another pipe; visit pipes until none can go on.
  unsigned pending = 1u << static_cast<unsigned>(pipe);
  while (pending) {
    unsigned index = 0;
    while (!(pending >> index & 1))
      ++index;
    pending &= ~(1u << index);
    PipeState &state = pipes[index];
    while (!state.queue.empty()) {
      const ResolvedInstruction &head = state.queue.front().instruction;
      bool isSet = head.opcode == Opcode::SetFlag;
      unsigned released = isSet ? head.modifiers[1] : 0;
      try {
        if (!executeHead(static_cast<Pipe>(index)))
          break;
      } catch (FatalFault &fault) {
        // The fault belongs to this instruction, not to the one being issued.
        fault.instruction = state.queue.front().index;
        throw;
      }
      if (isSet)
        pending |= 1u << released;
    }
  }
}

bool Core::executeHead(Pipe pipe) {
  PipeState &state = stateOf(pipe);
  const Pending &pending = state.queue.front();
  uint64_t start = std::max({pending.issued, state.freeAt, state.barrierUntil});
  switch (pending.instruction.opcode) {
  case Opcode::WaitFlag:
    if (!waitFlag(state, pending, start))
      return false;
    break;
  case Opcode::SetFlag:
    join(state.clock, pending.clock);
    ++state.sequence;
    setFlag(pipe, pending, start);
    state.freeAt = start + 1;
    break;
  case Opcode::Barrier:
    join(state.clock, pending.clock);
    state.clock[static_cast<unsigned>(pipe)] = ++state.sequence;
    state.barrierUntil = std::max(start, state.complete);
    break;
  default:
    join(state.clock, pending.clock);
    ++state.sequence;
    executeOn(pipe, pending, start);
    break;
  }
  state.starts.push_back(start);
  if (state.starts.size() > launch.device.queueDepth)
    state.starts.pop_front();
  state.queue.pop_front();
  return true;
}

Core::Flag &Core::flagOf(const ResolvedInstruction &instruction) {
  int64_t id = instruction.values[0];
  if (id >= static_cast<int64_t>(launch.device.eventIds))
    throw FatalFault{
        FaultKind::FlagId,
        fmt::format("flag id {} is not below {}", id, launch.device.eventIds)};
  size_t pair =
      instruction.modifiers[0] * size_t(pipeCount) + instruction.modifiers[1];
  return flags[pair * launch.device.eventIds + id];
}

bool Core::waitFlag(PipeState &state, const Pending &pending, uint64_t start) {
  Flag &flag = flagOf(pending.instruction);
  if (!flag.isSet)
    return false;
  flag.isSet = false;
  flag.consumer = ++state.sequence;
  join(state.clock, pending.clock);
  join(state.clock, flag.clock);
  state.freeAt = std::max(start, flag.readyAt) + 1;
  return true;
}

void Core::setFlag(Pipe pipe, const Pending &pending, uint64_t start) {
  PipeState &state = stateOf(pipe);
  Flag &flag = flagOf(pending.instruction);
  // All earlier work of the pipe is complete when the flag is set.
  VectorClock clock = state.clock;
  clock[static_cast<unsigned>(pipe)] = state.sequence;
  unsigned to = pending.instruction.modifiers[1];
  if (checker && (flag.isSet || clock[to] < flag.consumer))
    report(FaultKind::DoubleSet, pending.index,
           fmt::format("sets flag {} again, and nothing says that the wait "
                       "before is over",
                       pending.instruction.values[0]));
  flag.isSet = true;
  flag.setter = pending.index;
  flag.clock = clock;
  flag.readyAt =
      std::max(start, state.complete) + launch.device.timing.flagLatency;
}

void Core::executeOn(Pipe pipe, const Pending &pending, uint64_t start) {
  PipeState &state = stateOf(pipe);
  const ResolvedInstruction &instruction = pending.instruction;
  CostContext context;
  context.activeCores = launch.activeCores;
  context.pipeIdle = state.sequence == 1 || start > state.freeAt;
  context.l1WriteConcurrent =
      pipe == Pipe::MTE1 && stateOf(Pipe::MTE2).freeAt > start;
  if (pipe == Pipe::MTE2) {
    regions.clear();
    appendRegions(instruction, regions);
    for (const Region &region : regions)
      if (region.space == Space::GM)
        context.l2Hit &=
            launch.cache.touch(launch.global, region.address, region.end());
  }
  Cost cost = instructionCost(instruction, launch.device, context);
  checkCycles(start + cost.occupancy);

  accesses.clear();
  memory.record(checker ? &accesses : nullptr);
  execute(instruction, memory);
  if (checker) {
    Party party{identity.run, identity.block, pipe, state.sequence,
                pending.index};
    for (Fault &fault :
         checker->check(instruction, party, state.clock, accesses)) {
      fault.block = identity.block;
      fault.core = identity.core;
      fault.instruction = pending.index;
      fault.message =
          fmt::format("{}: {}", printInstruction(instruction), fault.message);
      launch.faults.add(std::move(fault));
    }
  }
  state.freeAt = start + cost.occupancy;
  state.complete = std::max(state.complete, start + cost.latency);
  launch.report.busy[static_cast<unsigned>(pipe)] += cost.occupancy;
}

} // namespace atc::sim
