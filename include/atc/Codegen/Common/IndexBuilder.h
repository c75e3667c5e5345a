// Index arithmetic that folds constants while code is built.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_COMMON_INDEXBUILDER_H
#define ATC_CODEGEN_COMMON_INDEXBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace mlir::atc {

/// Builds arithmetic on non-negative sizes, strides and offsets of type index.
/// An OpFoldResult is a constant (an integer attribute) or an index value;
/// operations on constants make constants, and identities (x+0, x*1, ...) make
/// no operation. No result overflows: the planner bounds buffers by 2^62 bytes.
class IndexBuilder {
public:
  IndexBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// The constant as an attribute.
  OpFoldResult constant(int64_t value);
  /// The number, if `index` is known while compiling.
  static std::optional<int64_t> getConstant(OpFoldResult index);
  static bool isConstant(OpFoldResult index, int64_t value);

  /// As a value; makes an arith.constant for a constant.
  Value value(OpFoldResult index);
  Value value(int64_t constant);

  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult add(OpFoldResult lhs, int64_t rhs);
  /// The result may be negative.
  OpFoldResult sub(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult mul(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult mul(OpFoldResult lhs, int64_t rhs);
  /// Both operands are not negative, the divisor is positive.
  OpFoldResult div(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult div(OpFoldResult lhs, int64_t rhs);
  OpFoldResult rem(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult rem(OpFoldResult lhs, int64_t rhs);
  OpFoldResult ceilDiv(OpFoldResult lhs, int64_t rhs);
  /// Signed comparison.
  OpFoldResult min(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult max(OpFoldResult lhs, OpFoldResult rhs);
  /// sum of lhs[i] * rhs[i].
  OpFoldResult dot(ArrayRef<OpFoldResult> lhs, ArrayRef<OpFoldResult> rhs);
  OpFoldResult product(ArrayRef<OpFoldResult> factors);

  /// Splits `linear` into one index per size, innermost last.
  SmallVector<OpFoldResult> delinearize(OpFoldResult linear,
                                        ArrayRef<OpFoldResult> sizes);
  /// The inverse.
  OpFoldResult linearize(ArrayRef<OpFoldResult> index,
                         ArrayRef<OpFoldResult> sizes);

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::atc

#endif // ATC_CODEGEN_COMMON_INDEXBUILDER_H
