// Collects what is wrong with a model, so that all of it is told at once.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_IMPORTDIAGNOSTICS_H
#define ATC_LIB_FRONTEND_ONNX_IMPORTDIAGNOSTICS_H

#include "atc/Support/Diagnostic.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/MapVector.h"
#include <string>
#include <vector>

namespace mlir::atc::onnx {

/// Errors of one import.
class ImportDiagnostics {
public:
  explicit ImportDiagnostics(std::vector<::atc::Diagnostic> &sink)
      : sink(sink) {}

  void error(::atc::ErrorCode code, std::string message,
             std::string where = {}) {
    error({code, std::move(message), std::move(where), {}});
  }
  void error(::atc::Diagnostic diagnostic);

  /// Notes that `node` cannot be imported for `reason`. Nodes with one reason
  /// share a line of the report.
  void unsupported(std::string op, std::string reason, std::string node);

  /// Whether anything was reported.
  bool hasErrors() const { return errors != 0 || !unsupportedNodes.empty(); }
  /// Appends the report of all unsupported nodes to the sink.
  void finish();

private:
  /// More than this many errors are counted, not shown.
  static constexpr size_t kShownErrors = 20;

  std::vector<::atc::Diagnostic> &sink;
  size_t errors = 0;
  /// Operator and reason to the names of nodes.
  llvm::MapVector<std::pair<std::string, std::string>, std::vector<std::string>,
                  std::map<std::pair<std::string, std::string>, unsigned>>
      unsupportedNodes;
};

/// `text` in quotes, cut in the middle when it is very long.
std::string quoted(StringRef text);

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_IMPORTDIAGNOSTICS_H
