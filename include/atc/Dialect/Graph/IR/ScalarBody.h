// Building blocks of the scalar computations behind ops.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_SCALARBODY_H
#define ATC_DIALECT_GRAPH_IR_SCALARBODY_H

#include "atc/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::atc::graph {

/// How the elements of a tensor are computed with.
enum class NumberKind { Float, Signed, Unsigned, Bool, None };

/// The kind of a type's elements, before unsigned integers become signless.
NumberKind getNumberKind(Type type);

/// A constant of a scalar or vector type.
Value buildFloat(OpBuilder &builder, Location loc, Type type, double value);
Value buildInteger(OpBuilder &builder, Location loc, Type type, int64_t value);

/// `type` with another element type: a scalar or a vector of the same shape.
Type withElementType(Type type, Type element);

/// An element type as bodies compute with it: unsigned becomes signless.
Type getSignlessType(Type element);

/// Converts a scalar or vector, as graph.cast does, between element types as
/// tensors hold them (signedness counts). `value` may be a wider float than
/// `from`. Null for elements without a scalar form.
Value buildCast(OpBuilder &builder, Location loc, Value value, Type from,
                Type to, bool saturate);

/// Combines two values of one reduction; element signedness as `kind` says.
Value buildReduction(OpBuilder &builder, Location loc, ReductionKind reduction,
                     NumberKind kind, Value accumulator, Value value);
/// The neutral value of a reduction in a scalar or vector type.
Value buildReductionIdentity(OpBuilder &builder, Location loc,
                             ReductionKind reduction, NumberKind kind,
                             Type type);

/// A body that is one op of arith or math, chosen by the element kind of the
/// first operand; null where the kind has no op (`void`).
template <typename FloatOp, typename SignedOp, typename UnsignedOp>
Value buildMappedBody(Operation *op, OpBuilder &builder, Location loc,
                      ValueRange args) {
  auto build = [&](auto *tag) -> Value {
    using Op = std::remove_pointer_t<decltype(tag)>;
    if constexpr (std::is_void_v<Op>)
      return {};
    else
      return Op::create(builder, loc, TypeRange(args[0].getType()), args);
  };
  switch (getNumberKind(getElementTypeOrSelf(op->getOperand(0)))) {
  case NumberKind::Float:
    return build(static_cast<FloatOp *>(nullptr));
  case NumberKind::Signed:
  case NumberKind::Bool:
    return build(static_cast<SignedOp *>(nullptr));
  case NumberKind::Unsigned:
    return build(static_cast<UnsignedOp *>(nullptr));
  case NumberKind::None:
    return {};
  }
  llvm_unreachable("all kinds are handled");
}

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_SCALARBODY_H
