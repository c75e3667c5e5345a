// What is known of small integer tensors that hold sizes.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_SHAPEVALUE_H
#define ATC_DIALECT_GRAPH_IR_SHAPEVALUE_H

#include "atc/Dialect/Graph/IR/SizeExpr.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::atc::graph {

/// The elements of an integer tensor of rank 0 or 1; those not known are
/// absent.
using ShapeElements = SmallVector<std::optional<SizeExpr>>;

/// What an evaluation of sizes asks of its surroundings.
class ShapeOracle {
public:
  virtual ~ShapeOracle();
  /// Nullopt where even the number of elements is not known.
  virtual std::optional<ShapeElements> getElements(Value value) = 0;
  virtual std::optional<SizeExpr> getSize(Value tensor, unsigned dim) = 0;
};

/// Whether tensors of the type may hold sizes: signed integers or booleans.
bool isShapeValue(Type type);

/// As many absent elements as a tensor of the type has; nullopt where it is no
/// small tensor of rank 0 or 1.
std::optional<ShapeElements> unknownElements(Type type);

/// The elements of the op's first result: through shape_of, concat, slice,
/// gather, cast, reshape and arithmetic. Nullopt for other ops.
std::optional<ShapeElements> evaluateShapeElements(Operation *op,
                                                   ShapeOracle &oracle);

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
