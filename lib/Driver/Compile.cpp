// From a model to an offline model, in one call.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Driver/Compile.h"
#include "Compilation.h"
#include "Targets.h"
#include "atc/Support/AtomicFile.h"

using namespace mlir::atc;

namespace atc {

CompileObserver::~CompileObserver() = default;
void CompileObserver::beginPhase(std::string_view, unsigned, unsigned) {}
void CompileObserver::endPhase(std::string_view, double) {}
bool CompileObserver::wantsRemarks() const { return false; }
void CompileObserver::remark(std::string_view) {}
void CompileObserver::note(std::string_view) {}

/// All steps up to the point where a file is opened.
static bool prepare(Compilation &compilation, const ModelSource &source) {
  return compilation.selectTarget() && compilation.importModel(source) &&
         compilation.runPhases(getPhases().back().phase) &&
         compilation.prepareEmission();
}

CompileResult compileModelToFile(const ModelSource &source,
                                 const CompileOptions &options,
                                 const std::string &outputPath,
                                 CompileObserver *observer) {
  Compilation compilation(options, observer);
  if (!prepare(compilation, source))
    return compilation.finish();
  Expected<AtomicFile> file = AtomicFile::create(outputPath);
  if (!file) {
    compilation.fail(file.getDiagnostic());
    return compilation.finish();
  }
  if (compilation.write(*file))
    if (Status status = file->commit(); !status)
      compilation.fail(status.getDiagnostic());
  return compilation.finish();
}

CompileResult compileModel(const ModelSource &source,
                           const CompileOptions &options,
                           std::vector<uint8_t> &output,
                           CompileObserver *observer) {
  Compilation compilation(options, observer);
  MemorySink sink;
  if (prepare(compilation, source) && compilation.write(sink))
    output = std::move(sink.bytes);
  return compilation.finish();
}

CompileResult printPhase(const ModelSource &source,
                         const CompileOptions &options, std::string_view phase,
                         std::string &text, CompileObserver *observer) {
  Compilation compilation(options, observer);
  if (!compilation.selectTarget() || !compilation.importModel(source))
    return compilation.finish();
  std::optional<Phase> last = parsePhase(phase);
  if (!last && llvm::StringRef(phase) != importPhaseName) {
    compilation.fail({ErrorCode::InvalidOptionValue,
                      "there is no phase '" + std::string(phase) + "'",
                      {},
                      {}});
    return compilation.finish();
  }
  if (!last || compilation.runPhases(*last))
    text = compilation.print();
  return compilation.finish();
}

std::vector<std::string> compilePhases() {
  std::vector<std::string> names = {importPhaseName.str()};
  for (const PhaseInfo &info : getPhases())
    names.push_back(info.name.str());
  return names;
}

Expected<std::string> describePasses(const CompileOptions &options) {
  Compilation compilation(options, nullptr);
  if (!compilation.selectTarget())
    return compilation.finish().errors.front();
  return compilation.describePasses();
}

std::vector<std::string> targetNames() { return listTargetNames(); }

} // namespace atc
