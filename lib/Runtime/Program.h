// A plan's body prepared for execution.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_RUNTIME_PROGRAM_H
#define ATC_LIB_RUNTIME_PROGRAM_H

#include "atc/Model/Plan.h"

#include <vector>

namespace atc {

/// What can be known of the body before it runs: where jumps lead, and which
/// launches have operands that stay the same from run to run as long as shape
/// and port memory do.
struct Program {
  explicit Program(const Plan &plan);

  struct Step {
    /// If: the first instruction of the other branch or behind EndIf. Else: the
    /// one behind EndIf. LoopTest: behind EndLoop. EndLoop: the Loop.
    uint32_t target = 0;
    /// Launches: where this one's values begin in the arrays of all launches.
    uint32_t firstOperand = 0;
    uint32_t firstScalar = 0;
    uint32_t launchIndex = 0;
    /// Operands or scalars depend on what the body computes.
    bool isLate = false;
  };

  std::vector<Step> steps;
  uint32_t operandCount = 0;
  uint32_t scalarCount = 0;
  uint32_t launchCount = 0;
  /// Most tensors, scalars and results of one host call, and most dims.
  uint32_t maxHostTensors = 0, maxHostScalars = 0, maxHostResults = 0;
  /// Largest scratch that is known before a run.
  uint64_t staticScratchBytes = 0;

private:
  void linkJumps(const Plan &plan);
  void numberOperands(const Plan &plan);
};

} // namespace atc

#endif // ATC_LIB_RUNTIME_PROGRAM_H
