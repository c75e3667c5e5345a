/* The contract between compiled CPU kernels and the runtime that calls them.
   SPDX-License-Identifier: Apache-2.0 */
#ifndef ATC_SUPPORT_KERNELABI_H
#define ATC_SUPPORT_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changed whenever this file changes in a way that old code cannot meet. */
#define ATC_KERNEL_ABI_VERSION 1

/* Functions that kernels call and do not carry themselves: rare ones, where a
   call costs nothing beside the work. The table only grows at its end; a file
   records how many entries its code uses. */
#define ATC_KERNEL_IMPORTS(X)                                                  \
  X(double, exp, (double))                                                     \
  X(double, log, (double))                                                     \
  X(double, pow, (double, double))                                             \
  X(double, sin, (double))                                                     \
  X(double, cos, (double))                                                     \
  X(double, tan, (double))                                                     \
  X(double, asin, (double))                                                    \
  X(double, acos, (double))                                                    \
  X(double, atan, (double))                                                    \
  X(double, atan2, (double, double))                                           \
  X(double, sinh, (double))                                                    \
  X(double, cosh, (double))                                                    \
  X(double, tanh, (double))                                                    \
  X(double, asinh, (double))                                                   \
  X(double, acosh, (double))                                                   \
  X(double, atanh, (double))                                                   \
  X(double, erf, (double))                                                     \
  X(double, fmod, (double, double))                                            \
  X(float, powf, (float, float))                                               \
  X(float, sinf, (float))                                                      \
  X(float, cosf, (float))                                                      \
  X(float, tanf, (float))                                                      \
  X(float, asinf, (float))                                                     \
  X(float, acosf, (float))                                                     \
  X(float, atanf, (float))                                                     \
  X(float, sinhf, (float))                                                     \
  X(float, coshf, (float))                                                     \
  X(float, asinhf, (float))                                                    \
  X(float, acoshf, (float))                                                    \
  X(float, atanhf, (float))                                                    \
  X(float, fmodf, (float, float))

/* What a kernel can find wrong with its data. It finishes in any case and stays
   within its buffers; that its results mean nothing is told to report_fault. */
typedef enum atc_kernel_fault {
  /* An index points outside of the dim that it selects from. */
  ATC_KERNEL_FAULT_INDEX = 0
} atc_kernel_fault;

struct atc_kernel_context;

typedef struct atc_kernel_imports {
#define ATC_KERNEL_IMPORT_FIELD(RESULT, NAME, ARGUMENTS)                       \
  RESULT(*NAME) ARGUMENTS;
  ATC_KERNEL_IMPORTS(ATC_KERNEL_IMPORT_FIELD)
#undef ATC_KERNEL_IMPORT_FIELD
  /* The C library's block copies; code generators make calls to them. */
  void *(*memcpy)(void *, const void *, uint64_t);
  void *(*memset)(void *, int, uint64_t);
  void *(*memmove)(void *, const void *, uint64_t);
  /* Remembers a fault (atc_kernel_fault) of the launch that `context` was made
     for. From any of its threads, any number of times. */
  void (*report_fault)(const struct atc_kernel_context *context,
                       uint32_t fault);
} atc_kernel_imports;

typedef struct atc_kernel_context {
  uint32_t abi_version;
  uint32_t import_count;
  const atc_kernel_imports *imports;
} atc_kernel_context;

/* Computes tiles [begin, end) of one launch. `buffers` are the launch's
   operands in order, results and workspaces last; a buffer points at logical
   element 0 (behind the halo). `scalars` are sizes, strides and offsets that
   the plan computed. `scratch` is memory of this thread alone, 64-byte
   aligned, of the size that the kernel asked for. What a tile computes, and in
   which order, does not depend on how tiles are divided among calls. */
typedef void (*atc_kernel)(const atc_kernel_context *context,
                           void *const *buffers, const int64_t *scalars,
                           void *scratch, int64_t begin, int64_t end);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ATC_SUPPORT_KERNELABI_H */
