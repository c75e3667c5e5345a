// Prints the tables of docs/errors.md and docs/cli.md from their sources.
// SPDX-License-Identifier: Apache-2.0
#include "OptionTable.h"
#include "atc/Support/Diagnostic.h"

#include <fmt/format.h>

#include <string_view>

using namespace atc;

static void printErrors() {
  fmt::print(
      "<!-- Generated from include/atc/Support/ErrorCodes.def by "
      "atc-print-tables; do not edit. -->\n"
      "# Errors\n\n"
      "A message begins with its code: `E` and five digits. Then comes where "
      "the problem is (a file, or a node with its operator type and operator "
      "set), what is wrong, with the actual values, a possible cause and what "
      "to do. Codes that ATC has keep ATC's number where the meaning is the "
      "same. The C interface returns the number: 30002 is E30002.\n\n"
      "| Code | Title | Possible cause | Solution |\n|---|---|---|---|\n");
  constexpr ErrorCode codes[] = {
#define ATC_ERROR(NUMBER, NAME, TITLE, CAUSE, SOLUTION) ErrorCode::NAME,
#include "atc/Support/ErrorCodes.def"
  };
  for (ErrorCode code : codes) {
    const ErrorInfo &info = errorInfo(code);
    fmt::print("| {} | {} | {} | {} |\n", formatErrorCode(code), info.title,
               info.cause, info.solution);
  }
  fmt::print(
      "\n## Reporting E19999\n\n"
      "An internal error names the phase and, where there is one, the kernel. "
      "`atc` also writes what the phase had to work on beside --output, as "
      "`NAME.reproducer.mlir` (without --output in the current folder, as "
      "`atc.reproducer.mlir`), and names the file. `atc-opt "
      "--run-reproducer FILE` runs the same passes again. The file of phase "
      "`emit` holds the lowered kernel without passes: for a CPU, "
      "`mlir-translate --mlir-to-llvmir` makes LLVM IR of it. A reproducer "
      "shows names, shapes and parameters of the model, and constants of at "
      "most eight elements; weights are not in it.\n");
}

static void printOptions() {
  fmt::print(
      "<!-- Generated from tools/atc-cli/OptionTable.cpp by atc-print-tables; "
      "do not edit. -->\n"
      "# The command line of atc\n\n"
      "```\n"
      "atc --model=m.onnx --framework=5 --soc_version=CPU --output=m\n"
      "atc --mode=1 --om=m.om --json=m.json\n"
      "atc --mode=6 --om=m.om\n"
      "```\n\n"
      "An option is written `--name=value`, `--name value` or `-name value`; "
      "in "
      "a name, `-` and `_` are the same. The exit code is 0 for success and "
      "255 for failure. Values that do not work yet end with E10001.\n{}",
      cli::optionsMarkdown());
}

int main(int argc, char **argv) {
  std::string_view table = argc == 2 ? argv[1] : "";
  if (table == "errors")
    printErrors();
  else if (table == "options")
    printOptions();
  else
    fmt::print(stderr, "usage: atc-print-tables errors|options\n");
  return table == "errors" || table == "options" ? 0 : 1;
}
