// Evaluates recipes by compiling them for this machine and running them.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_RECIPEEVALUATOR_H
#define ATC_LIB_DRIVER_RECIPEEVALUATOR_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/WeightStore.h"
#include "atc/Target/ConstantEvaluator.h"
#include "atc/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::atc {

/// All recipes become functions of one module, which goes through the same
/// phases as a model; equal kernels of different recipes are compiled once.
/// What a recipe reads (weight data and constants) becomes arguments, so the
/// code does not depend on it. A recipe that refers to another holds its
/// computation too.
class RecipeEvaluator final : public ConstantEvaluator {
public:
  /// `host` is a CPU target that this machine can run. All three must outlive
  /// the evaluator.
  RecipeEvaluator(MLIRContext *context, const graph::WeightStore &weights,
                  const Target &host, unsigned threads)
      : context(context), weights(weights), host(host), threads(threads) {}

  LogicalResult prepare(ModuleOp module, ArrayRef<StringRef> recipes) override;
  LogicalResult evaluate(StringRef recipe, Receiver receiver) override;

private:
  /// One recipe as a function.
  struct Function {
    std::string name;
    Location loc;
    /// Per argument a weight_data op's range or a constant's value.
    SmallVector<std::variant<graph::WeightRange, ElementsAttr>> arguments;
  };

  LogicalResult addFunction(graph::RecipeOp recipe, const SymbolTable &symbols);
  LogicalResult compile();
  FailureOr<std::vector<uint8_t>> makeModel(const Function &function);
  LogicalResult run(const Function &function, ArrayRef<uint8_t> model,
                    Receiver receiver);

  MLIRContext *context;
  const graph::WeightStore &weights;
  const Target &host;
  unsigned threads;
  OwningOpRef<ModuleOp> compiled;
  CodeImage code;
  llvm::StringMap<Function> functions;
};

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_RECIPEEVALUATOR_H
