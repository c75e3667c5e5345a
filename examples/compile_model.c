/* Compiles an ONNX model for this machine: compile_model MODEL.onnx MODEL.om
   SPDX-License-Identifier: Apache-2.0 */
#include <atc/Driver/atc_compiler.h>

#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s MODEL.onnx MODEL.om\n", argv[0]);
    return 2;
  }
  atc_compile_options options;
  atc_compile_options_init(&options);
  options.target = "CPU";
  if (atc_compile_file(argv[1], &options, argv[2]) != 0) {
    fputs(atc_compiler_last_error(), stderr);
    return 1;
  }
  fputs(atc_compiler_last_warnings(), stderr);
  return 0;
}
