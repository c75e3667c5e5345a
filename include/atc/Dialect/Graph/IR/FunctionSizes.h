// Sizes of a function's tensors as index values at its head.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_FUNCTIONSIZES_H
#define ATC_DIALECT_GRAPH_IR_FUNCTIONSIZES_H

#include "atc/Dialect/Graph/IR/SizeAnalysis.h"

namespace mlir::atc::graph {

/// Builds sizes of a function's tensors where all of the function can use
/// them: behind the index arithmetic that stands at its head already, which is
/// used again.
class FunctionSizes {
public:
  explicit FunctionSizes(func::FuncOp function);
  FunctionSizes(const FunctionSizes &) = delete;
  FunctionSizes &operator=(const FunctionSizes &) = delete;

  SizeAnalysis &getAnalysis() { return analysis; }
  ArrayRef<SizeExpr> getSizes(Value tensor) const {
    return analysis.getSizes(tensor);
  }
  /// Whether both tensors have the same size in every dim, for all inputs.
  bool haveSameSizes(Value lhs, Value rhs) const;
  /// The number of elements; 0 for tensors without a rank.
  SizeExpr countElements(Value tensor) const;

  /// At the head of the function, behind what was built before.
  OpBuilder &getBuilder() { return builder; }
  Value buildValue(SizeExpr size) { return sizes.buildValue(size); }

private:
  SizeAnalysis analysis;
  OpBuilder builder;
  SizeBuilder sizes;
};

/// Gathers the open sizes of some tensors as the dims of a kernel.
class KernelDims {
public:
  explicit KernelDims(FunctionSizes &function) : function(function) {}

  /// The tensor's sizes as expressions of the dims, one symbol per dim. The map
  /// is complete when all tensors were asked for: see `finish`.
  SmallVector<AffineExpr> getSizes(Value tensor);
  /// The maps of all lists of sizes, over all dims.
  ArrayAttr finish(ArrayRef<SmallVector<AffineExpr>> sizes) const;
  /// Values of the dims.
  ArrayRef<Value> getValues() const { return values; }
  bool empty() const { return values.empty(); }

private:
  FunctionSizes &function;
  SmallVector<SizeExpr> dims;
  SmallVector<Value> values;
};

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_FUNCTIONSIZES_H
