// The sizes of all tensors of a function, as expressions of its input dims.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_SIZEANALYSIS_H
#define ATC_DIALECT_GRAPH_IR_SIZEANALYSIS_H

#include "atc/Dialect/Graph/IR/ShapeValue.h"
#include "atc/Dialect/Graph/IR/SizeExpr.h"

namespace mlir::atc::graph {

/// What must hold of two sizes for an op to be right, where it does not follow
/// from the expressions.
struct SizeConstraint {
  enum class Kind {
    /// lhs == rhs.
    Equal,
    /// Equal, or lhs is 1.
    BroadcastsTo,
    /// lhs <= rhs.
    AtMost,
  };

  Operation *op;
  Kind kind;
  SizeExpr lhs, rhs;
  /// What the sizes are, for a message: "sizes of the operands".
  StringRef what;
};

/// Walks a function once, operands first. Sizes that depend on data are
/// expressions that are not known.
class SizeAnalysis final : public ShapeOracle {
public:
  explicit SizeAnalysis(func::FuncOp function);

  SizeContext &getContext() { return context; }

  /// One expression per dim of a ranked tensor of the function.
  ArrayRef<SizeExpr> getSizes(Value tensor) const;
  /// Gives a new tensor of the function the sizes of another.
  void copySizes(Value from, Value to);
  /// Gives tensors and the function's results the sizes that turned out to be
  /// numbers, though no type said so: min(n + 2, 2) is 2.
  void refineTypes();
  ArrayRef<SizeConstraint> getConstraints() const { return constraints; }

  std::optional<ShapeElements> getElements(Value value) override;
  std::optional<SizeExpr> getSize(Value tensor, unsigned dim) override;

private:
  using Sizes = SmallVector<SizeExpr, 4>;
  friend class SizeRules;

  void visit(Operation *op);
  /// Keeps the sizes of a result; static dims of its type come first.
  void assign(Value result, ArrayRef<SizeExpr> sizes);

  func::FuncOp function;
  SymbolTableCollection symbols;
  SizeContext context;
  DenseMap<Value, Sizes> sizes;
  DenseMap<Value, ShapeElements> elements;
  SmallVector<SizeConstraint> constraints;
};

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_SIZEANALYSIS_H
