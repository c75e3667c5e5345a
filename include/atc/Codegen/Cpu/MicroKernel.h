// The register tile of matrix products, and the index arithmetic around it.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_MICROKERNEL_H
#define ATC_CODEGEN_CPU_MICROKERNEL_H

#include "atc/Codegen/Common/IndexBuilder.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::atc::cpu {

/// The builder of a kernel's code: operations, index arithmetic and loops at
/// one insertion point.
class KernelBuilder {
public:
  KernelBuilder(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc), index(builder, loc) {}

  Value lessThan(OpFoldResult lhs, OpFoldResult rhs);
  Value equal(OpFoldResult lhs, OpFoldResult rhs);
  /// max(lhs - rhs, 0).
  OpFoldResult saturatingSub(OpFoldResult lhs, OpFoldResult rhs);

  /// A counted loop without results. A loop known to run once is its body.
  void loop(OpFoldResult begin, OpFoldResult end, OpFoldResult step,
            function_ref<void(Value)> body);
  /// A counted loop that carries values from one round to the next.
  SmallVector<Value>
  loop(OpFoldResult begin, OpFoldResult end, OpFoldResult step,
       ValueRange initial,
       function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// An if without results; a null condition is true.
  void when(Value condition, function_ref<void()> body);

  /// A constant of a scalar or vector type.
  Value splat(Type type, double number);
  /// Lanes [0, active) of a vector are on.
  Value mask(OpFoldResult active, int64_t lanes);

  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
};

/// An element offset into a flat buffer. The constant part is kept apart until
/// the access is built: it then becomes the displacement of one base register.
struct Address {
  OpFoldResult base;
  int64_t displacement = 0;

  /// This address moved by `distance` elements.
  Address moved(KernelBuilder &b, OpFoldResult distance) const;
  Value value(KernelBuilder &b) const;
};

/// All addresses moved by the same distance; those with a common base keep one.
SmallVector<Address> moveAll(KernelBuilder &b, ArrayRef<Address> addresses,
                             OpFoldResult distance);

/// Loads a scalar or vector and widens it to `type`; stores narrow to the
/// element type of the buffer. `mask` (may be null) keeps lanes out; they read
/// as zero.
Value loadWidened(KernelBuilder &b, Value buffer, const Address &address,
                  Type type, Value mask = {});
void storeNarrowed(KernelBuilder &b, Value value, Value buffer,
                   const Address &address, Value mask = {});

/// Copies `count` elements at distance `stride` to consecutive ones of the
/// vector type's element type.
void copyWidened(KernelBuilder &b, VectorType type, Value from,
                 const Address &source, OpFoldResult stride, Value to,
                 const Address &target, OpFoldResult count);

/// acc + lhs * rhs in the arithmetic of the operands' type, fused for floats.
Value multiplyAdd(KernelBuilder &b, Value lhs, Value rhs, Value acc);

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

  /// Called once per unrolled step with the step's k, to bring memory closer.
  llvm::function_ref<void(Value)> prefetch;

  /// Builds the loop over `run` steps of k; returns the new accumulators, row
  /// by row. `whole`: the run is a multiple of the unrolled steps.
  SmallVector<Value> build(KernelBuilder &b, OpFoldResult run,
                           ValueRange accumulators, bool whole = false) const;

private:
  SmallVector<Value> buildSteps(KernelBuilder &b, OpFoldResult first,
                                int64_t steps, ValueRange accumulators) const;
};

/// How many steps of k are unrolled together: four, or a divisor of a short
/// static run that four does not divide.
int64_t unrollFactor(OpFoldResult run);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_MICROKERNEL_H
