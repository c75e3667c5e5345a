// The options of atc as text: for --help and for docs/cli.md.
// SPDX-License-Identifier: Apache-2.0
#include "OptionTable.h"

#include <fmt/format.h>

#include <algorithm>

namespace atc::cli {

namespace {

using Group = OptionGroup;
using Support = OptionSupport;

/// '-' inside a name means '_'.
std::string normalizedName(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

/// Breaks a paragraph into lines of at most `width` characters, all but the
/// first indented.
std::string wrap(std::string_view text, size_t indent, size_t width) {
  std::string result;
  size_t column = indent;
  while (!text.empty()) {
    size_t end = text.find(' ');
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (column != indent && column + 1 + word.size() > width) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (column != indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string supportText(const OptionInfo &option) {
  switch (option.support) {
  case Support::Full:
    return option.defaultValue[0] == '\0'
               ? std::string()
               : fmt::format("default {}", option.defaultValue);
  case Support::Neutral: {
    std::string_view accepted = option.accepted;
    if (accepted.empty())
      return "not supported yet";
    if (accepted == "*")
      return "any value, without effect";
    std::string values(accepted);
    size_t at = 0;
    while ((at = values.find('|', at)) != values.npos)
      values.replace(at, 1, ", ");
    return fmt::format("only {}", values);
  }
  case Support::Ignored:
    return "ignored with a warning";
  }
  return {};
}

} // namespace

const char *groupTitle(OptionGroup group) {
  switch (group) {
  case Group::General:
    return "Basic: General";
  case Group::Input:
    return "Basic: Input";
  case Group::Output:
    return "Basic: Output";
  case Group::Target:
    return "Basic: Target";
  case Group::Feature:
    return "Advanced: Feature";
  case Group::ModelTuning:
    return "Advanced: Model Tuning";
  case Group::OperatorTuning:
    return "Advanced: Operator Tuning";
  case Group::Debug:
    return "Advanced: Debug";
  case Group::Extension:
    return "OpenATC";
  }
  return "";
}

const std::vector<OptionInfo> &optionTable() {
  static const std::vector<OptionInfo> table = {
#define ATC_OPTION(GROUP, NAME, SUPPORT, PLACEHOLDER, DEFAULT, ACCEPTED, HELP) \
  {NAME, Group::GROUP, Support::SUPPORT, PLACEHOLDER, DEFAULT, HELP, ACCEPTED},
#include "Options.def"
  };
  return table;
}

const OptionInfo *findOption(std::string_view name) {
  std::string wanted = normalizedName(name);
  for (const OptionInfo &option : optionTable())
    if (wanted == option.name)
      return &option;
  return nullptr;
}

std::string helpText() {
  constexpr size_t indent = 34, width = 80;
  std::string text =
      "usage: atc --model=FILE --framework=5 --soc_version=NAME --output=FILE "
      "[options]\n"
      "       atc --mode=1 --om=FILE --json=FILE\n"
      "       atc --mode=6 --om=FILE\n\n"
      "An option is written --name=value, --name value or -name value; in a "
      "name, '-'\nand '_' are the same.\n";
  OptionGroup group = optionTable().front().group;
  bool isFirst = true;
  for (const OptionInfo &option : optionTable()) {
    if (isFirst || option.group != group)
      text += fmt::format("\n{}\n", groupTitle(option.group));
    isFirst = false;
    group = option.group;
    std::string head =
        option.placeholder[0] == '\0'
            ? fmt::format("  --{}", option.name)
            : fmt::format("  --{}={}", option.name, option.placeholder);
    if (head.size() + 1 >= indent)
      head += '\n' + std::string(indent, ' ');
    else
      head.append(indent - head.size(), ' ');
    std::string note = supportText(option);
    std::string body =
        note.empty() ? option.help : fmt::format("{} [{}]", option.help, note);
    text += head + wrap(body, indent, width) + '\n';
  }
  return text;
}

std::string optionsMarkdown() {
  std::string text;
  OptionGroup group = optionTable().front().group;
  bool isFirst = true;
  for (const OptionInfo &option : optionTable()) {
    if (isFirst || option.group != group)
      text += fmt::format("\n## {}\n\n| Option | Value | | Support |\n"
                          "|---|---|---|---|\n",
                          groupTitle(option.group));
    isFirst = false;
    group = option.group;
    auto escape = [](std::string_view value) {
      std::string result;
      for (char c : value) {
        if (c == '|')
          result += '\\';
        result += c;
      }
      return result;
    };
    text += fmt::format("| `--{}` | {} | {} | {} |\n", option.name,
                        option.placeholder, escape(option.help),
                        escape(supportText(option)));
  }
  return text;
}

} // namespace atc::cli
