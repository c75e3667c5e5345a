// Umbrella header of the plan dialect.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_PLAN_IR_PLAN_H
#define ATC_DIALECT_PLAN_IR_PLAN_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "atc/Dialect/Plan/IR/PlanDialect.h.inc"
#include "atc/Dialect/Plan/IR/PlanEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "atc/Dialect/Plan/IR/PlanTypes.h.inc"

#define GET_OP_CLASSES
#include "atc/Dialect/Plan/IR/Memory.h.inc"
#define GET_OP_CLASSES
#include "atc/Dialect/Plan/IR/Execution.h.inc"

namespace mlir::atc::plan {

/// The bytes of a buffer if they are known in the file: of a port or variable
/// with static dims, a constant, or an arena buffer of static size.
std::optional<int64_t> getStaticBytes(Value buffer);

/// Bytes of one element of a view in a buffer; booleans take one, and types
/// below eight bits are refused (nullopt), for they have no address of their
/// own.
std::optional<int64_t> getElementBytes(Type elementType);

} // namespace mlir::atc::plan

#endif // ATC_DIALECT_PLAN_IR_PLAN_H
