// Loads and stores of vectors whose lanes lie anywhere in a buffer.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/CoordinateBuilder.h"
#include "atc/Codegen/Cpu/NarrowTypes.h"
#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// A byte's low bits as a value of `type`, which has at most 8 bits.
static Value fromBits(OpBuilder &builder, Location loc, Value byte, Type type) {
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.getIntOrFloatBitWidth();
  Type bits = withElement(type, builder.getIntegerType(width));
  Value low = bits == byte.getType()
                  ? byte
                  : arith::TruncIOp::create(builder, loc, bits, byte);
  return bits == type ? low : arith::BitcastOp::create(builder, loc, type, low);
}

/// The bits of a value of at most 8 bits in a byte, zero above them.
static Value toBits(OpBuilder &builder, Location loc, Value value, Type byte) {
  unsigned width =
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  Type bits = withElement(byte, builder.getIntegerType(width));
  Value low = bits == value.getType()
                  ? value
                  : arith::BitcastOp::create(builder, loc, bits, value);
  return bits == byte ? low : arith::ExtUIOp::create(builder, loc, byte, low);
}

/// From what a buffer holds to what code computes with.
static Value fromStorage(OpBuilder &builder, Location loc, Value value,
                         Type elementType) {
  Type type = withElement(value.getType(), computeType(elementType));
  if (value.getType() == type)
    return value;
  if (elementType.isInteger(1)) {
    Value zero =
        graph::buildInteger(builder, loc, value.getType(), /*value=*/0);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (isNarrow(elementType))
    return fromBits(builder, loc, value, type);
  return arith::ExtFOp::create(builder, loc, type, value);
}

static Value toStorage(OpBuilder &builder, Location loc, Value value,
                       Type elementType) {
  Type type = withElement(value.getType(), storageType(elementType));
  if (value.getType() == type)
    return value;
  if (elementType.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type, value);
  if (isNarrow(elementType))
    return toBits(builder, loc, value, type);
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value RegionEmitter::convert(Value value, Type from, Type to, bool saturate) {
  Value result = graph::buildCast(builder, loc, value, from, to, saturate);
  return result ? fromStorage(builder, loc, result, to) : Value();
}

Value mlir::atc::cpu::laneMask(OpBuilder &builder, Location loc, Value active,
                               int64_t lanes) {
  SmallVector<int32_t> numbers(lanes);
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers[lane] = lane;
  auto type = VectorType::get({lanes}, builder.getI32Type());
  Value lane = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value count =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), active);
  Value counts = vector::BroadcastOp::create(builder, loc, type, count);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lane,
                               counts);
}

//===----------------------------------------------------------------------===//
// Lanes in a buffer
//===----------------------------------------------------------------------===//

namespace {

/// One access of `lanes` elements of a flat buffer.
struct Access {
  OpBuilder &builder;
  Location loc;
  const CpuDescription &cpu;
  Value buffer;
  Coordinate offset;
  int64_t lanes;
  Value active;

  Type elementType() const {
    return cast<MemRefType>(buffer.getType()).getElementType();
  }
  VectorType vectorType() const {
    return VectorType::get({lanes}, elementType());
  }
  Value value(OpFoldResult position) const {
    return IndexBuilder(builder, loc).value(position);
  }
  /// Whether inactive lanes can be left out by an instruction.
  bool hasMaskedMove() const {
    unsigned bits = elementType().getIntOrFloatBitWidth();
    return bits >= 32 ? cpu.maskedMoves : cpu.narrowMaskedMoves;
  }

  /// lane < active, as a vector.
  Value mask() const;
  Value loadAt(OpFoldResult position) const;
  void storeAt(OpFoldResult position, Value scalar) const;

  Value load() const;
  Value loadContiguous() const;
  Value loadReversed() const;
  Value loadLanes() const;
  Value loadActiveLanes() const;

  void store(Value value) const;
  void storeContiguous(Value value) const;
  void storeLanes(Value value) const;
  void storeActiveLanes(Value value) const;
};

} // namespace

Value Access::mask() const { return laneMask(builder, loc, active, lanes); }

Value Access::loadAt(OpFoldResult position) const {
  return memref::LoadOp::create(builder, loc, buffer,
                                ValueRange{value(position)});
}

void Access::storeAt(OpFoldResult position, Value scalar) const {
  memref::StoreOp::create(builder, loc, scalar, buffer,
                          ValueRange{value(position)});
}

Value Access::loadContiguous() const {
  Value start = value(offset.base);
  if (!active)
    return vector::LoadOp::create(builder, loc, vectorType(), buffer, start);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(vectorType()));
  return vector::MaskedLoadOp::create(builder, loc, vectorType(), buffer, start,
                                      mask(), zero);
}

Value Access::loadReversed() const {
  IndexBuilder index(builder, loc);
  Value start = value(index.add(offset.base, 1 - lanes));
  Value loaded =
      vector::LoadOp::create(builder, loc, vectorType(), buffer, start);
  SmallVector<int64_t> order;
  for (int64_t lane = lanes; lane-- > 0;)
    order.push_back(lane);
  return vector::ShuffleOp::create(builder, loc, loaded, loaded, order);
}

Value Access::loadLanes() const {
  CoordinateBuilder coordinates(builder, loc, lanes);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane)
    elements.push_back(loadAt(coordinates.atLane(offset, lane)));
  return vector::FromElementsOp::create(builder, loc, vectorType(), elements);
}

/// Makes `for lane = 0 to active` around `body`.
static scf::ForOp
forActiveLanes(OpBuilder &builder, Location loc, Value active, ValueRange init,
               function_ref<void(OpBuilder &, Value lane, ValueRange)> body) {
  IndexBuilder index(builder, loc);
  return scf::ForOp::create(
      builder, loc, index.value(int64_t(0)), active, index.value(1), init,
      [&](OpBuilder &nested, Location, Value lane, ValueRange state) {
        body(nested, lane, state);
      });
}

Value Access::loadActiveLanes() const {
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(vectorType()));
  auto loop = forActiveLanes(
      builder, loc, active, zero,
      [&](OpBuilder &nested, Value lane, ValueRange state) {
        CoordinateBuilder coordinates(nested, loc, lanes);
        IndexBuilder index(nested, loc);
        Value element = memref::LoadOp::create(
            nested, loc, buffer,
            ValueRange{index.value(coordinates.atLane(offset, lane))});
        Value inserted = vector::InsertOp::create(nested, loc, element,
                                                  state[0], OpFoldResult(lane));
        scf::YieldOp::create(nested, loc, inserted);
      });
  return loop.getResult(0);
}

Value Access::load() const {
  if (lanes == 1)
    return loadAt(offset.base);
  if (offset.isUniform())
    return vector::BroadcastOp::create(builder, loc, vectorType(),
                                       loadAt(offset.base));
  bool isContiguous = !offset.perLane && offset.step == 1;
  if (isContiguous && (!active || hasMaskedMove()))
    return loadContiguous();
  if (active)
    return loadActiveLanes();
  if (!offset.perLane && offset.step == -1)
    return loadReversed();
  return loadLanes();
}

void Access::storeContiguous(Value value) const {
  Value start = this->value(offset.base);
  if (!active)
    vector::StoreOp::create(builder, loc, value, buffer, start);
  else
    vector::MaskedStoreOp::create(builder, loc, buffer, start, mask(), value);
}

void Access::storeLanes(Value value) const {
  CoordinateBuilder coordinates(builder, loc, lanes);
  for (int64_t lane = 0; lane < lanes; ++lane)
    storeAt(coordinates.atLane(offset, lane),
            vector::ExtractOp::create(builder, loc, value, lane));
}

void Access::storeActiveLanes(Value value) const {
  forActiveLanes(
      builder, loc, active, {}, [&](OpBuilder &nested, Value lane, ValueRange) {
        CoordinateBuilder coordinates(nested, loc, lanes);
        IndexBuilder index(nested, loc);
        Value element =
            vector::ExtractOp::create(nested, loc, value, OpFoldResult(lane));
        memref::StoreOp::create(
            nested, loc, element, buffer,
            ValueRange{index.value(coordinates.atLane(offset, lane))});
        scf::YieldOp::create(nested, loc);
      });
}

void Access::store(Value value) const {
  if (lanes == 1)
    return storeAt(offset.base, value);
  bool isContiguous = !offset.perLane && offset.step == 1;
  if (isContiguous && (!active || hasMaskedMove()))
    return storeContiguous(value);
  if (active)
    return storeActiveLanes(value);
  storeLanes(value);
}

//===----------------------------------------------------------------------===//
// Lanes that share bytes
//===----------------------------------------------------------------------===//

namespace {

/// An access of elements of `bits` bits, the first in the low bits of a byte;
/// its offset counts elements. Values are bytes with the element's bits.
class PackedAccess {
public:
  PackedAccess(const Access &access, unsigned bits)
      : access(access), bits(bits), perByte(8 / bits) {}

  Value load() const;
  /// Writes lane by lane, each with the rest of its byte; whatever lies behind
  /// the last of `elements` becomes zero.
  void store(Value value, int64_t elements) const;

private:
  Value constant(OpBuilder &builder, Type type, int64_t value) const {
    return graph::buildInteger(builder, access.loc, type, value);
  }
  void storeElement(OpBuilder &builder, Value offset, Value value,
                    int64_t elements) const;

  const Access &access;
  unsigned bits;
  int64_t perByte;
};

} // namespace

Value PackedAccess::load() const {
  OpBuilder &builder = access.builder;
  Location loc = access.loc;
  bool isScalar = access.lanes == 1 || access.offset.isUniform();
  CoordinateBuilder coordinates(builder, loc, access.lanes);
  Value offset = isScalar ? access.value(access.offset.base)
                          : coordinates.perLane(access.offset);
  Type type = offset.getType();
  Value number = constant(builder, type, perByte);
  Access bytes = access;
  bytes.offset = Coordinate();
  Value byteOffset = arith::DivUIOp::create(builder, loc, offset, number);
  if (isScalar) {
    bytes.lanes = 1;
    bytes.active = {};
    bytes.offset.base = byteOffset;
  } else {
    bytes.offset.perLane = byteOffset;
  }
  Value loaded = bytes.load();
  Value place = arith::RemUIOp::create(builder, loc, offset, number);
  Value shift = arith::IndexCastOp::create(
      builder, loc, loaded.getType(),
      arith::MulIOp::create(builder, loc, place,
                            constant(builder, type, bits)));
  Value low = arith::ShRUIOp::create(builder, loc, loaded, shift);
  Value element = arith::AndIOp::create(
      builder, loc, low,
      constant(builder, low.getType(), (int64_t(1) << bits) - 1));
  if (!isScalar || access.lanes == 1)
    return element;
  return vector::BroadcastOp::create(builder, loc, access.vectorType(),
                                     element);
}

void PackedAccess::storeElement(OpBuilder &builder, Value offset, Value value,
                                int64_t elements) const {
  Location loc = access.loc;
  IndexBuilder index(builder, loc);
  Type type = value.getType();
  Value number = index.value(perByte);
  Value address = arith::DivUIOp::create(builder, loc, offset, number);
  Value place = arith::RemUIOp::create(builder, loc, offset, number);
  Value shift = arith::IndexCastOp::create(
      builder, loc, type,
      arith::MulIOp::create(builder, loc, place, index.value(int64_t(bits))));
  Value old =
      memref::LoadOp::create(builder, loc, access.buffer, ValueRange{address});
  // Of the other elements all are kept, behind the last one those before it.
  Value own = arith::ShLIOp::create(
      builder, loc, constant(builder, type, (int64_t(1) << bits) - 1), shift);
  Value ones = constant(builder, type, -1);
  Value others = arith::XOrIOp::create(builder, loc, own, ones);
  Value before = arith::XOrIOp::create(
      builder, loc, arith::ShLIOp::create(builder, loc, ones, shift), ones);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       offset, index.value(elements - 1));
  Value kept = arith::AndIOp::create(
      builder, loc, old,
      arith::SelectOp::create(builder, loc, isLast, before, others));
  Value merged = arith::OrIOp::create(
      builder, loc, kept, arith::ShLIOp::create(builder, loc, value, shift));
  memref::StoreOp::create(builder, loc, merged, access.buffer,
                          ValueRange{address});
}

void PackedAccess::store(Value value, int64_t elements) const {
  if (access.lanes == 1)
    return storeElement(access.builder, access.value(access.offset.base), value,
                        elements);
  Value count = access.active
                    ? access.active
                    : access.value(IndexBuilder(access.builder, access.loc)
                                       .constant(access.lanes));
  forActiveLanes(
      access.builder, access.loc, count, {},
      [&](OpBuilder &nested, Value lane, ValueRange) {
        CoordinateBuilder coordinates(nested, access.loc, access.lanes);
        IndexBuilder index(nested, access.loc);
        Value element = vector::ExtractOp::create(nested, access.loc, value,
                                                  OpFoldResult(lane));
        storeElement(nested,
                     index.value(coordinates.atLane(access.offset, lane)),
                     element, elements);
        scf::YieldOp::create(nested, access.loc);
      });
}

//===----------------------------------------------------------------------===//
// Points of views
//===----------------------------------------------------------------------===//

/// The offset of each lane. Tiles are resolved lane by lane.
static Coordinate offsetOf(OpBuilder &builder, Location loc,
                           const TensorView &view, const VectorPoint &point) {
  IndexBuilder index(builder, loc);
  CoordinateBuilder coordinates(builder, loc, point.lanes);
  if (!view.isTiled()) {
    Coordinate offset;
    offset.base = view.base;
    for (auto [coordinate, stride] :
         llvm::zip_equal(point.coordinates, view.strides))
      offset = coordinates.add(offset, coordinates.mul(coordinate, stride));
    return offset;
  }
  SmallVector<Value> offsets;
  for (int64_t lane = 0; lane < point.lanes; ++lane) {
    SmallVector<OpFoldResult> position;
    for (const Coordinate &coordinate : point.coordinates)
      position.push_back(coordinates.atLane(coordinate, lane));
    offsets.push_back(index.value(view.offset(index, position)));
  }
  Coordinate offset;
  offset.base = offsets.front();
  if (point.lanes > 1)
    offset.perLane = vector::FromElementsOp::create(
        builder, loc, VectorType::get({point.lanes}, builder.getIndexType()),
        offsets);
  return offset;
}

Value RegionEmitter::load(const TensorView &view, const VectorPoint &point) {
  Type element = view.type.getElementType();
  Access access{builder,
                loc,
                cpu,
                view.buffer,
                offsetOf(builder, loc, view, point),
                point.lanes,
                point.active};
  Value loaded =
      isPacked(element)
          ? PackedAccess(access, element.getIntOrFloatBitWidth()).load()
          : access.load();
  return fromStorage(builder, loc, loaded, element);
}

void RegionEmitter::store(const TensorView &view, const VectorPoint &point,
                          Value value) {
  Type element = view.type.getElementType();
  Access access{builder,
                loc,
                cpu,
                view.buffer,
                offsetOf(builder, loc, view, point),
                point.lanes,
                point.active};
  Value stored = toStorage(builder, loc, value, element);
  if (!isPacked(element))
    return access.store(stored);
  PackedAccess(access, element.getIntOrFloatBitWidth())
      .store(stored, view.type.getNumElements());
}
