// Values of ops that index by data, and of ranges and quantization.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "atc/Codegen/Cpu/KernelImports.h"
#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "atc/Support/KernelAbi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

static Type elementTypeOf(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

static unsigned rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The declaration of the import that takes a fault's number.
static func::FuncOp declareFaultImport(OpBuilder &builder) {
  std::string name = (importPrefix + faultImportName).str();
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (auto import = module.lookupSymbol<func::FuncOp>(name))
    return import;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  auto import =
      func::FuncOp::create(builder, module.getLoc(), name,
                           builder.getFunctionType(builder.getI32Type(), {}));
  import.setPrivate();
  return import;
}

/// Makes the launch report ATC_KERNEL_FAULT_INDEX where `isFault` holds for an
/// active lane of `point`.
static void reportIndexFault(OpBuilder &builder, Location loc, Value isFault,
                             const VectorPoint &point) {
  if (point.lanes > 1 && point.active) {
    // The others hold anything.
    Value mask = laneMask(builder, loc, point.active, point.lanes);
    isFault = arith::AndIOp::create(builder, loc, isFault, mask);
  }
  if (point.lanes > 1)
    isFault = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, isFault);
  func::FuncOp import = declareFaultImport(builder);
  OpBuilder::InsertionGuard guard(builder);
  auto ifOp = scf::IfOp::create(builder, loc, isFault);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  Value code = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                            ATC_KERNEL_FAULT_INDEX);
  func::CallOp::create(builder, loc, import, code);
}

FailureOr<Coordinate> RegionEmitter::indexCoordinate(Value indices,
                                                     const VectorPoint &point,
                                                     OpFoldResult size) {
  // One index for all lanes is read once.
  bool isUniform = llvm::all_of(
      point.coordinates, [](const Coordinate &c) { return c.isUniform(); });
  VectorPoint where = point;
  if (isUniform) {
    where.lanes = 1;
    where.active = {};
  }
  FailureOr<Value> loaded = value(indices, where);
  if (failed(loaded))
    return failure();
  Type indexType = where.typeFor(builder.getIndexType());
  Value position =
      elementTypeOf(indices).isUnsignedInteger()
          ? Value(
                arith::IndexCastUIOp::create(builder, loc, indexType, *loaded))
          : Value(arith::IndexCastOp::create(builder, loc, indexType, *loaded));
  auto spread = [&](OpFoldResult scalar) -> Value {
    Value plain = index.value(scalar);
    if (where.lanes == 1)
      return plain;
    return vector::BroadcastOp::create(builder, loc, indexType, plain);
  };
  Value zero = spread(index.constant(0));
  Value negative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, position, zero);
  Value fromEnd = arith::AddIOp::create(builder, loc, position, spread(size));
  Value wanted =
      arith::SelectOp::create(builder, loc, negative, fromEnd, position);
  position = arith::MinSIOp::create(builder, loc, wanted,
                                    spread(index.sub(size, index.constant(1))));
  position = arith::MaxSIOp::create(builder, loc, position, zero);
  Value isFault = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        wanted, position);
  reportIndexFault(builder, loc, isFault, where);
  Coordinate coordinate;
  if (where.lanes == 1)
    coordinate.base = position;
  else
    coordinate.perLane = position;
  return coordinate;
}

/// Whether reading any element of `tensor` would be out of bounds.
static bool isEmpty(RegionEmitter &region, Value tensor, unsigned dim) {
  return IndexBuilder::isConstant(region.sizeOf(tensor, dim), 0);
}

static FailureOr<Value> refuseEmpty(Operation *op) {
  return op->emitOpError("picks elements of an empty tensor");
}

FailureOr<Value> RegionEmitter::computeGather(Operation *op,
                                              const VectorPoint &point) {
  auto gather = cast<graph::GatherOp>(op);
  unsigned axis = gather.getAxis(), rank = rankOf(gather.getIndices());
  if (isEmpty(*this, gather.getX(), axis))
    return refuseEmpty(op);
  ArrayRef<Coordinate> all = point.coordinates;
  FailureOr<Coordinate> picked = indexCoordinate(
      gather.getIndices(),
      point.with(SmallVector<Coordinate, 6>(all.slice(axis, rank))),
      sizeOf(gather.getX(), axis));
  if (failed(picked))
    return failure();
  SmallVector<Coordinate, 6> inner(all.take_front(axis));
  inner.push_back(*picked);
  llvm::append_range(inner, all.drop_front(axis + rank));
  return value(gather.getX(), point.with(std::move(inner)));
}

FailureOr<Value>
RegionEmitter::computeGatherElements(Operation *op, const VectorPoint &point) {
  auto gather = cast<graph::GatherElementsOp>(op);
  unsigned axis = gather.getAxis();
  if (isEmpty(*this, gather.getX(), axis))
    return refuseEmpty(op);
  FailureOr<Coordinate> picked =
      indexCoordinate(gather.getIndices(), point, sizeOf(gather.getX(), axis));
  if (failed(picked))
    return failure();
  VectorPoint inner = point;
  inner.coordinates[axis] = *picked;
  return value(gather.getX(), inner);
}

FailureOr<Value> RegionEmitter::computeGatherND(Operation *op,
                                                const VectorPoint &point) {
  auto gather = cast<graph::GatherNDOp>(op);
  unsigned batch = gather.getBatchDims();
  unsigned prefix = rankOf(gather.getIndices()) - 1;
  auto indexType = cast<RankedTensorType>(gather.getIndices().getType());
  unsigned length = indexType.getDimSize(prefix);
  ArrayRef<Coordinate> all = point.coordinates;
  SmallVector<Coordinate, 6> inner(all.take_front(batch));
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  for (unsigned i = 0; i < length; ++i) {
    if (isEmpty(*this, gather.getX(), batch + i))
      return refuseEmpty(op);
    SmallVector<Coordinate, 6> where(all.take_front(prefix));
    where.push_back(coordinates.constant(i));
    FailureOr<Coordinate> picked =
        indexCoordinate(gather.getIndices(), point.with(std::move(where)),
                        sizeOf(gather.getX(), batch + i));
    if (failed(picked))
      return failure();
    inner.push_back(*picked);
  }
  llvm::append_range(inner, all.drop_front(prefix));
  return value(gather.getX(), point.with(std::move(inner)));
}

FailureOr<Value> RegionEmitter::computeOneHot(Operation *op,
                                              const VectorPoint &point) {
  auto oneHot = cast<graph::OneHotOp>(op);
  unsigned axis = oneHot.getAxis();
  Type indexElement = elementTypeOf(oneHot.getIndices());
  VectorPoint where = point;
  where.coordinates.erase(where.coordinates.begin() + axis);
  VectorPoint none = point.with({});
  FailureOr<Value> picked = value(oneHot.getIndices(), where);
  FailureOr<Value> depth = value(oneHot.getDepth(), none);
  FailureOr<Value> on = value(oneHot.getOn(), none);
  FailureOr<Value> off = value(oneHot.getOff(), none);
  if (failed(picked) || failed(depth) || failed(on) || failed(off))
    return failure();
  Type i64 = builder.getI64Type();
  Value wide = convert(*picked, indexElement, i64);
  Value size = convert(*depth, elementTypeOf(oneHot.getDepth()), i64);
  Value zero = graph::buildInteger(builder, loc, wide.getType(), 0);
  Value negative = arith::CmpIOp::create(builder, loc,
                                         arith::CmpIPredicate::slt, wide, zero);
  Value fromEnd = arith::AddIOp::create(builder, loc, wide, size);
  wide = arith::SelectOp::create(builder, loc, negative, fromEnd, wide);
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  const Coordinate &along = point.coordinates[axis];
  Value position =
      point.lanes == 1 ? index.value(along.base) : coordinates.perLane(along);
  position = arith::IndexCastOp::create(builder, loc, wide.getType(), position);
  Value isOn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     wide, position);
  return Value(arith::SelectOp::create(builder, loc, isOn, *on, *off));
}

FailureOr<Value> RegionEmitter::computeRange(Operation *op,
                                             const VectorPoint &point) {
  auto range = cast<graph::RangeOp>(op);
  VectorPoint none = point.with({});
  FailureOr<Value> start = value(range.getStart(), none);
  FailureOr<Value> delta = value(range.getDelta(), none);
  if (failed(start) || failed(delta))
    return failure();
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  const Coordinate &along = point.coordinates.front();
  Value position =
      point.lanes == 1 ? index.value(along.base) : coordinates.perLane(along);
  Type element = elementTypeOf(range.getResult());
  Type i64 = point.typeFor(builder.getI64Type());
  position = arith::IndexCastOp::create(builder, loc, i64, position);
  Value step =
      convert(position, builder.getI64Type(),
              isa<FloatType>(element) ? computeType(element) : element);
  if (isa<FloatType>(element)) {
    Value offset = arith::MulFOp::create(builder, loc, step, *delta);
    return Value(arith::AddFOp::create(builder, loc, *start, offset));
  }
  Value offset = arith::MulIOp::create(builder, loc, step, *delta);
  return Value(arith::AddIOp::create(builder, loc, *start, offset));
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

/// Where the scale of the element at `point` stands.
static VectorPoint granularPoint(OpBuilder &builder, Location loc,
                                 const VectorPoint &point, unsigned scaleRank,
                                 unsigned axis, int64_t block) {
  if (scaleRank == 0)
    return point.with({});
  if (block == 0)
    return point.with({point.coordinates[axis]});
  VectorPoint where = point;
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  where.coordinates[axis] = coordinates.div(point.coordinates[axis], block);
  return where;
}

/// round(x / scale) + zero point in the zero point's type: saturated if it is
/// an integer, or on request.
static Value quantizeValue(RegionEmitter &region, Location loc, Value x,
                           Value scale, Value zero, Type zeroElement,
                           bool saturate) {
  OpBuilder &builder = region.getBuilder();
  Type f32 = builder.getF32Type();
  Value ratio = arith::DivFOp::create(builder, loc, x, scale);
  // Floats are not rounded to whole numbers.
  if (isa<FloatType>(zeroElement))
    return region.convert(
        arith::AddFOp::create(builder, loc, ratio,
                              region.convert(zero, zeroElement, f32)),
        f32, zeroElement, saturate);
  Value rounded = math::RoundEvenOp::create(builder, loc, ratio);
  // Sums of two numbers below 2^24 are exact in single precision, and larger
  // ones saturate in any case.
  Value shifted = arith::AddFOp::create(builder, loc, rounded,
                                        region.convert(zero, zeroElement, f32));
  return region.convert(shifted, f32, zeroElement, /*saturate=*/true);
}

FailureOr<Value> RegionEmitter::computeQuantization(Operation *op,
                                                    const VectorPoint &point) {
  Value x = op->getOperand(0), scale = op->getOperand(1),
        zeroPoint = op->getOperand(2);
  auto quantize = dyn_cast<graph::QuantizeOp>(op);
  auto dequantize = dyn_cast<graph::DequantizeOp>(op);
  unsigned axis = quantize ? quantize.getAxis() : dequantize.getAxis();
  int64_t block = quantize ? quantize.getBlock() : dequantize.getBlock();
  VectorPoint where =
      granularPoint(builder, loc, point, rankOf(scale), axis, block);
  FailureOr<Value> element = value(x, point);
  FailureOr<Value> factor = value(scale, where);
  FailureOr<Value> zero = value(zeroPoint, where);
  if (failed(element) || failed(factor) || failed(zero))
    return failure();
  Type f32 = builder.getF32Type();
  Value factor32 = convert(*factor, elementTypeOf(scale), f32);
  Type zeroElement = elementTypeOf(zeroPoint);
  if (quantize)
    return quantizeValue(*this, loc, convert(*element, elementTypeOf(x), f32),
                         factor32, *zero, zeroElement, quantize.getSaturate());
  // 8- and 16-bit differences are exact in 32 bits.
  Value difference;
  if (isa<IntegerType>(zeroElement)) {
    Type i32 = builder.getI32Type();
    difference = arith::SubIOp::create(builder, loc,
                                       convert(*element, elementTypeOf(x), i32),
                                       convert(*zero, zeroElement, i32));
    difference = convert(difference, i32, f32);
  } else {
    difference = arith::SubFOp::create(builder, loc,
                                       convert(*element, elementTypeOf(x), f32),
                                       convert(*zero, zeroElement, f32));
  }
  Value product = arith::MulFOp::create(builder, loc, difference, factor32);
  Type result = elementTypeOf(op->getResult(0));
  return result.isF64() ? convert(product, f32, result) : product;
}
