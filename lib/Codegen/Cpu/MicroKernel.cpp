// Builds register tiles of matrix products.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/MicroKernel.h"
#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// KernelBuilder
//===----------------------------------------------------------------------===//

Value KernelBuilder::lessThan(OpFoldResult lhs, OpFoldResult rhs) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                               index.value(lhs), index.value(rhs));
}

Value KernelBuilder::equal(OpFoldResult lhs, OpFoldResult rhs) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                               index.value(lhs), index.value(rhs));
}

OpFoldResult KernelBuilder::saturatingSub(OpFoldResult lhs, OpFoldResult rhs) {
  if (IndexBuilder::isConstant(rhs, 0))
    return lhs;
  return index.max(index.sub(lhs, rhs), index.constant(0));
}

void KernelBuilder::loop(OpFoldResult begin, OpFoldResult end,
                         OpFoldResult step, function_ref<void(Value)> body) {
  loop(begin, end, step, {}, [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

SmallVector<Value>
KernelBuilder::loop(OpFoldResult begin, OpFoldResult end, OpFoldResult step,
                    ValueRange initial,
                    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  std::optional<int64_t> first = IndexBuilder::getConstant(begin);
  std::optional<int64_t> last = IndexBuilder::getConstant(end);
  std::optional<int64_t> stride = IndexBuilder::getConstant(step);
  if (first && last && *first >= *last)
    return initial;
  if (first && last && stride && *first + *stride >= *last)
    return body(index.value(begin), initial);
  auto forOp = scf::ForOp::create(builder, loc, index.value(begin),
                                  index.value(end), index.value(step), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  SmallVector<Value> results =
      body(forOp.getInductionVar(), forOp.getRegionIterArgs());
  if (!initial.empty())
    scf::YieldOp::create(builder, loc, results);
  return forOp.getResults();
}

void KernelBuilder::when(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto ifOp = scf::IfOp::create(builder, loc, condition,
                                /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

Value KernelBuilder::splat(Type type, double number) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr scalar;
  if (isa<FloatType>(element))
    scalar = builder.getFloatAttr(element, number);
  else
    scalar = builder.getIntegerAttr(element, static_cast<int64_t>(number));
  if (auto shaped = dyn_cast<ShapedType>(type))
    scalar = DenseElementsAttr::get(shaped, Attribute(scalar));
  return arith::ConstantOp::create(builder, loc, scalar);
}

Value KernelBuilder::mask(OpFoldResult active, int64_t lanes) {
  return laneMask(builder, loc, index.value(active), lanes);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Address Address::moved(KernelBuilder &b, OpFoldResult distance) const {
  if (std::optional<int64_t> number = IndexBuilder::getConstant(distance))
    return {base, displacement + *number};
  if (!base)
    return {distance, displacement};
  return {b.index.add(base, distance), displacement};
}

SmallVector<Address> mlir::atc::cpu::moveAll(KernelBuilder &b,
                                             ArrayRef<Address> addresses,
                                             OpFoldResult distance) {
  SmallVector<Address> moved;
  for (const Address &address : addresses) {
    const Address *same = llvm::find_if(addresses, [&](const Address &other) {
      return other.base == address.base;
    });
    size_t first = same - addresses.begin();
    if (first == moved.size()) {
      moved.push_back(address.moved(b, distance));
      continue;
    }
    Address sum = moved[first];
    sum.displacement += address.displacement - same->displacement;
    moved.push_back(sum);
  }
  return moved;
}

Value Address::value(KernelBuilder &b) const {
  if (!base)
    return b.index.value(displacement);
  return b.index.value(b.index.add(base, displacement));
}

static Value widen(KernelBuilder &b, Value value, Type type) {
  Type from = getElementTypeOrSelf(value), to = getElementTypeOrSelf(type);
  if (from == to)
    return value;
  if (isa<FloatType>(to))
    return arith::ExtFOp::create(b.builder, b.loc, type, value);
  return arith::ExtSIOp::create(b.builder, b.loc, type, value);
}

Value mlir::atc::cpu::loadWidened(KernelBuilder &b, Value buffer,
                                  const Address &address, Type type,
                                  Value mask) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value index = address.value(b);
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return widen(b, memref::LoadOp::create(b.builder, b.loc, buffer, index),
                 type);
  VectorType stored = vector.clone(element);
  if (!mask)
    return widen(b,
                 vector::LoadOp::create(b.builder, b.loc, stored, buffer, index)
                     .getResult(),
                 type);
  Value zero = arith::ConstantOp::create(b.builder, b.loc,
                                         b.builder.getZeroAttr(stored));
  return widen(b,
               vector::MaskedLoadOp::create(b.builder, b.loc, stored, buffer,
                                            index, mask, zero)
                   .getResult(),
               type);
}

void mlir::atc::cpu::storeNarrowed(KernelBuilder &b, Value value, Value buffer,
                                   const Address &address, Value mask) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto vector = dyn_cast<VectorType>(value.getType());
  Type stored = vector ? Type(vector.clone(element)) : element;
  if (stored != value.getType()) {
    if (isa<FloatType>(element))
      value = arith::TruncFOp::create(b.builder, b.loc, stored, value);
    else
      value = arith::TruncIOp::create(b.builder, b.loc, stored, value);
  }
  Value index = address.value(b);
  if (!vector)
    memref::StoreOp::create(b.builder, b.loc, value, buffer, index);
  else if (mask)
    vector::MaskedStoreOp::create(b.builder, b.loc, buffer, index, mask, value);
  else
    vector::StoreOp::create(b.builder, b.loc, value, buffer, index);
}

void mlir::atc::cpu::copyWidened(KernelBuilder &b, VectorType type, Value from,
                                 const Address &source, OpFoldResult stride,
                                 Value to, const Address &target,
                                 OpFoldResult count) {
  IndexBuilder &index = b.index;
  auto copy = [&](Value i, Type unit) {
    Value value =
        loadWidened(b, from, source.moved(b, index.mul(i, stride)), unit);
    storeNarrowed(b, value, to, target.moved(b, i));
  };
  OpFoldResult whole = index.constant(0);
  int64_t lanes = type.getNumElements();
  if (IndexBuilder::isConstant(stride, 1)) {
    whole = index.sub(count, index.rem(count, lanes));
    b.loop(index.constant(0), whole, index.constant(lanes),
           [&](Value i) { copy(i, type); });
  }
  b.loop(whole, count, index.constant(1),
         [&](Value i) { copy(i, type.getElementType()); });
}

Value mlir::atc::cpu::multiplyAdd(KernelBuilder &b, Value lhs, Value rhs,
                                  Value acc) {
  if (!isa<FloatType>(getElementTypeOrSelf(acc))) {
    Value product = arith::MulIOp::create(b.builder, b.loc, lhs, rhs);
    return arith::AddIOp::create(b.builder, b.loc, acc, product);
  }
  return math::FmaOp::create(b.builder, b.loc, lhs, rhs, acc);
}

//===----------------------------------------------------------------------===//
// MicroKernel
//===----------------------------------------------------------------------===//

int64_t mlir::atc::cpu::unrollFactor(OpFoldResult run) {
  std::optional<int64_t> size = IndexBuilder::getConstant(run);
  if (!size || *size % 4 == 0 || *size > 64)
    return 4;
  for (int64_t factor = 9; factor > 4; --factor)
    if (*size % factor == 0)
      return factor;
  return *size % 3 == 0 ? 3 : 4;
}

SmallVector<Value> MicroKernel::build(KernelBuilder &b, OpFoldResult run,
                                      ValueRange accumulators,
                                      bool whole) const {
  assert(accumulators.size() == rows.size() * vectors);
  int64_t unroll = unrollFactor(run);
  OpFoldResult rest = whole ? b.index.constant(0) : b.index.rem(run, unroll);
  OpFoldResult main = b.index.sub(run, rest);
  SmallVector<Value> sums =
      b.loop(b.index.constant(0), main, b.index.constant(unroll), accumulators,
             [&](Value k, ValueRange current) {
               if (prefetch)
                 prefetch(k);
               return buildSteps(b, k, unroll, current);
             });
  if (std::optional<int64_t> steps = IndexBuilder::getConstant(rest))
    return buildSteps(b, main, *steps, sums);
  return b.loop(main, run, b.index.constant(1), sums,
                [&](Value k, ValueRange current) {
                  return buildSteps(b, k, 1, current);
                });
}

SmallVector<Value> MicroKernel::buildSteps(KernelBuilder &b, OpFoldResult first,
                                           int64_t steps,
                                           ValueRange accumulators) const {
  SmallVector<Value> sums(accumulators);
  if (steps == 0)
    return sums;
  SmallVector<Address> starts =
      moveAll(b, rows, b.index.mul(first, leftStride));
  Address start = panel.moved(b, b.index.mul(first, rightStride));

  for (int64_t step = 0; step < steps; ++step) {
    Address line = start.moved(b, b.index.mul(rightStride, step));
    SmallVector<Value> columns;
    for (unsigned v = 0; v < vectors; ++v)
      columns.push_back(loadWidened(b, right,
                                    line.moved(b, b.index.mul(vectorStride, v)),
                                    type, masks.empty() ? Value() : masks[v]));
    for (size_t r = 0; r < rows.size(); ++r) {
      Value scalar = loadWidened(
          b, left, starts[r].moved(b, b.index.mul(leftStride, step)),
          type.getElementType());
      Value broadcast =
          vector::BroadcastOp::create(b.builder, b.loc, type, scalar);
      for (unsigned v = 0; v < vectors; ++v) {
        Value &sum = sums[r * vectors + v];
        sum = multiplyAdd(b, broadcast, columns[v], sum);
      }
    }
  }
  return sums;
}
