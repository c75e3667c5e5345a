// Scalars of a program as registers of the runtime.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_PLANSCALARS_H
#define ATC_LIB_DRIVER_PLANSCALARS_H

#include "atc/Model/Plan.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::atc {

/// Gives each index or i1 value a register, and constants none.
class PlanScalars {
public:
  /// Registers are counted in `registerCount`, which must outlive this.
  explicit PlanScalars(uint32_t &registerCount)
      : registerCount(registerCount) {}

  /// The value, which must have been defined.
  ::atc::PlanInt get(Value value) const;
  void define(Value value, ::atc::PlanInt number, bool isKnownEarly);
  /// A new register for the value.
  uint32_t defineRegister(Value value, bool isKnownEarly = false);

  /// Whether all operands are known before the first instruction of the body:
  /// constants, sizes of inputs, and what follows from them.
  bool areKnownEarly(Operation *op) const;
  bool isKnownEarly(Value value) const { return early.contains(value); }

  /// The instructions that compute an op of arith; none for a constant. Fails
  /// with a diagnostic for other ops.
  FailureOr<SmallVector<::atc::ScalarInstruction>> translate(Operation *op,
                                                             bool isKnownEarly);

private:
  uint32_t &registerCount;
  DenseMap<Value, ::atc::PlanInt> numbers;
  DenseSet<Value> early;
};

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_PLANSCALARS_H
