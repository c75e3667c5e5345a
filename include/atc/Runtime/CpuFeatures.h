// What this machine's processor can run.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_CPUFEATURES_H
#define ATC_RUNTIME_CPUFEATURES_H

#include "atc/Model/Plan.h"

#include <string>

namespace atc {

/// The highest level of this processor.
CpuLevel hostCpuLevel();
/// Bits of CpuFeature.
uint32_t hostCpuFeatures();
/// True if this processor runs code of that level with those features.
bool canRunOnHost(CpuLevel level, uint32_t features);
/// "x86-64-v3", "aarch64".
std::string cpuLevelName(CpuLevel level);

/// Index of the first of the plan's code images that this processor runs, or
/// WrongDevice.
Expected<uint32_t> selectCodeImage(const Plan &plan);

} // namespace atc

#endif // ATC_RUNTIME_CPUFEATURES_H
