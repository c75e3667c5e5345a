// The dialects, passes and targets that tools know.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DRIVER_REGISTRATION_H
#define ATC_DRIVER_REGISTRATION_H

#include "atc/Target/Target.h"
#include "mlir/IR/DialectRegistry.h"
#include <memory>

namespace mlir::atc {

/// All targets of this build, in the order in which messages list them. This is
/// the one place that names them.
SmallVector<std::shared_ptr<const Target>> createTargets();

/// Adds the dialects of the compiler and those that its targets lower to, and
/// attaches the targets as services.
void registerDialects(DialectRegistry &registry);

/// Registers every pass and the pipelines `atc-phase-<name>` and `atc-pipeline`
/// with the command line of a tool.
void registerPasses();

} // namespace mlir::atc

#endif // ATC_DRIVER_REGISTRATION_H
