// Jump targets and operand numbering.
// SPDX-License-Identifier: Apache-2.0
#include "Program.h"

#include <algorithm>

namespace atc {
namespace {

/// Knows which values the body computes.
class LateValues {
public:
  explicit LateValues(const Plan &plan)
      : plan(plan), setInBody(plan.registerCount) {
    for (const PlanInstruction &instruction : plan.body) {
      const PlanOperation &operation = instruction.operation;
      if (auto *scalar = std::get_if<ScalarInstruction>(&operation))
        setInBody[scalar->result] = true;
      else if (auto *load = std::get_if<LoadScalarInstruction>(&operation))
        setInBody[load->result] = true;
      else if (auto *call = std::get_if<HostCallInstruction>(&operation))
        for (uint32_t result : call->results)
          setInBody[result] = true;
    }
    for (const PlanView &view : plan.views)
      lateViews.push_back(computeLate(view));
  }

  bool isLate(const PlanInt &value) const {
    return value.isRegister() && setInBody[value.registerIndex()];
  }
  bool isLate(const LaunchInstruction &launch) const {
    bool late = isLate(launch.tileCount) || isLate(launch.scratchBytes) ||
                isLate(launch.flops) || isLate(launch.bytes);
    for (const PlanOperand &operand : launch.operands)
      late |= lateViews[operand.view];
    for (const PlanInt &scalar : launch.scalars)
      late |= isLate(scalar);
    return late;
  }

private:
  bool computeLate(const PlanView &view) const {
    const PlanBuffer &buffer = plan.buffers[view.buffer];
    bool late = buffer.placement == Placement::Data ||
                isLate(view.byteOffset) || isLate(buffer.bytes);
    for (const PlanView::Dim &dim : view.dims)
      late |= isLate(dim.size) || isLate(dim.stride);
    return late;
  }

  const Plan &plan;
  std::vector<bool> setInBody;
  std::vector<bool> lateViews;
};

} // namespace

Program::Program(const Plan &plan) : steps(plan.body.size()) {
  linkJumps(plan);
  numberOperands(plan);
}

/// The plan's check has made sure of the nesting.
void Program::linkJumps(const Plan &plan) {
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < plan.body.size(); ++i) {
    const PlanOperation &operation = plan.body[i].operation;
    if (std::holds_alternative<IfInstruction>(operation) ||
        std::holds_alternative<LoopInstruction>(operation)) {
      open.push_back(i);
    } else if (std::holds_alternative<ElseInstruction>(operation)) {
      steps[open.back()].target = i + 1;
      open.back() = i;
    } else if (std::holds_alternative<EndIfInstruction>(operation)) {
      steps[open.back()].target = i + 1;
      open.pop_back();
    } else if (std::holds_alternative<LoopTestInstruction>(operation)) {
      // EndLoop needs both, the loop's begin and its test.
      steps[i].target = open.back();
      open.back() = i;
    } else if (std::holds_alternative<EndLoopInstruction>(operation)) {
      uint32_t test = open.back();
      open.pop_back();
      steps[i].target = steps[test].target;
      steps[test].target = i + 1;
    }
  }
}

void Program::numberOperands(const Plan &plan) {
  LateValues values(plan);
  for (size_t i = 0; i < plan.body.size(); ++i) {
    const PlanOperation &operation = plan.body[i].operation;
    if (auto *launch = std::get_if<LaunchInstruction>(&operation)) {
      steps[i] = {0, operandCount, scalarCount, launchCount++,
                  values.isLate(*launch)};
      operandCount += launch->operands.size();
      scalarCount += launch->scalars.size();
      if (launch->scratchBytes.isStatic())
        staticScratchBytes = std::max<uint64_t>(staticScratchBytes,
                                                launch->scratchBytes.value());
    } else if (auto *call = std::get_if<HostCallInstruction>(&operation)) {
      maxHostTensors =
          std::max<uint32_t>(maxHostTensors, call->operands.size());
      maxHostScalars = std::max<uint32_t>(maxHostScalars, call->scalars.size());
      maxHostResults = std::max<uint32_t>(maxHostResults, call->results.size());
    }
  }
}

} // namespace atc
