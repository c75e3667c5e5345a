// Operators that run on the host instead of as compiled kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_HOSTOPS_H
#define ATC_RUNTIME_HOSTOPS_H

#include "atc/Runtime/TensorRef.h"
#include "atc/Support/Diagnostic.h"

#include <string_view>

namespace atc {

/// One call of a host operator. The runtime has checked that every tensor lies
/// inside its buffer; everything else is the operator's to check.
struct HostCall {
  const TensorRef *tensors = nullptr;
  uint32_t tensorCount = 0;
  const int64_t *scalars = nullptr;
  uint32_t scalarCount = 0;
  /// Registers to set.
  int64_t *results = nullptr;
  uint32_t resultCount = 0;
  /// Constant attributes in the operator's own encoding.
  std::string_view attributes;
};

/// Portable C++, deterministic, single-threaded; no state between calls. A file
/// may be hostile: counts, types and shapes are checked before use, and a
/// violation is ExecutionFailed.
using HostOpFunction = Status (*)(const HostCall &call);

/// What a plan may call. Names are ABI: they are never renamed, and a change of
/// meaning takes a new name.
struct HostOp {
  const char *name;
  HostOpFunction function;
};

/// The operator of that name, or null.
const HostOp *findHostOp(std::string_view name);

} // namespace atc

#endif // ATC_RUNTIME_HOSTOPS_H
