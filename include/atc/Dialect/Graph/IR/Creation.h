// Constants.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_CREATION_H
#define ATC_DIALECT_GRAPH_IR_CREATION_H

#include "atc/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Creation.h.inc"

#endif // ATC_DIALECT_GRAPH_IR_CREATION_H
