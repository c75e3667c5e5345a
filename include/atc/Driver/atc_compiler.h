/* The C interface of OpenATC's compiler: a model in, an offline model out.
   SPDX-License-Identifier: Apache-2.0 */
#ifndef ATC_DRIVER_ATC_COMPILER_H
#define ATC_DRIVER_ATC_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ATC_COMPILER_API __attribute__((visibility("default")))
#else
#define ATC_COMPILER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Any number of threads may compile at the same time. */

/* 0, or the number of the first error as in docs/errors.md: 16002 is E16002. */
typedef int32_t atc_compile_status;

/* All errors of the calling thread's last failing call, as text of one or more
   lines; empty if there was none. Valid until the thread's next call. */
ATC_COMPILER_API const char *atc_compiler_last_error(void);

/* Warnings of the calling thread's last compilation, in the same form. */
ATC_COMPILER_API const char *atc_compiler_last_warnings(void);

/* "major.minor.patch" of the library. */
ATC_COMPILER_API const char *atc_compiler_version(void);

/* The names that `target` takes, beside "CPU" for the best that this machine
   has; NULL from the first index that names none. */
ATC_COMPILER_API const char *atc_compiler_target(size_t index);

/* Sizes of an input; -1 keeps the model's. */
typedef struct atc_input_shape {
  const char *name;
  size_t rank;
  const int64_t *dims;
} atc_input_shape;

typedef enum atc_precision {
  /* What fits the target: as the model says on a CPU, float16 on an NPU. */
  ATC_PRECISION_DEFAULT = 0,
  ATC_PRECISION_ORIGIN = 1,
  ATC_PRECISION_FLOAT16 = 2
} atc_precision;

typedef struct atc_compile_options {
  /* Set by atc_compile_options_init. */
  size_t struct_size;
  /* The device: "CPU" by default. */
  const char *target;
  /* Sizes of inputs that the model leaves open. */
  const atc_input_shape *input_shapes;
  size_t input_shape_count;
  /* Where the graph ends: names of values, or "node:index". None: the model's
     outputs. */
  const char *const *outputs;
  size_t output_count;
  atc_precision precision;
  /* Stored in the file, at most 31 bytes; may be NULL. */
  const char *model_name;
  /* Threads to compile with; 0: one per processor. The result does not depend
     on it. */
  unsigned threads;
} atc_compile_options;

ATC_COMPILER_API void atc_compile_options_init(atc_compile_options *options);

/* Compiles an ONNX file to a file, which appears whole or not at all. `options`
   may be NULL. */
ATC_COMPILER_API atc_compile_status
atc_compile_file(const char *model_path, const atc_compile_options *options,
                 const char *output_path);

/* The bytes of an offline model. */
typedef struct atc_compiled atc_compiled;

/* Compiles an ONNX model in memory, which may not refer to external data. */
ATC_COMPILER_API atc_compile_status
atc_compile_memory(const void *model, size_t size,
                   const atc_compile_options *options, atc_compiled **compiled);
ATC_COMPILER_API const void *atc_compiled_data(const atc_compiled *compiled);
ATC_COMPILER_API size_t atc_compiled_size(const atc_compiled *compiled);
ATC_COMPILER_API void atc_compiled_free(atc_compiled *compiled);

#ifdef __cplusplus
}
#endif

#endif /* ATC_DRIVER_ATC_COMPILER_H */
