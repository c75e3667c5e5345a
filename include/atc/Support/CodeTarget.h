// What compiled code is for: the kind of target, CPU levels and features.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_CODETARGET_H
#define ATC_SUPPORT_CODETARGET_H

#include <cstdint>

namespace atc {

/// The values of these enumerations are part of the plan format: append only.
enum class TargetKind : uint8_t { Cpu = 0, Npu = 1 };

/// What a code image demands of the processor: levels of the x86-64 psABI, or
/// Armv8.
enum class CpuLevel : uint8_t {
  None = 0,
  X86_64_V1 = 1,
  X86_64_V2 = 2,
  X86_64_V3 = 3,
  X86_64_V4 = 4,
  AArch64 = 16,
};

/// Features beyond a level, as bits.
enum CpuFeature : uint32_t {
  CpuFeatureAvxVnni = 1u << 0,
  CpuFeatureAvx512Vnni = 1u << 1,
  CpuFeatureAvx512Bf16 = 1u << 2,
  CpuFeatureAmxInt8 = 1u << 3,
  CpuFeatureAmxBf16 = 1u << 4,
};

} // namespace atc

#endif // ATC_SUPPORT_CODETARGET_H
