/* Runs an offline model on zeros and prints its outputs' shapes and first
   values: run_model MODEL.om
   SPDX-License-Identifier: Apache-2.0 */
#include <atc/Runtime/atc_runtime.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Gives the input its own memory, filled with zeros. Sizes that the model
   leaves open become the least that it takes. */
static atc_status clear_input(const atc_model *model, atc_session *session,
                              size_t index) {
  atc_port port;
  atc_tensor tensor;
  atc_status status = atc_model_input(model, index, &port);
  if (status != ATC_OK)
    return status;
  status = atc_session_input_buffer(session, index, port.min_dims, port.rank,
                                    &tensor);
  if (status == ATC_OK && tensor.bytes != 0)
    memset(tensor.data, 0, tensor.bytes);
  return status;
}

static atc_status print_output(const atc_model *model,
                               const atc_session *session, size_t index) {
  atc_port port;
  atc_tensor tensor;
  atc_status status = atc_model_output(model, index, &port);
  if (status == ATC_OK)
    status = atc_session_output(session, index, &tensor);
  if (status != ATC_OK)
    return status;
  printf("%s %s [", port.name, atc_element_type_name(tensor.type));
  for (size_t dim = 0; dim < tensor.rank; ++dim)
    printf("%s%" PRId64, dim ? ", " : "", tensor.dims[dim]);
  printf("]");
  if (tensor.type == ATC_FLOAT32 && tensor.bytes != 0)
    printf(" = %g ...", ((const float *)tensor.data)[0]);
  printf("\n");
  return ATC_OK;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s MODEL.om\n", argv[0]);
    return 2;
  }
  atc_model *model = NULL;
  atc_session *session = NULL;
  atc_status status = atc_model_load(argv[1], NULL, &model);
  if (status == ATC_OK)
    status = atc_session_create(model, NULL, &session);
  for (size_t i = 0; status == ATC_OK && i < atc_model_input_count(model); ++i)
    status = clear_input(model, session, i);
  if (status == ATC_OK)
    status = atc_session_run(session);
  for (size_t i = 0; status == ATC_OK && i < atc_model_output_count(model); ++i)
    status = print_output(model, session, i);
  if (status != ATC_OK)
    fputs(atc_last_error(), stderr);
  atc_session_free(session);
  atc_model_free(model);
  return status == ATC_OK ? 0 : 1;
}
