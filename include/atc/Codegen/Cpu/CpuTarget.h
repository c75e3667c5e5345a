// The CPU as a target of the compiler.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_CPUTARGET_H
#define ATC_CODEGEN_CPU_CPUTARGET_H

#include "atc/Target/CpuDescription.h"
#include "atc/Target/Target.h"
#include <memory>

namespace mlir::atc::cpu {

/// The target that makes code for one CPU level.
std::shared_ptr<const Target> createCpuTarget(const CpuDescription &cpu);

/// One target per record of cpuDescriptions().
SmallVector<std::shared_ptr<const Target>> createCpuTargets();

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_CPUTARGET_H
