// Names of targets as users give them.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_TARGETS_H
#define ATC_LIB_DRIVER_TARGETS_H

#include "atc/Support/Diagnostic.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir::atc {

/// The record that a name means: "CPU" is the best level of this machine;
/// others stand for themselves.
std::string resolveTargetName(llvm::StringRef name);

/// All names that users may give.
std::vector<std::string> listTargetNames();

/// The error for a name that resolves to nothing.
::atc::Diagnostic makeUnknownTarget(llvm::StringRef name);

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_TARGETS_H
