// Computes constant functions while a model is compiled.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TARGET_CONSTANTEVALUATOR_H
#define ATC_TARGET_CONSTANTEVALUATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::atc {

/// Evaluates `graph.recipe` ops by compiling them for the host and running
/// them in process: an op has one implementation, and folding equals running.
class ConstantEvaluator {
public:
  virtual ~ConstantEvaluator();

  /// Takes the physical bytes (in the layout of the recipe's result type) of
  /// one recipe. Valid during the call.
  using Receiver = llvm::function_ref<LogicalResult(ArrayRef<char> bytes)>;

  /// Compiles the named recipes of `module` together. Recipes may refer to
  /// weight_data, constants and other recipes of the module. Fails with a
  /// diagnostic at the recipe's location.
  virtual LogicalResult prepare(ModuleOp module,
                                ArrayRef<StringRef> recipes) = 0;

  /// Computes one prepared recipe. Inputs are read from the weight store and
  /// released again: memory is that of this recipe alone.
  virtual LogicalResult evaluate(StringRef recipe, Receiver receiver) = 0;
};

} // namespace mlir::atc

#endif // ATC_TARGET_CONSTANTEVALUATOR_H
