// Detection of processor levels by the compiler's built-ins.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/CpuFeatures.h"

namespace atc {

CpuLevel hostCpuLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  // The levels of the x86-64 psABI, by their newest members: each level holds
  // all of the one below.
  bool v2 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  bool v3 = v2 && __builtin_cpu_supports("avx2") &&
            __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
            __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") &&
            __builtin_cpu_supports("lzcnt");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
            __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") &&
            __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4   ? CpuLevel::X86_64_V4
         : v3 ? CpuLevel::X86_64_V3
         : v2 ? CpuLevel::X86_64_V2
              : CpuLevel::X86_64_V1;
#elif defined(__aarch64__)
  return CpuLevel::AArch64;
#else
  return CpuLevel::None;
#endif
}

uint32_t hostCpuFeatures() {
  uint32_t features = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512vnni"))
    features |= CpuFeatureAvx512Vnni;
  if (__builtin_cpu_supports("avx512bf16"))
    features |= CpuFeatureAvx512Bf16;
  // The system has to enable the tile registers for each process, which this
  // runtime does not ask for; AMX therefore never counts as present.
#if defined(__clang__)
  if (__builtin_cpu_supports("avxvnni"))
    features |= CpuFeatureAvxVnni;
#endif
#endif
  return features;
}

bool canRunOnHost(CpuLevel level, uint32_t features) {
  CpuLevel host = hostCpuLevel();
  if (level == CpuLevel::None || (features & ~hostCpuFeatures()) != 0)
    return false;
  bool hostIsArm = host == CpuLevel::AArch64;
  if (hostIsArm || level == CpuLevel::AArch64)
    return host == level;
  return level <= host;
}

std::string cpuLevelName(CpuLevel level) {
  switch (level) {
  case CpuLevel::None:
    return "unknown";
  case CpuLevel::AArch64:
    return "aarch64";
  case CpuLevel::X86_64_V1:
  case CpuLevel::X86_64_V2:
  case CpuLevel::X86_64_V3:
  case CpuLevel::X86_64_V4:
    return "x86-64-v" + std::to_string(static_cast<int>(level));
  }
  return "unknown";
}

Expected<uint32_t> selectCodeImage(const Plan &plan) {
  for (uint32_t i = 0; i < plan.codeImages.size(); ++i)
    if (canRunOnHost(plan.codeImages[i].level, plan.codeImages[i].features))
      return i;
  std::string levels;
  for (const PlanCodeImage &image : plan.codeImages)
    levels += (levels.empty() ? "" : ", ") + cpuLevelName(image.level) +
              (image.features ? " with extensions" : "");
  return Status::error(ErrorCode::WrongDevice,
                       "the model has code for " + levels +
                           ", this processor is " +
                           cpuLevelName(hostCpuLevel()),
                       {},
                       "Compile the model with --soc_version=CPU on this "
                       "machine or for a lower level.");
}

} // namespace atc
