// Cycles of instructions: the one source for the simulator and for selection.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_ISA_TIMING_H
#define ATC_ISA_TIMING_H

#include "atc/Isa/Device.h"

namespace atc::isa {

/// Cycles that an instruction keeps its pipe busy, and cycles from its start
/// to the moment when its results are complete.
struct Cost {
  uint64_t occupancy = 1;
  uint64_t latency = 1;
};

/// What the cost depends on besides the instruction.
struct CostContext {
  /// Cores that share L2 and DRAM at this time.
  unsigned activeCores = 1;
  /// The pipe ran dry before this instruction: its start-up is not hidden.
  bool pipeIdle = true;
  /// MTE2 writes L1 meanwhile.
  bool l1WriteConcurrent = false;
  /// Global memory data is in L2.
  bool l2Hit = true;
};

/// Cost of an instruction whose fields are within their limits.
Cost instructionCost(const ResolvedInstruction &instruction,
                     const DeviceRecord &device, const CostContext &context);

} // namespace atc::isa

#endif // ATC_ISA_TIMING_H
