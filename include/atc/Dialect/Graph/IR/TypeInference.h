// Rules by which result types follow from operands.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_TYPEINFERENCE_H
#define ATC_DIALECT_GRAPH_IR_TYPEINFERENCE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::atc::graph {

/// Whether two lists of result types may describe the same values: equal
/// element types, shapes that do not contradict each other. Encodings are not
/// compared.
bool areCompatibleTypes(TypeRange lhs, TypeRange rhs);

/// One size that agrees with both, or nullopt where two static sizes differ.
std::optional<int64_t> mergeDims(int64_t lhs, int64_t rhs);

/// The more precise of two compatible types: each dim is static where one of
/// them is; the encoding is that of `type`. Null where they contradict.
Type mergeTypes(Type type, Type other);

/// The dim that two dims broadcast to, as NumPy: 1 yields to the other. A `?`
/// beside a static dim above 1 is that dim. Nullopt where they do not match.
std::optional<int64_t> broadcastDims(int64_t lhs, int64_t rhs);

/// The shape that two shapes broadcast to, aligned at the right.
std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> lhs,
                                                    ArrayRef<int64_t> rhs);

/// Whether `from` broadcasts to exactly `to`, with no dim of `to` growing.
bool broadcastsTo(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

/// Emits "'op' op message" at an op that is being inferred; silent without a
/// location. Always a failure.
class InferenceError {
public:
  InferenceError(StringRef op, std::optional<Location> location)
      : op(op), location(location) {}

  template <typename... Args>
  LogicalResult operator()(Args &&...args) const {
    return emitOptionalError(location, "'", op, "' op ",
                             std::forward<Args>(args)...);
  }

private:
  StringRef op;
  std::optional<Location> location;
};

/// Text of a shape for a diagnostic: "[1, ?, 3]".
std::string shapeText(ArrayRef<int64_t> shape);

/// Infers the type of `x`, without its encoding, for an op that works along
/// `axis`, which lies in the rank of `x` (C1).
LogicalResult inferSameType(StringRef op, std::optional<Location> location,
                            Value x, int64_t axis,
                            SmallVectorImpl<Type> &types);

/// The element type of a sum of products: i32 for two 8-bit integers, else the
/// operands' type. Null where they differ.
Type inferProductType(Type lhs, Type rhs);

/// Whether all numbers are small enough (below 2^31) for sums and products of
/// two of them not to overflow.
bool areBounded(ArrayRef<int64_t> numbers);

/// Two attributes have one positive entry for each of `spatial` dims.
LogicalResult verifyWindow(const InferenceError &error, size_t spatial,
                           StringRef firstName, ArrayRef<int64_t> first,
                           StringRef secondName, ArrayRef<int64_t> second);

/// `pads` has two non-negative entries for each of `spatial` dims.
LogicalResult verifyPads(const InferenceError &error, size_t spatial,
                         ArrayRef<int64_t> pads);

/// Infers the result of an elementwise op: the operands broadcast (C1), those
/// from `firstTyped` on share an element type (C2). The result has that
/// element type, or `resultElement` where it is given.
LogicalResult inferElementwiseTypes(StringRef op,
                                    std::optional<Location> location,
                                    ValueRange operands, unsigned firstTyped,
                                    Type resultElement,
                                    SmallVectorImpl<Type> &types);

/// Result types of `op` at least as precise as the present ones, by its
/// inference or its TypeRefinementInterface. Silent failure where the op has
/// neither or its operands contradict each other.
LogicalResult refineResultTypes(Operation *op, SmallVectorImpl<Type> &types);

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_TYPEINFERENCE_H
