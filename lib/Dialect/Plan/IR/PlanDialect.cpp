// Registration of the plan dialect.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Plan/IR/Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::atc::plan;

#include "atc/Dialect/Plan/IR/PlanDialect.cpp.inc"

void PlanDialect::initialize() {
  registerTypes();
  registerMemoryOps();
  registerExecutionOps();
}
