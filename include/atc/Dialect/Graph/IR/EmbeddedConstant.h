// Which constants a kernel region holds itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_EMBEDDEDCONSTANT_H
#define ATC_DIALECT_GRAPH_IR_EMBEDDEDCONSTANT_H

#include "mlir/IR/Value.h"

namespace mlir::atc::graph {

/// Whether the region of a kernel holds the operand's definition itself instead
/// of reading it from memory: a `graph.constant` of equal elements where an op
/// computes elements one by one, or of one element where an op takes a number.
/// What a matrix product or convolution multiplies always lies in memory.
bool isEmbeddedConstant(OpOperand &operand);

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_EMBEDDEDCONSTANT_H
