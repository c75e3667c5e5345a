// ATC's way of writing options: from arguments to a map.
// SPDX-License-Identifier: Apache-2.0
#include "CommandLine.h"
#include "OptionTable.h"
#include "atc/Support/NearestName.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace atc::cli {

std::string OptionValues::get(std::string_view name) const {
  if (auto it = values.find(name); it != values.end())
    return it->second;
  const OptionInfo *option = findOption(name);
  return option ? option->defaultValue : "";
}

static UsageError unknownOption(std::string_view argument, std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string> known;
  for (const OptionInfo &option : optionTable())
    known.push_back(option.name);
  return UsageError{
      fmt::format("unknown option '{}'{}", argument, didYouMean(name, known))};
}

std::variant<OptionValues, UsageError>
parseArguments(const std::vector<std::string> &arguments) {
  OptionValues values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view text = arguments[i];
    if (text == "-h") {
      values.set("help", "");
      continue;
    }
    // A single dash before a letter alone is no long option.
    size_t dashes = text.substr(0, 2) == "--"           ? 2
                    : text.size() > 2 && text[0] == '-' ? 1
                                                        : 0;
    if (dashes == 0 || text.size() == dashes)
      return UsageError{fmt::format("unexpected argument '{}'", text)};
    text.remove_prefix(dashes);
    size_t equals = text.find('=');
    std::string_view name = text.substr(0, equals);
    const OptionInfo *option = findOption(name);
    if (!option)
      return unknownOption(arguments[i], std::string(name));
    if (equals != text.npos)
      values.set(option->name, std::string(text.substr(equals + 1)));
    else if (option->placeholder[0] == '\0')
      values.set(option->name, "");
    else if (i + 1 < arguments.size())
      values.set(option->name, arguments[++i]);
    else
      return UsageError{fmt::format("option '{}' needs a value", arguments[i])};
  }
  return values;
}

Expected<std::vector<std::string>> splitCommand(std::string_view line) {
  std::vector<std::string> arguments;
  std::string current;
  bool isOpen = false;
  char quote = 0;
  for (char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        current += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      isOpen = true;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      if (isOpen)
        arguments.push_back(std::move(current));
      current.clear();
      isOpen = false;
    } else {
      current += c;
      isOpen = true;
    }
  }
  if (quote != 0)
    return Diagnostic{ErrorCode::InvalidOptionValue,
                      fmt::format("a quote is not closed in '{}'", line),
                      {},
                      {}};
  if (isOpen)
    arguments.push_back(std::move(current));
  return arguments;
}

Expected<bool> parseFlag(const OptionValues &values, std::string_view name) {
  std::string value = values.get(name);
  if (values.has(name) && value.empty())
    return true;
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  for (std::string_view text : {"1", "t", "true", "y", "yes"})
    if (value == text)
      return true;
  for (std::string_view text : {"", "0", "f", "false", "n", "no"})
    if (value == text)
      return false;
  return Diagnostic{ErrorCode::InvalidOptionValue,
                    fmt::format("--{} is true or false, got '{}'", name, value),
                    {},
                    {}};
}

} // namespace atc::cli
