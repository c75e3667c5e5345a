// The register tile of matrix products, and the index arithmetic around it.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_MICROKERNEL_H
#define ATC_CODEGEN_CPU_MICROKERNEL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::atc::cpu {

/// Builds arithmetic on sizes and offsets at the builder's insertion point.
/// Static numbers fold away, so that one generator serves static and dynamic
/// shapes. Sizes and offsets are non-negative and do not wrap.
class IndexMath {
public:
  IndexMath(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  OpFoldResult constant(int64_t number) const {
    return builder.getIndexAttr(number);
  }
  Value value(OpFoldResult index) const;
  Value value(int64_t number) const { return value(constant(number)); }

  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult sub(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult mul(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult floorDiv(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult ceilDiv(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult rem(OpFoldResult lhs, OpFoldResult rhs) const;
  OpFoldResult min(OpFoldResult lhs, OpFoldResult rhs) const;
  /// max(lhs - rhs, 0).
  OpFoldResult saturatingSub(OpFoldResult lhs, OpFoldResult rhs) const;

  OpFoldResult add(OpFoldResult lhs, int64_t rhs) const {
    return add(lhs, constant(rhs));
  }
  OpFoldResult mul(OpFoldResult lhs, int64_t rhs) const {
    return mul(lhs, constant(rhs));
  }

  Value lessThan(OpFoldResult lhs, OpFoldResult rhs) const;
  Value equal(OpFoldResult lhs, OpFoldResult rhs) const;

  /// Splits a linear index into the coordinates of `sizes`, last fastest.
  SmallVector<OpFoldResult> delinearize(OpFoldResult index,
                                        ArrayRef<OpFoldResult> sizes) const;

  /// A counted loop without results. A loop known to run once is its body.
  void loop(OpFoldResult begin, OpFoldResult end, OpFoldResult step,
            function_ref<void(Value)> body) const;
  /// A counted loop that carries values from one round to the next.
  SmallVector<Value>
  loop(OpFoldResult begin, OpFoldResult end, OpFoldResult step,
       ValueRange initial,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) const;
  /// An if without results.
  void when(Value condition, function_ref<void()> body) const;

  OpBuilder &builder;
  Location loc;
};

/// An element offset into a flat buffer. The constant part is kept apart until
/// the access is built: it then becomes the displacement of one base register.
struct Address {
  OpFoldResult base;
  int64_t displacement = 0;

  /// This address moved by `distance` elements.
  Address moved(const IndexMath &math, OpFoldResult distance) const;
  Value value(const IndexMath &math) const;
};

/// Loads a scalar or vector and widens it to `type`; stores narrow to the
/// element type of the buffer. `mask` (may be null) keeps lanes out; they read
/// as zero.
Value loadWidened(const IndexMath &math, Value buffer, const Address &address,
                  Type type, Value mask = {});
void storeNarrowed(const IndexMath &math, Value value, Value buffer,
                   const Address &address, Value mask = {});

/// acc + lhs * rhs in the arithmetic of the operands' type; fused where
/// `fused`, a property of the processor.
Value multiplyAdd(const IndexMath &math, Value lhs, Value rhs, Value acc,
                  bool fused = true);

/// One register tile: rows x (vectors * lanes) sums over a run of k.
///
///   acc[r][v] += left[rows[r] + k * leftStride]
///              * right[panel + k * rightStride + v * vectorStride + lane]
///
/// Left elements are broadcast from memory, right ones are vector loads. The
/// caller keeps rows * vectors + vectors + 1 within the register file.
struct MicroKernel {
  Value left;
  SmallVector<Address> rows;
  OpFoldResult leftStride;

  Value right;
  Address panel;
  OpFoldResult rightStride;
  OpFoldResult vectorStride;
  /// Null, or one mask per vector for panels that end inside a vector.
  SmallVector<Value> masks;

  /// The type of one accumulator; its element type is the arithmetic's.
  VectorType type;
  unsigned vectors = 2;
  bool fused = true;

  /// Called once per unrolled step with the step's k, to bring memory closer.
  llvm::function_ref<void(Value)> prefetch;

  /// Builds the loop over `run` steps of k; returns the new accumulators, row
  /// by row.
  SmallVector<Value> build(const IndexMath &math, OpFoldResult run,
                           ValueRange accumulators) const;

private:
  SmallVector<Value> buildSteps(const IndexMath &math, OpFoldResult first,
                                int64_t steps, ValueRange accumulators) const;
};

/// How many steps of k are unrolled together: four, or a divisor of a short
/// static run that four does not divide.
int64_t unrollFactor(OpFoldResult run);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_MICROKERNEL_H
