// Arithmetic on the coordinates of vectors.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "atc/Codegen/Cpu/SizeMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AffineExpr.h"
#include <numeric>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

Coordinate CoordinateBuilder::constant(int64_t value) {
  Coordinate result;
  result.base = index.constant(value);
  result.divisor = std::abs(value);
  return result;
}

Value CoordinateBuilder::splat(Value scalar) {
  auto type = VectorType::get({lanes}, builder.getIndexType());
  return vector::BroadcastOp::create(builder, loc, type, scalar);
}

Value CoordinateBuilder::perLane(const Coordinate &coordinate) {
  if (coordinate.perLane)
    return coordinate.perLane;
  Value base = splat(index.value(coordinate.base));
  if (coordinate.step == 0)
    return base;
  SmallVector<int64_t> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane)
    offsets.push_back(lane * coordinate.step);
  Value steps = arith::ConstantOp::create(builder, loc,
                                          builder.getIndexVectorAttr(offsets));
  return arith::AddIOp::create(builder, loc, base, steps);
}

OpFoldResult CoordinateBuilder::atLane(const Coordinate &coordinate,
                                       int64_t lane) {
  if (!coordinate.perLane)
    return index.add(coordinate.base, lane * coordinate.step);
  return vector::ExtractOp::create(builder, loc, coordinate.perLane, lane)
      .getResult();
}

OpFoldResult CoordinateBuilder::atLane(const Coordinate &coordinate,
                                       Value lane) {
  if (!coordinate.perLane)
    return index.add(coordinate.base, index.mul(lane, coordinate.step));
  return vector::ExtractOp::create(builder, loc, coordinate.perLane,
                                   OpFoldResult(lane))
      .getResult();
}

Coordinate CoordinateBuilder::add(const Coordinate &lhs,
                                  const Coordinate &rhs) {
  Coordinate result;
  if (lhs.perLane || rhs.perLane) {
    result.perLane =
        arith::AddIOp::create(builder, loc, perLane(lhs), perLane(rhs));
    return result;
  }
  result.base = index.add(lhs.base, rhs.base);
  result.step = lhs.step + rhs.step;
  result.divisor = std::gcd(lhs.divisor, rhs.divisor);
  return result;
}

Coordinate CoordinateBuilder::mul(const Coordinate &coordinate,
                                  int64_t factor) {
  if (factor == 0)
    return constant(0);
  Coordinate result;
  if (coordinate.perLane) {
    result.perLane = arith::MulIOp::create(builder, loc, coordinate.perLane,
                                           splat(index.value(factor)));
    return result;
  }
  result.base = index.mul(coordinate.base, factor);
  result.step = coordinate.step * factor;
  result.divisor = coordinate.divisor * std::abs(factor);
  return result;
}

Coordinate CoordinateBuilder::mul(const Coordinate &coordinate,
                                  OpFoldResult factor) {
  if (std::optional<int64_t> known = IndexBuilder::getConstant(factor))
    return mul(coordinate, *known);
  Coordinate result;
  if (coordinate.isUniform())
    result.base = index.mul(coordinate.base, factor);
  else
    result.perLane = arith::MulIOp::create(builder, loc, perLane(coordinate),
                                           splat(index.value(factor)));
  return result;
}

bool CoordinateBuilder::staysWithin(const Coordinate &coordinate,
                                    int64_t size) const {
  if (coordinate.isUniform())
    return true;
  if (coordinate.perLane || coordinate.step < 0)
    return false;
  if (std::optional<int64_t> base = IndexBuilder::getConstant(coordinate.base))
    return *base >= 0 && *base % size + coordinate.step * (lanes - 1) < size;
  // base mod size is a multiple of the common divisor, so at most size minus
  // it.
  int64_t common = std::gcd(coordinate.divisor, size);
  return coordinate.step * (lanes - 1) < common;
}

Coordinate CoordinateBuilder::div(const Coordinate &coordinate,
                                  int64_t divisor) {
  if (divisor == 1)
    return coordinate;
  Coordinate result;
  bool stepDivides = !coordinate.perLane && coordinate.step % divisor == 0;
  if (stepDivides || staysWithin(coordinate, divisor)) {
    result.base = index.div(coordinate.base, divisor);
    result.step = stepDivides ? coordinate.step / divisor : 0;
    if (coordinate.divisor % divisor == 0)
      result.divisor = coordinate.divisor / divisor;
    return result;
  }
  result.perLane = arith::DivUIOp::create(builder, loc, perLane(coordinate),
                                          splat(index.value(divisor)));
  return result;
}

Coordinate CoordinateBuilder::mod(const Coordinate &coordinate,
                                  int64_t divisor) {
  if (divisor == 1)
    return constant(0);
  Coordinate result;
  bool stepDivides = !coordinate.perLane && coordinate.step % divisor == 0;
  if (stepDivides || staysWithin(coordinate, divisor)) {
    result.base = index.rem(coordinate.base, divisor);
    result.step = stepDivides ? 0 : coordinate.step;
    result.divisor = std::gcd(coordinate.divisor, divisor);
    return result;
  }
  result.perLane = arith::RemUIOp::create(builder, loc, perLane(coordinate),
                                          splat(index.value(divisor)));
  return result;
}

Coordinate CoordinateBuilder::div(const Coordinate &coordinate,
                                  OpFoldResult divisor) {
  if (std::optional<int64_t> known = IndexBuilder::getConstant(divisor))
    return div(coordinate, *known);
  Coordinate result;
  if (coordinate.isUniform())
    result.base = index.div(coordinate.base, divisor);
  else
    result.perLane = arith::DivUIOp::create(builder, loc, perLane(coordinate),
                                            splat(index.value(divisor)));
  return result;
}

Coordinate CoordinateBuilder::mod(const Coordinate &coordinate,
                                  OpFoldResult divisor) {
  if (std::optional<int64_t> known = IndexBuilder::getConstant(divisor))
    return mod(coordinate, *known);
  Coordinate result;
  if (coordinate.isUniform())
    result.base = index.rem(coordinate.base, divisor);
  else
    result.perLane = arith::RemUIOp::create(builder, loc, perLane(coordinate),
                                            splat(index.value(divisor)));
  return result;
}

Coordinate CoordinateBuilder::apply(AffineExpr expr, ArrayRef<Coordinate> dims,
                                    Evaluate evaluate) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return constant(value.getValue());
  if (expr.isSymbolicOrConstant()) {
    Coordinate result;
    result.base = evaluate(expr);
    return result;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Coordinate lhs = apply(binary.getLHS(), dims, evaluate);
  if (expr.getKind() == AffineExprKind::Add)
    return add(lhs, apply(binary.getRHS(), dims, evaluate));
  // A constant is its own value; others are computed outside of the loops.
  OpFoldResult rhs = evaluate(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return div(lhs, rhs);
  case AffineExprKind::Mod:
    return mod(lhs, rhs);
  default:
    llvm_unreachable("index maps have no other operators");
  }
}

VectorPoint CoordinateBuilder::apply(AffineMap map, const VectorPoint &point,
                                     Evaluate evaluate) {
  SmallVector<Coordinate, 6> coordinates;
  for (AffineExpr expr : map.getResults())
    coordinates.push_back(apply(expr, point.coordinates, evaluate));
  return point.with(std::move(coordinates));
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

VectorPoint CoordinateBuilder::reshape(const VectorPoint &point,
                                       ArrayRef<AffineExpr> from,
                                       ArrayRef<AffineExpr> to,
                                       Evaluate evaluate) {
  SmallVector<Coordinate, 6> result(to.size(), constant(0));
  for (const ReshapeGroup &group : groupReshape(from, to)) {
    Coordinate linear = constant(0);
    for (size_t dim = group.fromBegin; dim < group.fromEnd; ++dim)
      linear = dim == group.fromBegin ? point.coordinates[dim]
                                      : add(mul(linear, evaluate(from[dim])),
                                            point.coordinates[dim]);
    // The outermost needs no remainder.
    for (size_t dim = group.toEnd; dim-- > group.toBegin + 1;) {
      OpFoldResult size = evaluate(to[dim]);
      result[dim] = mod(linear, size);
      linear = div(linear, size);
    }
    result[group.toBegin] = linear;
  }
  return point.with(std::move(result));
}
