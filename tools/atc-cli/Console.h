// What atc says on its two streams, as users of ATC know it.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_CLI_CONSOLE_H
#define ATC_TOOLS_ATC_CLI_CONSOLE_H

#include "Settings.h"

#include <cstdio>

namespace atc::cli {

/// Where the first and the last line and errors go: standard output, unless
/// that is wanted for a text alone.
void setStatusStream(std::FILE *stream);
/// The first line.
void printStart();
/// The last line of a success, and below it what deserves attention: the
/// compiler's warnings and `notes` on the options.
void printSuccess(const std::vector<Diagnostic> &warnings,
                  const std::vector<std::string> &notes);
/// The last line of a failure, then every error.
void printFailure(const std::vector<Diagnostic> &errors);

/// Writes log lines of the chosen level to standard error, and draws a progress
/// bar there if it is a terminal and no log is wanted.
class Progress final : public CompileObserver {
public:
  explicit Progress(LogLevel level);
  ~Progress() override;

  void beginPhase(std::string_view name, unsigned index,
                  unsigned count) override;
  void endPhase(std::string_view name, double seconds) override;
  bool wantsRemarks() const override { return level == LogLevel::Debug; }
  void remark(std::string_view text) override;
  void note(std::string_view text) override;
  void warning(std::string_view text);

private:
  void write(LogLevel messageLevel, std::string_view name,
             std::string_view text);
  void clearBar();

  LogLevel level;
  bool drawsBar;
  bool barIsDrawn = false;
};

} // namespace atc::cli

#endif // ATC_TOOLS_ATC_CLI_CONSOLE_H
