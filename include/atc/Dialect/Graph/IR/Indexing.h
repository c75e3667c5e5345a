// Ops that read or write at positions which are data.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_INDEXING_H
#define ATC_DIALECT_GRAPH_IR_INDEXING_H

#include "atc/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Indexing.h.inc"

#endif // ATC_DIALECT_GRAPH_IR_INDEXING_H
