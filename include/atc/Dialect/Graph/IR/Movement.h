// Ops that move elements and compute none.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_MOVEMENT_H
#define ATC_DIALECT_GRAPH_IR_MOVEMENT_H

#include "atc/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Movement.h.inc"

namespace mlir::atc::graph {

/// The scales that `resize` has where the sizes of the result are told beside
/// it, one per dim; 0 where it takes a run to know. Nullopt if sizes do not
/// tell all: with scales or a region from tensors, a policy for the aspect
/// ratio, or smoothing.
std::optional<SmallVector<double>> getSizeRatios(ResizeDynamicOp op);

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_MOVEMENT_H
