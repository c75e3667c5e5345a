/* Kernels for the runtime's tests, as a compiler would emit them.
   SPDX-License-Identifier: Apache-2.0 */
#include "atc/Support/KernelAbi.h"

#define KERNEL(NAME)                                                           \
  __attribute__((visibility("default"))) void NAME(                            \
      const atc_kernel_context *context, void *const *buffers,                 \
      const int64_t *scalars, void *scratch, int64_t begin, int64_t end)

/* y[i] = x[i] + scalars[0], one element a tile. */
KERNEL(add_scalar) {
  const float *x = buffers[0];
  float *y = buffers[1];
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] + (float)scalars[0];
}

/* z[i] = x[i] + y[i]. */
KERNEL(add) {
  const float *x = buffers[0], *y = buffers[1];
  float *z = buffers[2];
  for (int64_t i = begin; i < end; ++i)
    z[i] = x[i] + y[i];
}

/* y[r][c] = x[r][c-1] + x[r][c] + x[r][c+1]; one row a tile; x has a halo of
   one element on either side. scalars: columns, pitch of x. */
KERNEL(sum_of_neighbours) {
  const float *x = buffers[0];
  float *y = buffers[1];
  int64_t columns = scalars[0], pitch = scalars[1];
  for (int64_t r = begin; r < end; ++r)
    for (int64_t c = 0; c < columns; ++c)
      y[r * columns + c] =
          x[r * pitch + c - 1] + x[r * pitch + c] + x[r * pitch + c + 1];
}

/* y[i] = exp(x[i]) by the import table, through per-thread scratch. */
KERNEL(exp_by_import) {
  const double *x = buffers[0];
  double *y = buffers[1];
  double *cell = scratch;
  for (int64_t i = begin; i < end; ++i) {
    *cell = context->imports->exp(x[i]);
    y[i] = *cell;
  }
}

/* Marks each tile with begin of the range that computed it. */
KERNEL(mark_ranges) {
  int64_t *y = buffers[0];
  for (int64_t i = begin; i < end; ++i)
    y[i] = begin;
}

/* y[i] = x[index[i]], one element a tile; indices outside are a fault. scalars:
   elements of x. */
KERNEL(pick) {
  const float *x = buffers[0];
  const int64_t *index = buffers[1];
  float *y = buffers[2];
  for (int64_t i = begin; i < end; ++i) {
    int isInside = index[i] >= 0 && index[i] < scalars[0];
    if (!isInside)
      context->imports->report_fault(context, ATC_KERNEL_FAULT_INDEX);
    y[i] = x[isInside ? index[i] : 0];
  }
}

#ifdef WITH_RELOCATIONS
/* An initialized pointer needs a relocation. */
extern void mark_ranges(const atc_kernel_context *, void *const *,
                        const int64_t *, void *, int64_t, int64_t);
__attribute__((visibility("default"))) atc_kernel const table[] = {mark_ranges,
                                                                   mark_ranges};
#endif
#ifdef WITH_WRITABLE_DATA
__attribute__((visibility("default"))) int64_t counter = 1;
#endif
#ifdef WITH_THREAD_LOCAL
__attribute__((visibility("default"))) _Thread_local int64_t counter = 1;
#endif
