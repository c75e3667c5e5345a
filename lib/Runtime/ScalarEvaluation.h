// Arithmetic of the plan's scalar instructions.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_RUNTIME_SCALAREVALUATION_H
#define ATC_LIB_RUNTIME_SCALAREVALUATION_H

#include "atc/Model/Plan.h"

#include <vector>

namespace atc {

using ScalarRegisters = std::vector<int64_t>;

inline int64_t evaluate(const PlanInt &value,
                        const ScalarRegisters &registers) {
  return value.isStatic() ? value.value() : registers[value.registerIndex()];
}

/// The result of an operation; nullopt on overflow and division by zero.
std::optional<int64_t> evaluateScalar(ScalarOp op, int64_t a, int64_t b,
                                      int64_t c);

/// Executes a Scalar instruction.
Status executeScalar(const ScalarInstruction &instruction,
                     ScalarRegisters &registers);

/// Executes a Check instruction.
Status executeCheck(const CheckInstruction &instruction,
                    const ScalarRegisters &registers,
                    const std::string &source);

/// Executes the plan's prologue, or fails as one of its instructions.
Status executePrologue(const Plan &plan, ScalarRegisters &registers);

} // namespace atc

#endif // ATC_LIB_RUNTIME_SCALAREVALUATION_H
