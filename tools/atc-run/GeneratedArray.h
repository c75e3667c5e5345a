// Arrays that no file gives: constants and seeded noise.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_GENERATEDARRAY_H
#define ATC_TOOLS_ATC_RUN_GENERATEDARRAY_H

#include "HostArray.h"

namespace atc::run {

/// Every element is `value`, rounded and clamped to the type.
Expected<HostArray> makeFilledArray(ElementType type,
                                    const std::vector<int64_t> &shape,
                                    double value);

/// Equal seeds give equal arrays on every machine: real numbers in [-1, 1),
/// integers from 0 to 9, booleans.
Expected<HostArray> makeRandomArray(ElementType type,
                                    const std::vector<int64_t> &shape,
                                    uint64_t seed);

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_GENERATEDARRAY_H
