// What atc says on its two streams, as users of ATC know it.
// SPDX-License-Identifier: Apache-2.0
#include "Console.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <unistd.h>

namespace atc::cli {

static std::FILE *statusStream = stdout;

void setStatusStream(std::FILE *stream) { statusStream = stream; }

void printStart() {
  fmt::print(statusStream,
             "ATC start working now, please wait for a moment.\n");
  std::fflush(statusStream);
}

void printSuccess(const std::vector<Diagnostic> &warnings,
                  const std::vector<std::string> &notes) {
  fmt::print(statusStream, "ATC run success, welcome to the next use.\n");
  for (const std::string &note : notes)
    fmt::print(statusStream, "WARNING: {}\n", note);
  for (const Diagnostic &warning : warnings)
    fmt::print(statusStream, "WARNING: {}{}{}\n", warning.where,
               warning.where.empty() ? "" : ": ", warning.message);
  std::fflush(statusStream);
}

void printFailure(const std::vector<Diagnostic> &errors) {
  fmt::print(statusStream,
             "ATC run failed, Please check the detail log, Try 'atc --help' "
             "for more information\n");
  for (const Diagnostic &error : errors)
    fmt::print(statusStream, "{}", error.render());
  std::fflush(statusStream);
}

Progress::Progress(LogLevel level)
    : level(level),
      drawsBar(level == LogLevel::None && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clearBar(); }

void Progress::clearBar() {
  if (barIsDrawn)
    fmt::print(stderr, "\r\x1b[K");
  barIsDrawn = false;
}

void Progress::beginPhase(std::string_view name, unsigned index,
                          unsigned count) {
  if (!drawsBar)
    return;
  constexpr unsigned width = 30;
  unsigned done = index * width / count;
  fmt::print(stderr, "\r\x1b[K[{:=<{}}{: <{}}] {}", "", done, "", width - done,
             name);
  std::fflush(stderr);
  barIsDrawn = true;
}

void Progress::endPhase(std::string_view name, double seconds) {
  write(LogLevel::Info, "INFO",
        fmt::format("phase {}: {:.1f} ms", name, seconds * 1e3));
}

void Progress::remark(std::string_view text) {
  write(LogLevel::Debug, "DEBUG", text);
}

void Progress::note(std::string_view text) {
  write(LogLevel::Info, "INFO", text);
}

void Progress::warning(std::string_view text) {
  write(LogLevel::Warning, "WARNING", text);
}

void Progress::write(LogLevel messageLevel, std::string_view name,
                     std::string_view text) {
  if (level == LogLevel::None || messageLevel < level)
    return;
  using namespace std::chrono;
  auto now = system_clock::now();
  auto milliseconds =
      duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() %
      1000;
  fmt::print(stderr, "[{}] ATC({},atc):{:%Y-%m-%d-%H:%M:%S}.{:03} {}\n", name,
             getpid(), fmt::localtime(system_clock::to_time_t(now)),
             milliseconds, text);
}

} // namespace atc::cli
