// Every option of atc: spelling, group, values, and how far it works.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_CLI_OPTIONTABLE_H
#define ATC_TOOLS_ATC_CLI_OPTIONTABLE_H

#include <string>
#include <string_view>
#include <vector>

namespace atc::cli {

/// The groups of the help text, in its order.
enum class OptionGroup {
  General,
  Input,
  Output,
  Target,
  Feature,
  ModelTuning,
  OperatorTuning,
  Debug,
  Extension,
};

/// How far an option works.
enum class OptionSupport {
  /// Its values take effect; the option's reader checks them.
  Full,
  /// Known from ATC. The values in `accepted` describe what happens anyway and
  /// pass; every other value ends with E10001.
  Neutral,
  /// Known from ATC, has no effect here, passes with a warning.
  Ignored,
};

/// One option. Texts are one paragraph each.
struct OptionInfo {
  const char *name;
  OptionGroup group;
  OptionSupport support;
  /// What stands for the value in the help text, e.g. "FILE"; empty for a flag,
  /// whose value may be left out.
  const char *placeholder;
  /// The value without the option; empty where there is none.
  const char *defaultValue;
  const char *help;
  /// OptionSupport::Neutral: values that pass, separated by '|'.
  const char *accepted;
};

/// The title of a group.
const char *groupTitle(OptionGroup group);

/// All options, group by group.
const std::vector<OptionInfo> &optionTable();

/// The option of that name, with '-' taken as '_'; null if there is none.
const OptionInfo *findOption(std::string_view name);

/// What --help prints.
std::string helpText();

/// docs/cli.md.
std::string optionsMarkdown();

} // namespace atc::cli

#endif // ATC_TOOLS_ATC_CLI_OPTIONTABLE_H
