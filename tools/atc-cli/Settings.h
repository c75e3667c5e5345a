// What one invocation of atc is to do: option values, checked and converted.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_CLI_SETTINGS_H
#define ATC_TOOLS_ATC_CLI_SETTINGS_H

#include "CommandLine.h"
#include "atc/Driver/Compile.h"

namespace atc::cli {

enum class Mode { Compile = 0, Dump = 1, Show = 6 };
enum class LogLevel { Debug, Info, Warning, Error, None };

struct Settings {
  Mode mode = Mode::Compile;
  LogLevel log = LogLevel::None;
  /// Mode 0, and mode 1 on a source model.
  std::string modelPath;
  /// Mode 0: with its suffix; empty where nothing is written.
  std::string outputPath;
  /// Modes 1 and 6.
  std::string offlineModelPath;
  std::string jsonPath;
  bool dumpShapes = false;
  bool showModelInfo = false;
  bool dumpPasses = false;
  std::string stopAfter;
  CompileOptions compile;
  /// Options that have no effect.
  std::vector<std::string> warnings;
};

/// Checks all values. The first problem is reported; its text names the option
/// and the value.
Expected<Settings> makeSettings(const OptionValues &values);

/// `name:d1,d2;name:...`; a name ends at the last colon of its part, so that
/// inputs may be called `input:0`. A name without sizes is a scalar.
Expected<std::vector<CompileOptions::InputShape>>
parseInputShapes(std::string_view text);

/// `FP32`, or `name:index:TYPE;...`; the index belongs to ATC's way of naming a
/// node's output and is kept in the name.
Expected<std::vector<CompileOptions::OutputType>>
parseOutputTypes(std::string_view text);

/// Parts of a text between separators; empty parts are left out.
std::vector<std::string> split(std::string_view text, char separator);

} // namespace atc::cli

#endif // ATC_TOOLS_ATC_CLI_SETTINGS_H
