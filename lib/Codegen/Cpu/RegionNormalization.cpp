// Values of normalizations that need single elements: by stored statistics, and
// across a few channels.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

FailureOr<Value> RegionEmitter::computeBatchNorm(Operation *op,
                                                 const VectorPoint &point) {
  auto norm = cast<graph::BatchNormOp>(op);
  Type element = getElementTypeOrSelf(norm.getX().getType());
  Type compute = computeType(element);
  VectorPoint channel = point.with({point.coordinates[1]});
  // Parameters may have another float type than x.
  SmallVector<Value> parameters;
  for (Value tensor :
       {norm.getScale(), norm.getBias(), norm.getMean(), norm.getVariance()}) {
    FailureOr<Value> loaded = value(tensor, channel);
    if (failed(loaded))
      return failure();
    parameters.push_back(
        convert(*loaded, getElementTypeOrSelf(tensor.getType()), compute));
  }
  FailureOr<Value> x = value(norm.getX(), point);
  if (failed(x))
    return failure();
  Value epsilon = graph::buildFloat(builder, loc, point.typeFor(compute),
                                    norm.getEpsilon());
  Value variance = arith::AddFOp::create(builder, loc, parameters[3], epsilon);
  Value deviation = math::SqrtOp::create(builder, loc, variance);
  Value factor = arith::DivFOp::create(builder, loc, parameters[0], deviation);
  Value centered = arith::SubFOp::create(builder, loc, *x, parameters[2]);
  return Value(
      math::FmaOp::create(builder, loc, centered, factor, parameters[1]));
}

/// base^-exponent for positive bases; roots where they suffice.
static Value negativePower(OpBuilder &builder, Location loc, Value base,
                           double exponent) {
  Type type = base.getType();
  Value one = graph::buildFloat(builder, loc, type, 1);
  if (exponent == 1)
    return arith::DivFOp::create(builder, loc, one, base);
  if (exponent == 0.5 || exponent == 0.75) {
    Value root = math::SqrtOp::create(builder, loc, base);
    if (exponent == 0.75)
      root = arith::MulFOp::create(builder, loc, root,
                                   math::SqrtOp::create(builder, loc, root));
    return arith::DivFOp::create(builder, loc, one, root);
  }
  return math::PowFOp::create(builder, loc, base,
                              graph::buildFloat(builder, loc, type, -exponent));
}

FailureOr<Value> RegionEmitter::computeLrn(Operation *op,
                                           const VectorPoint &point) {
  auto lrn = cast<graph::LrnOp>(op);
  Type compute = computeType(getElementTypeOrSelf(lrn.getX().getType()));
  Type type = point.typeFor(compute);
  OpFoldResult channels = sizeOf(lrn.getX(), 1);
  const Coordinate &channel = point.coordinates[1];
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  bool isUniform = channel.isUniform() || point.lanes == 1;
  Type indexType = isUniform ? Type(builder.getIndexType())
                             : point.typeFor(builder.getIndexType());
  auto spread = [&](OpFoldResult scalar) -> Value {
    Value plain = index.value(scalar);
    if (isUniform)
      return plain;
    return vector::BroadcastOp::create(builder, loc, indexType, plain);
  };
  Value zero = graph::buildFloat(builder, loc, type, 0);
  Value sum = zero;
  int64_t size = lrn.getSize();
  for (int64_t tap = -((size - 1) / 2); tap <= size / 2; ++tap) {
    Coordinate shifted = coordinates.add(channel, coordinates.constant(tap));
    Value position =
        isUniform ? index.value(shifted.base) : coordinates.perLane(shifted);
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, position, spread(channels));
    // Outside of the channels any element serves.
    position = arith::SelectOp::create(builder, loc, inside, position,
                                       spread(index.constant(0)));
    VectorPoint where = point;
    where.coordinates[1] = Coordinate();
    if (isUniform)
      where.coordinates[1].base = position;
    else
      where.coordinates[1].perLane = position;
    FailureOr<Value> x = value(lrn.getX(), where);
    if (failed(x))
      return failure();
    Value square = arith::MulFOp::create(builder, loc, *x, *x);
    Value counted = arith::SelectOp::create(builder, loc, inside, square, zero);
    sum = arith::AddFOp::create(builder, loc, sum, counted);
  }
  FailureOr<Value> x = value(lrn.getX(), point);
  if (failed(x))
    return failure();
  Value factor = graph::buildFloat(builder, loc, type,
                                   lrn.getAlpha() / static_cast<double>(size));
  Value base =
      math::FmaOp::create(builder, loc, sum, factor,
                          graph::buildFloat(builder, loc, type, lrn.getBias()));
  return Value(arith::MulFOp::create(
      builder, loc, *x, negativePower(builder, loc, base, lrn.getBeta())));
}
