// From MLIR's diagnostics to those that users see.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_DIAGNOSTICCOLLECTOR_H
#define ATC_LIB_DRIVER_DIAGNOSTICCOLLECTOR_H

#include "atc/Driver/Compile.h"
#include "mlir/IR/Diagnostics.h"
#include <mutex>

namespace mlir::atc {

/// Collects what passes report while it lives. Errors of one code are merged
/// into one diagnostic that lists all of them, so that a model's unsupported
/// operators are told together.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MLIRContext *context);

  /// The code of errors that do not say theirs, from now on.
  void setDefaultCode(::atc::ErrorCode code) { defaultCode = code; }

  bool hasErrors() const { return !errors.empty(); }
  /// Moves what was collected into a result.
  void moveTo(::atc::CompileResult &result);

private:
  void handle(Diagnostic &diagnostic);

  ::atc::ErrorCode defaultCode = ::atc::ErrorCode::Internal;
  std::mutex mutex;
  std::vector<::atc::Diagnostic> errors, warnings;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_DIAGNOSTICCOLLECTOR_H
