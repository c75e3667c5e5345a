// Index maps between results and operands.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_TILEMAP_H
#define ATC_DIALECT_GRAPH_IR_TILEMAP_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

namespace mlir::atc::graph {

/// The map from an index of the first result of `op` to the index of an operand
/// that broadcasts to it. Fails for unranked types.
FailureOr<AffineMap> getBroadcastMap(Operation *op, unsigned operand);

/// The same for plain shapes, aligned at the right.
AffineMap getBroadcastMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                          MLIRContext *context);

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_TILEMAP_H
