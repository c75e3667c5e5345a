// The graph dialect with its types, attributes, enumerations and interfaces.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_GRAPHDIALECT_H
#define ATC_DIALECT_GRAPH_IR_GRAPHDIALECT_H

#include "atc/Support/PhysicalLayout.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"

namespace atc {
/// Lets a layout be the key of a uniqued attribute.
llvm::hash_code hash_value(const PhysicalLayout &layout);
} // namespace atc

namespace mlir::atc::graph {

/// Whether `type` is an integer that tensors hold: 2, 4, 8, 16, 32 or 64 bits,
/// signless (meaning signed) or unsigned. Booleans are not integers.
bool isGraphInteger(Type type);

/// What reads and writes of variables are ordered by.
struct VariableResource : public SideEffects::Resource::Base<VariableResource> {
  StringRef getName() final { return "graph.variable"; }
};

} // namespace mlir::atc::graph

#include "atc/Dialect/Graph/IR/GraphEnums.h.inc"

#include "atc/Dialect/Graph/IR/GraphDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "atc/Dialect/Graph/IR/GraphTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "atc/Dialect/Graph/IR/GraphAttributes.h.inc"

#include "atc/Dialect/Graph/IR/GraphInterfaces.h.inc"

#endif // ATC_DIALECT_GRAPH_IR_GRAPHDIALECT_H
