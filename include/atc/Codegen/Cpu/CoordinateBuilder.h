// Arithmetic on the coordinates of vectors: how points pass through index maps.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_COORDINATEBUILDER_H
#define ATC_CODEGEN_CPU_COORDINATEBUILDER_H

#include "atc/Codegen/Cpu/VectorPoint.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::atc::cpu {

/// Builds coordinates from coordinates. What is affine in the lane stays so
/// wherever that can be proved; the rest becomes a vector of indices.
class CoordinateBuilder {
public:
  CoordinateBuilder(OpBuilder &builder, Location loc, int64_t lanes)
      : builder(builder), loc(loc), index(builder, loc), lanes(lanes) {}

  Coordinate constant(int64_t value);
  Coordinate add(const Coordinate &lhs, const Coordinate &rhs);
  Coordinate mul(const Coordinate &coordinate, int64_t factor);
  /// By a factor that may be known at run time only.
  Coordinate mul(const Coordinate &coordinate, OpFoldResult factor);
  /// Quotient and remainder of a coordinate that is not negative.
  Coordinate div(const Coordinate &coordinate, int64_t divisor);
  Coordinate mod(const Coordinate &coordinate, int64_t divisor);
  /// By a divisor that may be known at run time only.
  Coordinate div(const Coordinate &coordinate, OpFoldResult divisor);
  Coordinate mod(const Coordinate &coordinate, OpFoldResult divisor);

  /// Gives the value of an expression of symbols.
  using Evaluate = function_ref<OpFoldResult(AffineExpr)>;

  /// Coordinates that an expression of dims has at a point. Quotients and
  /// remainders in the expression must not meet negative numbers.
  Coordinate apply(AffineExpr expr, ArrayRef<Coordinate> dims,
                   Evaluate evaluate);
  VectorPoint apply(AffineMap map, const VectorPoint &point, Evaluate evaluate);

  /// The point of the same elements in a tensor of sizes `to`, which lists the
  /// elements of a tensor of sizes `from` (that of `point`) in the same order.
  VectorPoint reshape(const VectorPoint &point, ArrayRef<AffineExpr> from,
                      ArrayRef<AffineExpr> to, Evaluate evaluate);

  /// The coordinate of one lane.
  OpFoldResult atLane(const Coordinate &coordinate, int64_t lane);
  /// The same for a lane known at run time.
  OpFoldResult atLane(const Coordinate &coordinate, Value lane);
  /// All lanes as vector<lanes x index>.
  Value perLane(const Coordinate &coordinate);

private:
  /// Whether no two lanes lie in different multiples of `size`.
  bool staysWithin(const Coordinate &coordinate, int64_t size) const;
  Value splat(Value scalar);

  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
  int64_t lanes;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_COORDINATEBUILDER_H
