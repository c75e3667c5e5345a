// ATC's way of writing options: from arguments to a map.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_CLI_COMMANDLINE_H
#define ATC_TOOLS_ATC_CLI_COMMANDLINE_H

#include "atc/Support/Diagnostic.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace atc::cli {

/// The options that were given, by normalized name; the last one wins.
class OptionValues {
public:
  bool has(std::string_view name) const {
    return values.find(name) != values.end();
  }
  /// The given value, else the table's default, else empty.
  std::string get(std::string_view name) const;
  void set(std::string name, std::string value) {
    values[std::move(name)] = std::move(value);
  }
  void remove(std::string_view name) {
    if (auto it = values.find(name); it != values.end())
      values.erase(it);
  }
  const std::map<std::string, std::string, std::less<>> &all() const {
    return values;
  }

private:
  std::map<std::string, std::string, std::less<>> values;
};

/// Arguments that are no options of atc: what stands behind "ERROR: ".
struct UsageError {
  std::string message;
};

/// Reads `--name=value`, `--name value`, `-name value` and `-h`; '-' inside a
/// name is '_'. A flag may stand without a value. Unknown names, missing values
/// and other text are usage errors.
std::variant<OptionValues, UsageError>
parseArguments(const std::vector<std::string> &arguments);

/// Splits one line of a batch list into arguments: blanks separate, single and
/// double quotes keep them together. Fails for an open quote.
Expected<std::vector<std::string>> splitCommand(std::string_view line);

/// Reads a flag's value: 1/t/true/y/yes/empty and 0/f/false/n/no in any case.
Expected<bool> parseFlag(const OptionValues &values, std::string_view name);

} // namespace atc::cli

#endif // ATC_TOOLS_ATC_CLI_COMMANDLINE_H
