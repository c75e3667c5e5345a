// Which values of a model float16 would not hold.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_PRECISION_WIDEVALUES_H
#define ATC_LIB_PASSES_PRECISION_WIDEVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::atc {

/// Whether `value` is a tensor of float32.
bool isSingle(Value value);
/// Whether `value` is a `graph.constant` or `graph.weight`.
bool isConstantTensor(Value value);

/// The float32 values of a function that stay float32 where float16 is how
/// values are stored:
/// - sums, means and products, which leave the range of float16 and are small;
/// - what comes from 16-bit and wider integers, or becomes integers: positions
///   must be exact;
/// - what an op computes with a number that float16 has not, e.g. the 1e-12
///   that keeps a divisor from zero;
/// - what is computed or moved from such values alone.
class WideValues {
public:
  explicit WideValues(func::FuncOp function);

  bool contains(Value value) const { return wide.contains(value); }
  /// Whether the op computes in float32: it has a wide operand or result, and
  /// its kernels convert operands element by element.
  bool computesWide(Operation *op) const;

private:
  void findIntegerSources(Block &body);
  bool isWide(Operation *op) const;

  llvm::DenseSet<Value> wide;
  /// Values that end as integers, seen from their uses.
  llvm::DenseSet<Value> wanted;
};

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_PRECISION_WIDEVALUES_H
