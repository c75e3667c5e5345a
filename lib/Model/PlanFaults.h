// What is wrong with a plan, as text.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_MODEL_PLANFAULTS_H
#define ATC_LIB_MODEL_PLANFAULTS_H

#include "atc/Model/Plan.h"

namespace atc {

/// The first rule that the plan breaks, or an empty text.
std::string findPlanFault(const Plan &plan,
                          const std::optional<PlanSizes> &sizes);

/// The parts of it: the tables, then prologue and body. The latter relies on
/// the former.
std::string findTableFault(const Plan &plan,
                           const std::optional<PlanSizes> &sizes);
std::string findInstructionFault(const Plan &plan);

inline Status planDamaged(const std::string &reason) {
  return Status::error(ErrorCode::DamagedOfflineModel,
                       "the plan is malformed: " + reason);
}

/// True if a static value fits the format and a register exists.
inline bool isValidPlanInt(const Plan &plan, const PlanInt &value) {
  if (value.isRegister())
    return value.registerIndex() < plan.registerCount;
  return value.value() >= PlanInt::minStatic &&
         value.value() <= PlanInt::maxStatic;
}

} // namespace atc

#endif // ATC_LIB_MODEL_PLANFAULTS_H
