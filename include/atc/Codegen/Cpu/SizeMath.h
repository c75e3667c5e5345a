// Arithmetic on sizes and strides that may be known at run time only.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_SIZEMATH_H
#define ATC_CODEGEN_CPU_SIZEMATH_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::atc::cpu {

/// Sizes, strides and offsets are expressions of constants and of a kernel's
/// dims as symbols (see KernelSizes.h), kept in one form: equal expressions are
/// equal numbers. What is not equal may still turn out to be.

/// The number, where it is known while compiling.
std::optional<int64_t> getConstantSize(AffineExpr size);
inline bool isConstantSize(AffineExpr size, int64_t value) {
  return getConstantSize(size) == value;
}

/// The product, its factors in order.
AffineExpr multiplySizes(AffineExpr lhs, AffineExpr rhs);
AffineExpr multiplySizes(ArrayRef<AffineExpr> sizes, MLIRContext *context);

/// 0 for a size of 1 and 1 for larger ones: the factor of an index along a dim
/// that repeats if it has one element. Without meaning for an empty dim.
AffineExpr repeatFactor(AffineExpr size);

/// A plausible value, where all open dims are of medium size: for the order of
/// loops and for estimates.
double typicalSize(AffineExpr size);
/// Elements of a tensor in a kernel, and the bytes that they take in a buffer
/// without padding.
double typicalElements(Value tensor);
double typicalBytes(Value tensor);

/// Neighbouring dims [begin, end) of two shapes that hold equally many
/// elements.
struct ReshapeGroup {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};

/// The smallest such groups of two shapes of the same elements, in order; both
/// sides of each have dims. Dims in no group are 1, also at run time, or the
/// tensor is empty.
SmallVector<ReshapeGroup> groupReshape(ArrayRef<AffineExpr> from,
                                       ArrayRef<AffineExpr> to);

/// The index at which operand `operand` of an op in a kernel is read for an
/// index of its result: as TileMapInterface, with symbols for what is known at
/// run time. Fails where the map does, or where the kernel does not tell sizes.
FailureOr<AffineMap> getKernelOperandMap(Operation *op, unsigned operand);

/// The map from an index of a tensor of sizes `to` to that of a tensor which
/// broadcasts to it.
AffineMap getKernelBroadcastMap(ArrayRef<AffineExpr> from,
                                ArrayRef<AffineExpr> to, unsigned symbolCount,
                                MLIRContext *context);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_SIZEMATH_H
