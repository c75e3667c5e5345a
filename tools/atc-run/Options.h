// The command line of atc-run.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_OPTIONS_H
#define ATC_TOOLS_ATC_RUN_OPTIONS_H

#include "atc/Support/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atc::run {

enum class OutputFormat { Npy, Bin, Text };

struct Options {
  std::string model;

  /// Texts of --input, --image and --shape in the order given.
  std::vector<std::string> inputs, images, shapes;
  std::string inputFolder;
  std::optional<double> fill;
  uint64_t seed = 0;

  std::string outputFolder;
  OutputFormat format = OutputFormat::Npy;
  std::string dumpFolder;
  std::string profileFile;
  bool json = false;
  bool quiet = false;

  unsigned loop = 1;
  std::optional<unsigned> warmup;
  unsigned threads = 0;
  bool simulate = false;
  bool strict = false;
  bool verify = false;
  bool resident = false;
};

/// Parses the arguments. Sets `help` to the text to print instead of running;
/// fails with InvalidOptionValue or MissingOption.
Expected<Options> parseOptions(int argc, char **argv, std::string &help);

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_OPTIONS_H
