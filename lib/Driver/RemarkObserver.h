// Hands MLIR's optimization remarks to an observer.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_REMARKOBSERVER_H
#define ATC_LIB_DRIVER_REMARKOBSERVER_H

#include "atc/Driver/Compile.h"
#include "mlir/IR/MLIRContext.h"

namespace mlir::atc {

/// `observer` must outlive the context.
void enableRemarks(MLIRContext &context, ::atc::CompileObserver &observer);

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_REMARKOBSERVER_H
