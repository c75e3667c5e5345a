// atc: compiles a model to an offline model, as ATC's users type it.
// SPDX-License-Identifier: Apache-2.0
#include "CommandLine.h"
#include "Console.h"
#include "FatalErrors.h"
#include "OptionTable.h"
#include "Settings.h"
#include "atc/Driver/Inspect.h"
#include "atc/Support/AtomicFile.h"

#include <fmt/format.h>

#include <fstream>

using namespace atc;
using namespace atc::cli;

namespace {

constexpr int successCode = 0, failureCode = 255;

/// Remembers the phase for the last resort, and shows progress.
class PhaseRecorder final : public CompileObserver {
public:
  explicit PhaseRecorder(Progress &progress) : progress(progress) {}

  void beginPhase(std::string_view name, unsigned index,
                  unsigned count) override {
    setCurrentPhase(std::string(name));
    progress.beginPhase(name, index, count);
  }
  void endPhase(std::string_view name, double seconds) override {
    progress.endPhase(name, seconds);
  }
  bool wantsRemarks() const override { return progress.wantsRemarks(); }
  void remark(std::string_view text) override { progress.remark(text); }
  void note(std::string_view text) override { progress.note(text); }

private:
  Progress &progress;
};

CompileResult fail(const Diagnostic &diagnostic) {
  CompileResult result;
  result.errors.push_back(diagnostic);
  return result;
}

/// Text goes to a file, or to standard output where none is named.
CompileResult writeText(const std::string &path, const std::string &text) {
  if (path.empty()) {
    fmt::print("{}", text);
    return {};
  }
  if (Status status = writeFileAtomically(path, text); !status)
    return fail(status.getDiagnostic());
  return {};
}

CompileResult showModel(const std::string &path) {
  Expected<std::string> text = describeOfflineModel(path);
  if (!text)
    return fail(text.getDiagnostic());
  fmt::print("{}", *text);
  return {};
}

CompileResult compile(const Settings &settings, CompileObserver &observer) {
  ModelSource source = ModelSource::file(settings.modelPath);
  if (settings.dumpPasses) {
    Expected<std::string> passes = describePasses(settings.compile);
    return passes ? writeText("", *passes) : fail(passes.getDiagnostic());
  }
  if (!settings.stopAfter.empty()) {
    std::string text;
    CompileResult result = printPhase(source, settings.compile,
                                      settings.stopAfter, text, &observer);
    return result.ok() ? writeText(settings.outputPath, text) : result;
  }
  CompileResult result = compileModelToFile(source, settings.compile,
                                            settings.outputPath, &observer);
  if (result.ok() && settings.showModelInfo)
    return showModel(settings.outputPath);
  return result;
}

CompileResult dump(const Settings &settings) {
  std::string json;
  if (!settings.offlineModelPath.empty()) {
    Expected<std::string> text = offlineModelToJson(settings.offlineModelPath);
    if (!text)
      return fail(text.getDiagnostic());
    json = std::move(*text);
  } else {
    CompileResult result =
        sourceModelToJson(ModelSource::file(settings.modelPath),
                          settings.compile, settings.dumpShapes, json);
    if (!result.ok())
      return result;
  }
  return writeText(settings.jsonPath, json);
}

/// Beside the offline model, or in the current folder where none is written.
std::string reproducerPath(const Settings &settings) {
  const std::string &name = settings.compile.modelName;
  if (name.empty())
    return "atc.reproducer.mlir";
  size_t slash = settings.outputPath.rfind('/');
  return settings.outputPath.substr(0, slash == std::string::npos ? 0
                                                                  : slash + 1) +
         name + ".reproducer.mlir";
}

/// `notes` receives what is said after a success.
CompileResult run(const OptionValues &values, std::vector<std::string> &notes) {
  Expected<Settings> settings = makeSettings(values);
  if (!settings)
    return fail(settings.getDiagnostic());
  Progress progress(settings->log);
  PhaseRecorder recorder(progress);
  for (const std::string &warning : settings->warnings)
    progress.warning(warning);
  notes = settings->warnings;
  setCurrentModel(settings->modelPath);
  settings->compile.reproducerPath = reproducerPath(*settings);
  setReproducerPath(settings->compile.reproducerPath);
  switch (settings->mode) {
  case Mode::Compile:
    return compile(*settings, recorder);
  case Mode::Dump:
    return dump(*settings);
  case Mode::Show:
    return showModel(settings->offlineModelPath);
  }
  return {};
}

/// IR and lists of passes are read by other tools, through a pipe.
bool printsText(const OptionValues &values) {
  return (values.has("stop_after") && !values.has("output")) ||
         values.has("dump_passes");
}

/// One invocation from its first to its last line.
bool runAndReport(const OptionValues &values) {
  setStatusStream(printsText(values) ? stderr : stdout);
  printStart();
  std::vector<std::string> notes;
  CompileResult result = run(values, notes);
  setCurrentPhase("");
  if (result.ok())
    printSuccess(result.warnings, notes);
  else
    printFailure(result.errors);
  return result.ok();
}

bool reportUsage(const UsageError &error) {
  fmt::print(stderr, "ERROR: {}\n", error.message);
  printFailure({});
  return false;
}

/// Every line of the list is an invocation with the options of the command
/// line as a base. All are tried; the code is that of the worst.
bool runBatch(const OptionValues &base) {
  std::string path = base.get("batch_list");
  std::ifstream file(path);
  if (!file) {
    printFailure(
        {Diagnostic{ErrorCode::FileNotFound,
                    fmt::format("--batch_list={} cannot be read", path),
                    {},
                    {}}});
    return false;
  }
  bool isGood = true;
  std::string line;
  while (std::getline(file, line)) {
    Expected<std::vector<std::string>> arguments = splitCommand(line);
    if (!arguments) {
      printFailure({arguments.getDiagnostic()});
      isGood = false;
      continue;
    }
    if (arguments->empty() || arguments->front()[0] == '#')
      continue;
    auto parsed = parseArguments(*arguments);
    if (auto *error = std::get_if<UsageError>(&parsed)) {
      isGood = reportUsage(*error);
      continue;
    }
    OptionValues values = base;
    values.remove("batch_list");
    for (const auto &[name, value] : std::get<OptionValues>(parsed).all())
      values.set(name, value);
    isGood &= runAndReport(values);
  }
  return isGood;
}

} // namespace

int main(int argc, char **argv) {
  installFatalErrorHandlers();
  auto parsed = parseArguments({argv + 1, argv + argc});
  if (auto *error = std::get_if<UsageError>(&parsed)) {
    printStart();
    reportUsage(*error);
    return failureCode;
  }
  const OptionValues &values = std::get<OptionValues>(parsed);
  if (argc == 1 || values.has("help")) {
    fmt::print("{}", helpText());
    return successCode;
  }
  bool isGood =
      values.has("batch_list") ? runBatch(values) : runAndReport(values);
  return isGood ? successCode : failureCode;
}
