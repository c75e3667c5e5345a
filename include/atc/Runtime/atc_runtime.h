/* The C interface of OpenATC's runtime: load an offline model and run it.
   SPDX-License-Identifier: Apache-2.0 */
#ifndef ATC_RUNTIME_ATC_RUNTIME_H
#define ATC_RUNTIME_ATC_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ATC_API __attribute__((visibility("default")))
#else
#define ATC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A model is read-only and may be used by any number of sessions and threads.
   A session belongs to one thread at a time; sessions of different threads run
   beside each other. Freeing a model does not disturb its sessions. */
typedef struct atc_model atc_model;
typedef struct atc_session atc_session;

/* ATC_OK, or the number of an error as in docs/errors.md: 30002 is E30002. */
typedef int32_t atc_status;
#define ATC_OK 0
#define ATC_ERROR_OUT_OF_MEMORY 20004
#define ATC_ERROR_NOT_OFFLINE_MODEL 30001
#define ATC_ERROR_DAMAGED_MODEL 30002
#define ATC_ERROR_NEWER_MODEL 30003
#define ATC_ERROR_WRONG_DEVICE 30004
#define ATC_ERROR_INVALID_INPUT 31001
#define ATC_ERROR_INVALID_ARGUMENT 31002
#define ATC_ERROR_EXECUTION_FAILED 31003

/* The calling thread's last failure, as text of one or more lines; empty if
   there was none. Valid until the thread's next failing call. */
ATC_API const char *atc_last_error(void);

/* "major.minor.patch" of the library. */
ATC_API const char *atc_runtime_version(void);

/*--- Tensors ----------------------------------------------------------------*/

/* Numbers are part of the interface; ATC_TYPE_COUNT grows. */
typedef enum atc_element_type {
  ATC_FLOAT32 = 0,
  ATC_FLOAT16 = 1,
  ATC_BFLOAT16 = 2,
  ATC_FLOAT64 = 3,
  ATC_INT8 = 4,
  ATC_INT16 = 5,
  ATC_INT32 = 6,
  ATC_INT64 = 7,
  ATC_UINT8 = 8,
  ATC_UINT16 = 9,
  ATC_UINT32 = 10,
  ATC_UINT64 = 11,
  ATC_BOOL = 12, /* one byte, 0 or 1 */
  ATC_STRING = 13,
  ATC_COMPLEX64 = 14,
  ATC_COMPLEX128 = 15,
  ATC_INT4 = 16, /* two in a byte, low half first */
  ATC_UINT4 = 17,
  ATC_FLOAT8E4M3FN = 18,
  ATC_FLOAT8E4M3FNUZ = 19,
  ATC_FLOAT8E5M2 = 20,
  ATC_FLOAT8E5M2FNUZ = 21,
  ATC_FLOAT4E2M1 = 22,
  ATC_TYPE_COUNT = 23
} atc_element_type;

/* "float32" for ATC_FLOAT32; NULL for an unknown number. */
ATC_API const char *atc_element_type_name(atc_element_type type);

/* An input or output as the model declares it. `min_dims` and `max_dims` bound
   each size, inclusive; `dims` has -1 where they differ or where the size is
   computed at run time. Pointers live as long as the model. */
typedef struct atc_port {
  const char *name;
  atc_element_type type;
  size_t rank;
  const int64_t *dims;
  const int64_t *min_dims;
  const int64_t *max_dims;
} atc_port;

/* Data in memory: row-major, dense. Pointers live until the session's next run
   or change of inputs. */
typedef struct atc_tensor {
  atc_element_type type;
  size_t rank;
  const int64_t *dims;
  void *data;
  size_t bytes;
} atc_tensor;

/*--- Models -----------------------------------------------------------------*/

typedef struct atc_load_options {
  /* Set by atc_load_options_init. */
  size_t struct_size;
  /* Compare the digest of the weights too; reads all of them. */
  int verify_weights;
  /* Keep the weights in memory of their own, in huge pages where the system
     has them, instead of mapping them from the file. */
  int resident_weights;
} atc_load_options;

ATC_API void atc_load_options_init(atc_load_options *options);

/* `options` may be NULL. An offline model for the CPU is a program: load it
   only if you would load a shared library from the same source. */
ATC_API atc_status atc_model_load(const char *path,
                                  const atc_load_options *options,
                                  atc_model **model);
/* Copies the bytes. */
ATC_API atc_status atc_model_load_memory(const void *data, size_t size,
                                         const atc_load_options *options,
                                         atc_model **model);
ATC_API void atc_model_free(atc_model *model);

ATC_API const char *atc_model_name(const atc_model *model);
/* The device record that the model was compiled for: "CPU-x86-64-v3". */
ATC_API const char *atc_model_target(const atc_model *model);
/* 1 if the model needs a session on the simulated device. */
ATC_API int atc_model_is_npu(const atc_model *model);
ATC_API size_t atc_model_input_count(const atc_model *model);
ATC_API size_t atc_model_output_count(const atc_model *model);
ATC_API atc_status atc_model_input(const atc_model *model, size_t index,
                                   atc_port *port);
ATC_API atc_status atc_model_output(const atc_model *model, size_t index,
                                    atc_port *port);
/* The index of a name; ATC_ERROR_INVALID_ARGUMENT if there is none. A model may
 * give several outputs one name; this finds the first. */
ATC_API atc_status atc_model_input_index(const atc_model *model,
                                         const char *name, size_t *index);
ATC_API atc_status atc_model_output_index(const atc_model *model,
                                          const char *name, size_t *index);

/*--- Sessions ---------------------------------------------------------------*/

typedef enum atc_device {
  ATC_DEVICE_CPU = 0,
  /* Runs NPU models by simulation. */
  ATC_DEVICE_SIMULATOR = 1
} atc_device;

typedef struct atc_session_options {
  /* Set by atc_session_options_init. */
  size_t struct_size;
  /* Threads of each launch, the caller's among them; 0: one per processor that
     this process may use. Results do not depend on it. */
  uint32_t threads;
  atc_device device;
  /* Simulator: look for races and reads of uninitialized memory too. */
  int strict_simulation;
} atc_session_options;

ATC_API void atc_session_options_init(atc_session_options *options);

/* `options` may be NULL. */
ATC_API atc_status atc_session_create(const atc_model *model,
                                      const atc_session_options *options,
                                      atc_session **session);
ATC_API void atc_session_free(atc_session *session);

/* Copies the data of an input. `dims` may be NULL if all sizes are fixed; the
   number of bytes must be exactly that of the shape. */
ATC_API atc_status atc_session_set_input(atc_session *session, size_t index,
                                         const void *data, size_t bytes,
                                         const int64_t *dims, size_t rank);
/* The same without a copy: the memory must stay valid and unchanged during
   each run until the input is set otherwise. It should be 64-byte aligned;
   where it is not, a run copies it. */
ATC_API atc_status atc_session_bind_input(atc_session *session, size_t index,
                                          const void *data, size_t bytes,
                                          const int64_t *dims, size_t rank);
/* The session's own memory for an input of the given shape, to be filled in
   place; replaces a binding. */
ATC_API atc_status atc_session_input_buffer(atc_session *session, size_t index,
                                            const int64_t *dims, size_t rank,
                                            atc_tensor *tensor);
/* Lets runs write an output to the caller's memory, 64-byte aligned and large
   enough, or with NULL to the session's own again. */
ATC_API atc_status atc_session_bind_output(atc_session *session, size_t index,
                                           void *data, size_t capacity);

/* Executes the model. On a shape that the session has run before, nothing is
   allocated, unless a size depends on data. */
ATC_API atc_status atc_session_run(atc_session *session);

/* The result of the last run. */
ATC_API atc_status atc_session_output(const atc_session *session, size_t index,
                                      atc_tensor *tensor);

/* Gives all variables (caches and other state) their initial values. */
ATC_API atc_status atc_session_reset_variables(atc_session *session);

/*--- Memory -----------------------------------------------------------------*/

/* In bytes; sizes that depend on the inputs are those of the last run. */
typedef struct atc_memory_info {
  uint64_t weights;
  /* 1 if the weights are in memory of their own, 0 if mapped. */
  uint64_t weights_resident;
  uint64_t arena;
  /* The most bytes that live at one time: no arena could be smaller. Zero if
     unknown. */
  uint64_t arena_lower_bound;
  uint64_t variables;
  /* Session-owned inputs and outputs. */
  uint64_t ports;
  /* Scratch of all threads. */
  uint64_t scratch;
} atc_memory_info;

ATC_API atc_status atc_session_memory(const atc_session *session,
                                      atc_memory_info *info);

/*--- Profile ----------------------------------------------------------------*/

/* One executed launch or host call. */
typedef struct atc_profile_record {
  /* Kernel or host operator. */
  const char *name;
  const char *op_type;
  /* Nodes of the source model, separated by '+'. */
  const char *source;
  /* Since profiling was switched on. */
  uint64_t start_ns;
  uint64_t duration_ns;
  int64_t tiles;
  uint32_t threads;
  /* Estimates of the compiler; 0 where unknown. */
  uint64_t flops;
  uint64_t bytes;
  /* Device cycles of a simulated launch, else 0. */
  uint64_t cycles;
} atc_profile_record;

/* Switching on discards earlier records. */
ATC_API atc_status atc_session_set_profiling(atc_session *session, int enable);
ATC_API size_t atc_session_profile_count(const atc_session *session);
ATC_API atc_status atc_session_profile_record(const atc_session *session,
                                              size_t index,
                                              atc_profile_record *record);
/* Writes the records in Chrome's trace format. */
ATC_API atc_status atc_session_write_trace(const atc_session *session,
                                           const char *path);
/* Time by kernel as text; valid until the session's next such call. */
ATC_API const char *atc_session_profile_table(atc_session *session);

/*--- Intermediate tensors ---------------------------------------------------*/

/* Called after each instruction that writes a tensor of the source model, with
   the tensor's values in row-major order. The memory is the library's. */
typedef void (*atc_dump_function)(void *user, const char *name,
                                  const char *source, const atc_tensor *tensor);

/* NULL switches off. Slows runs down. */
ATC_API atc_status atc_session_set_dump(atc_session *session,
                                        atc_dump_function function, void *user);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ATC_RUNTIME_ATC_RUNTIME_H */
