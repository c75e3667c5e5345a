// From MLIR's diagnostics to those that users see.
// SPDX-License-Identifier: Apache-2.0
#include "DiagnosticCollector.h"
#include "SourceNames.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::atc;

/// Entries of one merged diagnostic; the rest is counted.
static constexpr size_t maxListed = 50;

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) { handle(diagnostic); }) {
}

void DiagnosticCollector::handle(Diagnostic &diagnostic) {
  ::atc::Diagnostic result{defaultCode,
                           diagnostic.str(),
                           describeSource(diagnostic.getLocation()),
                           {}};
  for (Diagnostic &note : diagnostic.getNotes())
    result.message += "; " + note.str();
  // A pass that knows the code puts it in the metadata (withCode).
  for (const DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() ==
        DiagnosticArgument::DiagnosticArgumentKind::Unsigned)
      result.code = static_cast<::atc::ErrorCode>(argument.getAsUnsigned());
  std::lock_guard<std::mutex> lock(mutex);
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    errors.push_back(std::move(result));
  else if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    warnings.push_back(std::move(result));
}

/// One diagnostic per code, in the order of first appearance. Passes run in
/// parallel, so the entries are sorted.
static std::vector<::atc::Diagnostic>
mergeByCode(std::vector<::atc::Diagnostic> diagnostics) {
  llvm::MapVector<uint32_t, std::vector<::atc::Diagnostic>> groups;
  for (::atc::Diagnostic &diagnostic : diagnostics)
    groups[static_cast<uint32_t>(diagnostic.code)].push_back(
        std::move(diagnostic));
  std::vector<::atc::Diagnostic> merged;
  for (auto &[number, group] : groups) {
    if (group.size() == 1) {
      merged.push_back(std::move(group.front()));
      continue;
    }
    llvm::sort(group, [](const auto &lhs, const auto &rhs) {
      return std::tie(lhs.where, lhs.message) <
             std::tie(rhs.where, rhs.message);
    });
    ::atc::Diagnostic all{static_cast<::atc::ErrorCode>(number),
                          std::to_string(group.size()) + " problems",
                          {},
                          {}};
    for (const ::atc::Diagnostic &entry : ArrayRef(group).take_front(maxListed))
      all.message += "\n  " + (entry.where.empty() ? "" : entry.where + ": ") +
                     entry.message;
    if (group.size() > maxListed)
      all.message +=
          "\n  and " + std::to_string(group.size() - maxListed) + " more";
    merged.push_back(std::move(all));
  }
  return merged;
}

void DiagnosticCollector::moveTo(::atc::CompileResult &result) {
  std::lock_guard<std::mutex> lock(mutex);
  for (::atc::Diagnostic &error : mergeByCode(std::move(errors)))
    result.errors.push_back(std::move(error));
  for (::atc::Diagnostic &warning : warnings)
    result.warnings.push_back(std::move(warning));
  errors.clear();
  warnings.clear();
}
