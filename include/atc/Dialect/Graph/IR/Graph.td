// All op families in one, for the generated documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_GRAPH_TD
#define ATC_DIALECT_GRAPH_IR_GRAPH_TD

include "atc/Dialect/Graph/IR/Elementwise.td"
include "atc/Dialect/Graph/IR/Reduction.td"
include "atc/Dialect/Graph/IR/MatMul.td"
include "atc/Dialect/Graph/IR/Convolution.td"
include "atc/Dialect/Graph/IR/Pooling.td"
include "atc/Dialect/Graph/IR/Normalization.td"
include "atc/Dialect/Graph/IR/Attention.td"
include "atc/Dialect/Graph/IR/Movement.td"
include "atc/Dialect/Graph/IR/Indexing.td"
include "atc/Dialect/Graph/IR/Shape.td"
include "atc/Dialect/Graph/IR/Creation.td"
include "atc/Dialect/Graph/IR/Weight.td"
include "atc/Dialect/Graph/IR/Quantization.td"
include "atc/Dialect/Graph/IR/ControlFlow.td"
include "atc/Dialect/Graph/IR/State.td"
include "atc/Dialect/Graph/IR/Kernel.td"

#endif // ATC_DIALECT_GRAPH_IR_GRAPH_TD
