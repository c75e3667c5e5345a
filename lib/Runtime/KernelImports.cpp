// The functions that kernels may call.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/CpuCode.h"

#include <cmath>
#include <cstring>

namespace atc {

// The table is filled by field name, so its order is that of KernelAbi.h alone.
static atc_kernel_imports makeImports() {
  atc_kernel_imports imports = {};
#define ATC_FILL_IMPORT(RESULT, NAME, ARGUMENTS)                               \
  imports.NAME = static_cast<RESULT(*) ARGUMENTS>(&::NAME);
  ATC_KERNEL_IMPORTS(ATC_FILL_IMPORT)
#undef ATC_FILL_IMPORT
  imports.memcpy = [](void *to, const void *from, uint64_t size) {
    return std::memcpy(to, from, size);
  };
  imports.memset = [](void *to, int value, uint64_t size) {
    return std::memset(to, value, size);
  };
  imports.memmove = [](void *to, const void *from, uint64_t size) {
    return std::memmove(to, from, size);
  };
  imports.report_fault = [](const atc_kernel_context *context, uint32_t fault) {
    static_cast<const LaunchContext *>(context)->report(fault);
  };
  return imports;
}

LaunchContext::LaunchContext()
    : atc_kernel_context{ATC_KERNEL_ABI_VERSION, kernelImportCount, nullptr} {
  static const atc_kernel_imports table = makeImports();
  imports = &table;
}

} // namespace atc
