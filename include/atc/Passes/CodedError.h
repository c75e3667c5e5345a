// Errors of passes that know their code.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_PASSES_CODEDERROR_H
#define ATC_PASSES_CODEDERROR_H

#include "atc/Support/Diagnostic.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::atc {

/// Attaches an error code, which a driver finds in the diagnostic's metadata;
/// without one it takes that of the phase.
inline InFlightDiagnostic withCode(InFlightDiagnostic diagnostic,
                                   ::atc::ErrorCode code) {
  if (Diagnostic *underlying = diagnostic.getUnderlyingDiagnostic())
    underlying->getMetadata().push_back(
        DiagnosticArgument(static_cast<uint32_t>(code)));
  return diagnostic;
}

} // namespace mlir::atc

#endif // ATC_PASSES_CODEDERROR_H
