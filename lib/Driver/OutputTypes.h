// Gives a model's outputs the element types that the options ask for.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_OUTPUTTYPES_H
#define ATC_LIB_DRIVER_OUTPUTTYPES_H

#include "atc/Driver/Compile.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::atc {

/// Casts results of `main`. An output is named by its name or by the text that
/// `options.outputs` gave for it; an unknown one is E10016.
LogicalResult applyOutputTypes(ModuleOp module,
                               const ::atc::CompileOptions &options);

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_OUTPUTTYPES_H
