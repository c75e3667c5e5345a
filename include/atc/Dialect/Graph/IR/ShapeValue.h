// What is known of small integer tensors that hold sizes.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_SHAPEVALUE_H
#define ATC_DIALECT_GRAPH_IR_SHAPEVALUE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::atc::graph {

/// The elements of an integer tensor of rank 0 or 1 and at most 64 elements, as
/// far as they follow from constants and static sizes: ShapedType::kDynamic
/// stands for an unknown element. Nullopt where even their number is unknown.
/// Looks through shape_of, concat, slice, gather, cast, reshape and arithmetic,
/// a bounded number of ops deep.
std::optional<SmallVector<int64_t>> partialShapeValue(Value value);

/// All elements, or nullopt where one is unknown.
std::optional<SmallVector<int64_t>> constantShapeValue(Value value);

/// The same as a constant of the value's element type; null where an element is
/// unknown. For folding of ops whose operands are known in part.
Attribute foldShapeValue(Value value);

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_SHAPEVALUE_H
