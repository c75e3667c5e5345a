// The readable graph of an offline model: GE's ModelDef.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_MODELDEFINITION_H
#define ATC_LIB_DRIVER_MODELDEFINITION_H

#include "WeightLayout.h"
#include "atc/Driver/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::atc {

/// What the model's attributes say of the other partitions.
struct ModelSizes {
  uint64_t arenaBytes = 0;
  uint64_t weightBytes = 0;
  uint64_t codeBytes = 0;
  uint64_t planBytes = 0;
};

/// Serializes the graph that `function` is: after outlining one op per launch,
/// with the type of its anchor and the names of the nodes it came from; Const
/// ops that say where their bytes lie; Data and NetOutput. The bytes depend on
/// the arguments alone.
std::vector<uint8_t>
serializeModelDefinition(func::FuncOp function, const WeightLayout &weights,
                         const ::atc::CompileOptions &options,
                         StringRef target = {}, const ModelSizes &sizes = {});

/// The options as one command line in a fixed order, without paths.
std::string normalizedCommandLine(const ::atc::CompileOptions &options,
                                  StringRef target);

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_MODELDEFINITION_H
