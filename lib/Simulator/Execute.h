// What instructions do to memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SIMULATOR_EXECUTE_H
#define ATC_SIMULATOR_EXECUTE_H

#include "Memory.h"

namespace atc::sim {

/// Executes an instruction of a pipe other than S, flags and barriers apart.
/// Fields are within their limits. Throws FatalFault on an access out of
/// bounds; the block cannot go on then.
void execute(const isa::ResolvedInstruction &instruction, CoreMemory &memory);

// One room each.
void executeMovement(const isa::ResolvedInstruction &instruction,
                     CoreMemory &memory);
void executeCube(const isa::ResolvedInstruction &instruction,
                 CoreMemory &memory);
void executeVector(const isa::ResolvedInstruction &instruction,
                   CoreMemory &memory);

} // namespace atc::sim

#endif // ATC_SIMULATOR_EXECUTE_H
