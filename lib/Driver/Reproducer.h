// How IR is printed that leaves the user's hands.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_REPRODUCER_H
#define ATC_LIB_DRIVER_REPRODUCER_H

#include "mlir/IR/OperationSupport.h"

namespace mlir::atc {

/// Shows no more than a handful of a constant's elements: IR that is printed or
/// reported must not give a model's weights away.
OpPrintingFlags getPublishableFlags();

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_REPRODUCER_H
