// One core running one block: scalar unit, pipes, flags, clocks.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SIMULATOR_CORE_H
#define ATC_SIMULATOR_CORE_H

#include "StrictChecker.h"

#include "atc/Isa/Timing.h"

#include <deque>
#include <optional>

namespace atc::sim {

/// Which global memory is in L2: pages that this launch has touched.
class CacheModel {
public:
  explicit CacheModel(const GlobalMemory &global);
  /// Marks a range; true if all of it was there before.
  bool touch(const GlobalMemory &global, int64_t address, int64_t end);

private:
  std::vector<std::vector<bool>> pages;
};

/// What all blocks of a launch share.
struct LaunchState {
  const isa::DeviceRecord &device;
  const SimulatorOptions &options;
  GlobalMemory &global;
  CacheModel &cache;
  /// Null unless strict.
  GlobalShadow *shadow;
  const std::vector<int64_t> &arguments;
  uint32_t blockCount;
  unsigned activeCores;
  Report &report;
  FaultLog &faults;
};

/// Which part of a launch a core runs.
struct BlockIdentity {
  uint32_t block = 0;
  uint32_t subBlock = 0;
  isa::CoreType core = isa::CoreType::Fused;
  /// Unique among all runs of the launch.
  uint32_t run = 0;
};

/// Executes a program. Pipes work as soon as their flags allow; times follow
/// from those of flags, queues and pipes alone, so the order in which pipes
/// are stepped does not matter to them.
class Core {
public:
  Core(LaunchState &launch, const isa::Program &program,
       BlockIdentity identity);

  /// Runs from cycle 0 to the end or the first fatal fault; the cycle when the
  /// last pipe has finished.
  uint64_t run();
  /// A fatal fault ended the block.
  bool hasFailed() const { return failed; }

private:
  struct Pending {
    isa::ResolvedInstruction instruction;
    uint32_t index;
    uint64_t issued;
    /// What the scalar unit knew to be complete.
    VectorClock clock;
  };

  struct PipeState {
    std::deque<Pending> queue;
    /// When the next instruction may start, for occupancy and for barriers.
    uint64_t freeAt = 0, barrierUntil = 0;
    /// When all started instructions have completed.
    uint64_t complete = 0;
    uint32_t sequence = 0;
    VectorClock clock{};
    /// Start times of the newest instructions, for the queue's depth.
    std::deque<uint64_t> starts;
  };

  struct Flag {
    bool isSet = false;
    uint64_t readyAt = 0;
    VectorClock clock{};
    uint32_t setter = 0;
    /// Position in its pipe of the wait that cleared it last.
    uint32_t consumer = 0;
  };

  // The scalar unit.
  void step();
  void executeScalar(const isa::Instruction &instruction);
  int64_t valueOf(const isa::Operand &operand) const;
  int64_t alu(isa::AluFunction function, int64_t a, int64_t b) const;
  isa::ResolvedInstruction resolve(const isa::Instruction &instruction) const;
  void issue(const isa::Instruction &instruction);
  void drainAll();
  void finish();

  // The pipes.
  void advance(isa::Pipe pipe);
  bool executeHead(isa::Pipe pipe);
  bool waitFlag(PipeState &state, const Pending &pending, uint64_t start);
  void setFlag(isa::Pipe pipe, const Pending &pending, uint64_t start);
  void executeOn(isa::Pipe pipe, const Pending &pending, uint64_t start);
  bool scalarWait(const isa::ResolvedInstruction &instruction);

  Flag &flagOf(const isa::ResolvedInstruction &instruction);
  PipeState &stateOf(isa::Pipe pipe) {
    return pipes[static_cast<unsigned>(pipe)];
  }
  VectorClock &scalarClock() { return stateOf(isa::Pipe::S).clock; }

  void report(FaultKind kind, uint32_t instruction, std::string message);
  [[noreturn]] void reportDeadlock(const std::string &reason);
  void checkCycles(uint64_t cycle) const;

  LaunchState &launch;
  const isa::Program &program;
  BlockIdentity identity;
  CoreMemory memory;
  std::optional<StrictChecker> checker;
  std::array<int64_t, isa::registerCount> registers{};
  std::array<PipeState, isa::pipeCount> pipes;
  std::vector<Flag> flags;
  uint32_t pc = 0;
  uint64_t now = 0;
  bool ended = false, failed = false;
  std::vector<Access> accesses;
  std::vector<isa::Region> regions;
};

} // namespace atc::sim

#endif // ATC_SIMULATOR_CORE_H
