// Arithmetic of the plan's scalar instructions.
// SPDX-License-Identifier: Apache-2.0
#include "ScalarEvaluation.h"

#include "atc/Support/CheckedMath.h"

#include <algorithm>

namespace atc {

std::optional<int64_t> evaluateScalar(ScalarOp op, int64_t a, int64_t b,
                                      int64_t c) {
  switch (op) {
  case ScalarOp::Move:
    return a;
  case ScalarOp::Add:
    return checkedAdd(a, b);
  case ScalarOp::Subtract:
    return checkedSubtract(a, b);
  case ScalarOp::Multiply:
    return checkedMultiply(a, b);
  case ScalarOp::FloorDivide:
    return checkedFloorDivide(a, b);
  case ScalarOp::CeilDivide:
    return checkedCeilDivide(a, b);
  case ScalarOp::Modulo: {
    if (b == 0)
      return std::nullopt;
    if (b == -1)
      return 0;
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  case ScalarOp::Minimum:
    return std::min(a, b);
  case ScalarOp::Maximum:
    return std::max(a, b);
  case ScalarOp::Equal:
    return a == b;
  case ScalarOp::NotEqual:
    return a != b;
  case ScalarOp::Less:
    return a < b;
  case ScalarOp::LessEqual:
    return a <= b;
  case ScalarOp::And:
    return a != 0 && b != 0;
  case ScalarOp::Or:
    return a != 0 || b != 0;
  case ScalarOp::Not:
    return a == 0;
  case ScalarOp::Select:
    return a != 0 ? b : c;
  }
  return std::nullopt;
}

Status executeScalar(const ScalarInstruction &instruction,
                     ScalarRegisters &registers) {
  int64_t a = evaluate(instruction.a, registers);
  int64_t b = evaluate(instruction.b, registers);
  int64_t c = evaluate(instruction.c, registers);
  std::optional<int64_t> result = evaluateScalar(instruction.op, a, b, c);
  if (!result)
    return Status::error(ErrorCode::ExecutionFailed,
                         "a size overflows or is divided by zero, from " +
                             std::to_string(a) + " and " + std::to_string(b));
  registers[instruction.result] = *result;
  return Status::success();
}

Status executeCheck(const CheckInstruction &instruction,
                    const ScalarRegisters &registers,
                    const std::string &source) {
  if (evaluate(instruction.condition, registers) != 0)
    return Status::success();
  return Status::error(ErrorCode::ExecutionFailed, instruction.message, source);
}

Status executePrologue(const Plan &plan, ScalarRegisters &registers) {
  for (const PlanInstruction &instruction : plan.prologue) {
    Status status;
    if (auto *scalar = std::get_if<ScalarInstruction>(&instruction.operation))
      status = executeScalar(*scalar, registers);
    else if (auto *check =
                 std::get_if<CheckInstruction>(&instruction.operation))
      status = executeCheck(*check, registers, instruction.source);
    if (!status)
      return status;
  }
  return Status::success();
}

} // namespace atc
