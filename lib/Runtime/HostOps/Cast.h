// Conversion of element types.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_RUNTIME_HOSTOPS_CAST_H
#define ATC_LIB_RUNTIME_HOSTOPS_CAST_H

#include "atc/Runtime/HostOps.h"

namespace atc {

/// tensors: {source, destination}, equal shapes, types of a byte or more that
/// are real numbers. To floating point: to nearest, ties to even. From floating
/// point to integers: towards zero, clamped to the type, NaN to zero. Between
/// integers: modulo 2^bits. To bool: whether the value is not zero.
Status castOnHost(const HostCall &call);

} // namespace atc

#endif // ATC_LIB_RUNTIME_HOSTOPS_CAST_H
