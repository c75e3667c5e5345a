// What compiler, plan and runtime agree on about tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_TENSORLIMITS_H
#define ATC_SUPPORT_TENSORLIMITS_H

#include <cstdint>

namespace atc {

/// A tensor of more dims has no place in a plan.
inline constexpr uint32_t maxTensorRank = 32;

} // namespace atc

#endif // ATC_SUPPORT_TENSORLIMITS_H
