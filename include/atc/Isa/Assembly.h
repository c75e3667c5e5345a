// Text of NPU instructions, for people.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_ISA_ASSEMBLY_H
#define ATC_ISA_ASSEMBLY_H

#include "atc/Isa/Encoding.h"

#include <string>

namespace atc::isa {

/// "mmad.f16.bias dst=0, a=512, b=x3, bias=0, m=16, n=16, k=32". Registers are
/// written x0 to x127, branch targets as indices with '@'.
std::string printInstruction(const Instruction &instruction);

/// The same with the values that registers had; for fault messages.
std::string printInstruction(const ResolvedInstruction &instruction);

/// One instruction on a line, after its index and byte offset; branch targets
/// are labelled.
std::string printProgram(const Program &program);

} // namespace atc::isa

#endif // ATC_ISA_ASSEMBLY_H
