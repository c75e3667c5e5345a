// The checks of strict mode on one instruction's accesses.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SIMULATOR_STRICTCHECKER_H
#define ATC_SIMULATOR_STRICTCHECKER_H

#include "RaceDetector.h"

#include "atc/Isa/Region.h"

namespace atc::sim {

/// Collects faults up to a limit.
class FaultLog {
public:
  FaultLog(Report &report, unsigned limit) : report(report), limit(limit) {}

  void add(Fault fault) {
    ++report.faultCount;
    if (report.faults.size() < limit)
      report.faults.push_back(std::move(fault));
  }

private:
  Report &report;
  unsigned limit;
};

/// Shadow of all segments of global memory, shared by the blocks of a launch.
class GlobalShadow {
public:
  explicit GlobalShadow(const GlobalMemory &global);
  ShadowMemory &segment(size_t index) { return segments[index]; }

private:
  std::vector<ShadowMemory> segments;
};

/// Checks the accesses of one core during one block.
class StrictChecker {
public:
  StrictChecker(const isa::DeviceRecord &device, const GlobalMemory &global,
                GlobalShadow &globalShadow);

  /// What is wrong with an instruction, given the bytes that it touched in
  /// order and the completions that it can rely on. `clock[party.pipe]` counts
  /// what a barrier of its own pipe covers. Remembers the accesses.
  std::vector<Fault> check(const isa::ResolvedInstruction &instruction,
                           const Party &party, const VectorClock &clock,
                           const std::vector<Access> &accesses);

private:
  struct Place {
    ShadowMemory *shadow;
    uint64_t offset;
  };
  Place locate(const Access &access);

  void checkDeclared(const isa::ResolvedInstruction &instruction,
                     const std::vector<Access> &accesses,
                     std::vector<Fault> &faults) const;
  void checkInitialized(const std::vector<Access> &accesses,
                        std::vector<Fault> &faults);
  void checkRaces(const isa::ResolvedInstruction &instruction,
                  const Party &party, const VectorClock &clock,
                  const std::vector<Access> &accesses,
                  std::vector<Fault> &faults);

  template <typename Fields>
  void moveMarks(const Fields &fields, isa::Space to);

  const GlobalMemory &global;
  GlobalShadow &globalShadow;
  std::vector<ShadowMemory> locals;
};

/// Why operands of a vector instruction overlap in a way that its pipeline does
/// not support, or an empty text: a repeat may read what the same repeat
/// writes only block for block, and nothing that an earlier one wrote.
std::string findVectorOverlap(const isa::ResolvedInstruction &instruction);

} // namespace atc::sim

#endif // ATC_SIMULATOR_STRICTCHECKER_H
