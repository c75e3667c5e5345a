// Values of resize: where a result's element lies, and its weights.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

namespace {

/// One input element that a result's element is made of, along one dim.
struct Tap {
  Coordinate coordinate;
  /// f32, a scalar or one per lane; null stands for 1.
  Value weight;
};

/// The taps along one dim.
struct Taps {
  SmallVector<Tap, 4> taps;
  /// Whether the position lies outside of the input and yields the
  /// extrapolation value; null where it cannot.
  Value outside;
};

/// Computes the taps of a dim. All arithmetic is in single precision, as ONNX
/// Runtime has it: the choice of a nearest element depends on it.
class ResizeDim {
public:
  ResizeDim(RegionEmitter &region, Location loc, graph::ResizeOp op,
            unsigned dim, const VectorPoint &point)
      : builder(region.getBuilder()), loc(loc), op(op), dim(dim), point(point),
        index(builder, loc), inputSize(region.sizeOf(op.getX(), dim)),
        outputSize(region.sizeOf(op.getResult(), dim)) {
    if (double given = op.getScales()[dim]; given != 0)
      scale = static_cast<float>(given);
    // The result has the operand's size: the same value, if no number.
    else if (inputSize == outputSize)
      scale = 1.0f;
    const Coordinate &coordinate = point.coordinates[dim];
    isUniform = coordinate.isUniform() || point.lanes == 1;
    type = builder.getF32Type();
    if (!isUniform)
      type = VectorType::get({point.lanes}, type);
  }

  /// Whether the dim is copied as it is.
  bool isIdentity() {
    return inputSize == outputSize && scale == 1.0f &&
           op.getCoordinateTransform() !=
               graph::CoordinateTransform::tf_crop_and_resize;
  }

  Taps build();

private:
  /// Whether the filter is as long as the scale wants it. Open scales are not
  /// smoothed: getSizeRatios.
  bool isSmoothed() { return op.getAntialias() && scale && *scale < 1; }
  Value constant(double value) {
    return graph::buildFloat(builder, loc, type, value);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value floor(Value a) { return math::FloorOp::create(builder, loc, a); }
  Value ceil(Value a) { return math::CeilOp::create(builder, loc, a); }
  /// A size plus `offset`, as a number.
  Value sizeNumber(OpFoldResult size, int64_t offset = 0);
  Value scaleNumber() {
    return scale ? constant(*scale)
                 : div(sizeNumber(outputSize), sizeNumber(inputSize));
  }
  /// Bounds a position by the input's elements.
  Value clampToInput(Value a) {
    Value bounded = arith::MaximumFOp::create(builder, loc, a, constant(0));
    return arith::MinimumFOp::create(builder, loc, bounded,
                                     sizeNumber(inputSize, -1));
  }
  /// `yes` where the result's size is 1, else `no`; only one of them is built
  /// where the size is known.
  Value ifSingle(function_ref<Value()> yes, function_ref<Value()> no);

  /// The result's coordinate as f32.
  Value resultPosition();
  /// Where it lies in the input.
  Value inputPosition(Value x);
  Value nearest(Value position);
  /// A whole number as a coordinate, clamped to the input.
  Coordinate toCoordinate(Value position);
  /// Keys' kernel at distance `d` >= 0.
  Value cubicKernel(Value distance);
  Value linearKernel(Value distance);
  void addFilterTaps(Taps &result, Value position);

  OpBuilder &builder;
  Location loc;
  graph::ResizeOp op;
  unsigned dim;
  const VectorPoint &point;
  IndexBuilder index;
  OpFoldResult inputSize, outputSize;
  /// Nullopt where it is the ratio of sizes that only a run knows.
  std::optional<float> scale;
  bool isUniform;
  Type type;
};

} // namespace

Value ResizeDim::resultPosition() {
  const Coordinate &coordinate = point.coordinates[dim];
  Value position;
  if (isUniform)
    position = index.value(coordinate.base);
  else
    position = CoordinateBuilder(builder, loc, point.lanes).perLane(coordinate);
  Type i32 = graph::withElementType(type, builder.getI32Type());
  position = arith::IndexCastOp::create(builder, loc, i32, position);
  return arith::SIToFPOp::create(builder, loc, type, position);
}

Value ResizeDim::sizeNumber(OpFoldResult size, int64_t offset) {
  if (std::optional<int64_t> known = IndexBuilder::getConstant(size))
    return constant(static_cast<double>(*known + offset));
  Value whole = arith::IndexCastOp::create(
      builder, loc, builder.getI32Type(), index.value(index.add(size, offset)));
  Value number =
      arith::SIToFPOp::create(builder, loc, builder.getF32Type(), whole);
  if (isUniform)
    return number;
  return vector::BroadcastOp::create(builder, loc, type, number);
}

Value ResizeDim::ifSingle(function_ref<Value()> yes, function_ref<Value()> no) {
  if (std::optional<int64_t> known = IndexBuilder::getConstant(outputSize))
    return *known == 1 ? yes() : no();
  Value isSingle =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            index.value(outputSize), index.value(int64_t(1)));
  return arith::SelectOp::create(builder, loc, isSingle, yes(), no());
}

Value ResizeDim::inputPosition(Value x) {
  using Transform = graph::CoordinateTransform;
  auto halfPixel = [&] {
    return sub(div(add(x, constant(0.5)), scaleNumber()), constant(0.5));
  };
  std::optional<int64_t> knownInput = IndexBuilder::getConstant(inputSize);
  std::optional<int64_t> knownOutput = IndexBuilder::getConstant(outputSize);
  switch (op.getCoordinateTransform()) {
  case Transform::half_pixel:
    return halfPixel();
  case Transform::half_pixel_symmetric: {
    if (!knownInput || !knownOutput || !scale) {
      Value input = sizeNumber(inputSize);
      Value adjustment = div(sizeNumber(outputSize), mul(scaleNumber(), input));
      Value center = div(input, constant(2));
      return add(mul(center, sub(constant(1), adjustment)), halfPixel());
    }
    float adjustment = static_cast<float>(*knownOutput) /
                       (*scale * static_cast<float>(*knownInput));
    float center = static_cast<float>(*knownInput) / 2;
    return add(constant(center * (1 - adjustment)), halfPixel());
  }
  case Transform::pytorch_half_pixel:
    return ifSingle([&] { return constant(0); }, halfPixel);
  case Transform::align_corners:
    return ifSingle([&] { return constant(0); },
                    [&] {
                      return div(mul(x, sizeNumber(inputSize, -1)),
                                 sizeNumber(outputSize, -1));
                    });
  case Transform::asymmetric:
    return div(x, scaleNumber());
  case Transform::tf_half_pixel_for_nn:
    return div(add(x, constant(0.5)), scaleNumber());
  case Transform::tf_crop_and_resize: {
    ArrayRef<double> roi = *op.getRoi();
    float start = roi[dim], end = roi[dim + roi.size() / 2];
    if (!knownInput || !knownOutput) {
      Value last = sizeNumber(inputSize, -1);
      return ifSingle([&] { return mul(constant(0.5f * (start + end)), last); },
                      [&] {
                        Value step = div(mul(constant(end - start), last),
                                         sizeNumber(outputSize, -1));
                        return add(mul(constant(start), last), mul(x, step));
                      });
    }
    float last = static_cast<float>(*knownInput - 1);
    if (*knownOutput == 1)
      return constant(0.5f * (start + end) * last);
    float step = (end - start) * last / static_cast<float>(*knownOutput - 1);
    return add(constant(start * last), mul(x, constant(step)));
  }
  }
  llvm_unreachable("covered switch");
}

Value ResizeDim::nearest(Value position) {
  using Rounding = graph::NearestRounding;
  switch (op.getNearestRounding()) {
  case Rounding::round_prefer_floor:
    return ceil(sub(position, constant(0.5)));
  case Rounding::round_prefer_ceil:
    return floor(add(position, constant(0.5)));
  case Rounding::floor:
    return floor(position);
  case Rounding::ceil:
    return ceil(position);
  case Rounding::simple:
    if (scale)
      return *scale < 1 ? ceil(position) : floor(position);
    return arith::SelectOp::create(
        builder, loc,
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                              scaleNumber(), constant(1)),
        ceil(position), floor(position));
  }
  llvm_unreachable("covered switch");
}

Coordinate ResizeDim::toCoordinate(Value position) {
  Value bounded = clampToInput(position);
  Type i32 = graph::withElementType(type, builder.getI32Type());
  Type indexType = graph::withElementType(type, builder.getIndexType());
  Value whole = arith::FPToSIOp::create(builder, loc, i32, bounded);
  Value cast = arith::IndexCastOp::create(builder, loc, indexType, whole);
  Coordinate coordinate;
  if (isUniform)
    coordinate.base = cast;
  else
    coordinate.perLane = cast;
  return coordinate;
}

Value ResizeDim::linearKernel(Value distance) {
  return arith::MaximumFOp::create(builder, loc, sub(constant(1), distance),
                                   constant(0));
}

Value ResizeDim::cubicKernel(Value distance) {
  double a = op.getCubicCoefficient();
  Value square = mul(distance, distance);
  Value near =
      add(mul(sub(mul(constant(a + 2), distance), constant(a + 3)), square),
          constant(1));
  Value far = sub(
      mul(add(mul(sub(mul(constant(a), distance), constant(5 * a)), distance),
              constant(8 * a)),
          distance),
      constant(4 * a));
  auto less = [&](double bound) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                 distance, constant(bound));
  };
  Value tail = arith::SelectOp::create(builder, loc, less(2), far, constant(0));
  return arith::SelectOp::create(builder, loc, less(1), near, tail);
}

void ResizeDim::addFilterTaps(Taps &result, Value position) {
  bool isCubic = op.getMode() == graph::ResizeMode::cubic;
  bool shrinks = isSmoothed();
  double reach = (isCubic ? 2 : 1) / (shrinks ? *scale : 1.0);
  int64_t first = static_cast<int64_t>(std::floor(-reach)) + 1;
  int64_t count = 2 - 2 * first;
  Value origin = floor(position);
  Value fraction = sub(position, origin);
  Value sum;
  for (int64_t tap = first; tap < first + count; ++tap) {
    Value distance = math::AbsFOp::create(
        builder, loc, sub(constant(static_cast<double>(tap)), fraction));
    if (shrinks)
      distance = mul(distance, constant(*scale));
    Value weight = isCubic ? cubicKernel(distance) : linearKernel(distance);
    Value where = add(origin, constant(static_cast<double>(tap)));
    if (op.getExcludeOutside()) {
      Value bounded = clampToInput(where);
      Value inside = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::OEQ, where, bounded);
      weight =
          arith::SelectOp::create(builder, loc, inside, weight, constant(0));
    }
    sum = sum ? add(sum, weight) : weight;
    result.taps.push_back({toCoordinate(where), weight});
  }
  if (op.getExcludeOutside() || shrinks)
    for (Tap &tap : result.taps)
      tap.weight = div(tap.weight, sum);
}

Taps ResizeDim::build() {
  Taps result;
  Value position = inputPosition(resultPosition());
  if (op.getCoordinateTransform() ==
      graph::CoordinateTransform::tf_crop_and_resize) {
    Value bounded = clampToInput(position);
    result.outside = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UNE, position, bounded);
  }
  bool filters = op.getMode() == graph::ResizeMode::cubic ||
                 (isSmoothed() && op.getMode() == graph::ResizeMode::linear);
  if (op.getMode() == graph::ResizeMode::nearest) {
    result.taps.push_back({toCoordinate(nearest(position)), Value()});
    return result;
  }
  if (filters) {
    addFilterTaps(result, position);
    return result;
  }
  // Linear: beyond the edge the edge itself.
  Value bounded = clampToInput(position);
  Value origin = floor(bounded);
  Value fraction = sub(bounded, origin);
  result.taps.push_back({toCoordinate(origin), sub(constant(1), fraction)});
  result.taps.push_back({toCoordinate(add(origin, constant(1))), fraction});
  return result;
}

//===----------------------------------------------------------------------===//
// The weighted sum
//===----------------------------------------------------------------------===//

namespace {

/// Sums over the taps of all dims, outermost first.
class ResizeSum {
public:
  ResizeSum(RegionEmitter &region, Location loc, graph::ResizeOp op,
            ArrayRef<Taps> dims, Type accumulator, const VectorPoint &point)
      : region(region), builder(region.getBuilder()), loc(loc), op(op),
        dims(dims), accumulator(accumulator), point(point), inner(point) {}

  FailureOr<Value> build(unsigned dim = 0);

private:
  /// A weight in the type of the values.
  Value spread(Value weight) {
    Type wanted = point.typeFor(accumulator);
    if (accumulator.isF64())
      weight = arith::ExtFOp::create(
          builder, loc, graph::withElementType(weight.getType(), accumulator),
          weight);
    if (weight.getType() != wanted)
      weight = vector::BroadcastOp::create(builder, loc, wanted, weight);
    return weight;
  }

  RegionEmitter &region;
  OpBuilder &builder;
  Location loc;
  graph::ResizeOp op;
  ArrayRef<Taps> dims;
  Type accumulator;
  const VectorPoint &point;
  VectorPoint inner;
};

} // namespace

FailureOr<Value> ResizeSum::build(unsigned dim) {
  if (dim == dims.size()) {
    FailureOr<Value> element = region.value(op.getX(), inner);
    if (failed(element))
      return failure();
    Type from = getElementTypeOrSelf(op.getX().getType());
    if (computeType(from) == accumulator)
      return element;
    return region.convert(*element, from, accumulator);
  }
  if (dims[dim].taps.empty())
    return build(dim + 1);
  Value sum;
  for (const Tap &tap : dims[dim].taps) {
    inner.coordinates[dim] = tap.coordinate;
    FailureOr<Value> part = build(dim + 1);
    if (failed(part))
      return failure();
    if (!tap.weight)
      return part;
    Value weight = spread(tap.weight);
    sum = sum ? Value(math::FmaOp::create(builder, loc, *part, weight, sum))
              : Value(arith::MulFOp::create(builder, loc, *part, weight));
  }
  return sum;
}

FailureOr<Value> RegionEmitter::computeResize(Operation *op,
                                              const VectorPoint &point) {
  auto resize = cast<graph::ResizeOp>(op);
  Type element = getElementTypeOrSelf(resize.getX().getType());
  bool isNearest = resize.getMode() == graph::ResizeMode::nearest;
  // Integers are interpolated in single precision.
  Type accumulator = computeType(element);
  if (!isNearest && !isa<FloatType>(accumulator))
    accumulator = builder.getF32Type();
  SmallVector<Taps> dims(point.coordinates.size());
  Value outside;
  for (unsigned dim = 0; dim < dims.size(); ++dim) {
    ResizeDim resizeDim(*this, loc, resize, dim, point);
    if (resizeDim.isIdentity())
      continue;
    dims[dim] = resizeDim.build();
    if (Value condition = dims[dim].outside) {
      Type type = point.typeFor(builder.getI1Type());
      if (condition.getType() != type)
        condition = vector::BroadcastOp::create(builder, loc, type, condition);
      outside =
          outside
              ? Value(arith::OrIOp::create(builder, loc, outside, condition))
              : condition;
    }
  }
  ResizeSum sum(*this, loc, resize, dims, accumulator, point);
  FailureOr<Value> result = sum.build();
  if (failed(result))
    return failure();
  Type wanted = point.typeFor(accumulator);
  if (outside) {
    double fill = resize.getExtrapolationValue();
    Value extrapolated = isa<FloatType>(accumulator)
                             ? graph::buildFloat(builder, loc, wanted, fill)
                             : graph::buildInteger(builder, loc, wanted,
                                                   static_cast<int64_t>(fill));
    result = Value(
        arith::SelectOp::create(builder, loc, outside, extrapolated, *result));
  }
  if (accumulator == computeType(element))
    return result;
  return convert(*result, accumulator, element);
}
