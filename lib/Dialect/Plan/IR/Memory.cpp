// Buffers, ports and views: builders and verifiers.
// SPDX-License-Identifier: Apache-2.0
#include "AssemblyDirectives.h"
#include "atc/Dialect/Plan/IR/Plan.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc::plan;

#define GET_OP_CLASSES
#include "atc/Dialect/Plan/IR/Memory.cpp.inc"

void PlanDialect::registerMemoryOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Plan/IR/Memory.cpp.inc"
      >();
}

/// Bytes of a dense tensor; nullopt where a size is dynamic or an element has
/// no whole bytes.
static std::optional<int64_t> getDenseBytes(ViewType type) {
  std::optional<ViewType::Extent> extent = type.getStaticExtent();
  return extent ? std::optional<int64_t>(extent->bytes) : std::nullopt;
}

std::optional<int64_t> mlir::atc::plan::getStaticBytes(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (!op)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<InputOp, OutputOp>(
          [](auto port) { return getDenseBytes(port.getPortType()); })
      .Case([](VariableOp variable) {
        return getDenseBytes(variable.getVariableType());
      })
      .Case([](WeightOp weight) { return std::optional(weight.getBytes()); })
      .Case([](ConstantOp constant) {
        ShapedType type = constant.getValue().getShapedType();
        return getDenseBytes(
            ViewType::get(type.getShape(), type.getElementType()));
      })
      .Case([](ArenaOp arena) -> std::optional<int64_t> {
        if (arena.getBytes())
          return std::nullopt;
        return arena.getStaticBytes();
      })
      .Default(std::nullopt);
}

static void addBuffer(OpBuilder &builder, OperationState &state, Space space) {
  state.addTypes(BufferType::get(builder.getContext(), space));
}

/// Ports and variables are dense, row-major tensors.
template <typename OpT>
static LogicalResult verifyDense(OpT op, ViewType type) {
  if (type.isTiled() || !type.getStrides().empty())
    return op.emitOpError("expects a dense row-major type, got ") << type;
  return success();
}

//===----------------------------------------------------------------------===//
// InputOp, OutputOp
//===----------------------------------------------------------------------===//

void InputOp::build(OpBuilder &builder, OperationState &state, int64_t index,
                    StringAttr name, ViewType portType) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.index = index;
  properties.name = name;
  properties.portType = TypeAttr::get(portType);
  addBuffer(builder, state, space);
}

LogicalResult InputOp::verify() { return verifyDense(*this, getPortType()); }

void OutputOp::build(OpBuilder &builder, OperationState &state, int64_t index,
                     StringAttr name, ViewType portType, ValueRange sizes) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.index = index;
  properties.name = name;
  properties.portType = TypeAttr::get(portType);
  state.addOperands(sizes);
  addBuffer(builder, state, space);
}

LogicalResult OutputOp::verify() {
  int64_t dynamic = getPortType().getNumDynamicDims();
  if (dynamic != static_cast<int64_t>(getSizes().size()))
    return emitOpError("expects ") << dynamic << " sizes for " << getPortType()
                                   << ", got " << getSizes().size();
  return verifyDense(*this, getPortType());
}

//===----------------------------------------------------------------------===//
// ArenaOp
//===----------------------------------------------------------------------===//

void ArenaOp::build(OpBuilder &builder, OperationState &state, int64_t bytes) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.placement = Placement::Fixed;
  properties.staticBytes = bytes;
  addBuffer(builder, state, space);
}

void ArenaOp::build(OpBuilder &builder, OperationState &state,
                    Placement placement, Value bytes) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.placement = placement;
  properties.staticBytes = ShapedType::kDynamic;
  state.addOperands(bytes);
  addBuffer(builder, state, space);
}

LogicalResult ArenaOp::verify() {
  if (!getBytes() && getStaticBytes() < 0)
    return emitOpError("expects a size that is not negative, got ")
           << getStaticBytes();
  if (getPlacement() == Placement::Fixed && getBytes())
    return emitOpError("expects a static size for placement fixed");
  if (getOffset() && getPlacement() != Placement::Fixed)
    return emitOpError("expects an offset only for placement fixed");
  if (getOffset() && static_cast<int64_t>(*getOffset()) < 0)
    return emitOpError("expects an offset that is not negative");
  return success();
}

//===----------------------------------------------------------------------===//
// WeightOp, ConstantOp, VariableOp
//===----------------------------------------------------------------------===//

void WeightOp::build(OpBuilder &builder, OperationState &state,
                     FlatSymbolRefAttr symbol, int64_t bytes) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.symbol = symbol;
  properties.bytes = bytes;
  addBuffer(builder, state, space);
}

LogicalResult WeightOp::verify() {
  if (getBytes() < 0)
    return emitOpError("expects a size that is not negative, got ")
           << getBytes();
  return success();
}

void ConstantOp::build(OpBuilder &builder, OperationState &state,
                       ElementsAttr value) {
  state.getOrAddProperties<Properties>().value = value;
  addBuffer(builder, state, space);
}

void VariableOp::build(OpBuilder &builder, OperationState &state,
                       StringAttr name, ViewType type,
                       FlatSymbolRefAttr initial) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.name = name;
  properties.variableType = TypeAttr::get(type);
  properties.initial = initial;
  addBuffer(builder, state, space);
}

LogicalResult VariableOp::verify() {
  if (!getVariableType().hasStaticShape())
    return emitOpError("expects static sizes, got ") << getVariableType();
  return verifyDense(*this, getVariableType());
}

//===----------------------------------------------------------------------===//
// ViewOp
//===----------------------------------------------------------------------===//

void ViewOp::build(OpBuilder &builder, OperationState &state, ViewType type,
                   Value buffer, OpFoldResult offset, ValueRange sizes,
                   ValueRange strides) {
  std::optional<int64_t> integer = getConstantIntValue(offset);
  SmallVector<Value> dynamicOffset;
  if (!integer)
    dynamicOffset.push_back(cast<Value>(offset));
  build(builder, state, type, buffer, integer ? Value() : dynamicOffset.front(),
        integer.value_or(ShapedType::kDynamic), sizes, strides);
}

LogicalResult ViewOp::verify() {
  ViewType type = getView().getType();
  int64_t dynamicSizes = type.getNumDynamicDims();
  if (dynamicSizes != static_cast<int64_t>(getSizes().size()))
    return emitOpError("expects ") << dynamicSizes << " sizes for " << type
                                   << ", got " << getSizes().size();
  int64_t dynamicStrides = llvm::count(type.getStrides(), ShapedType::kDynamic);
  if (dynamicStrides != static_cast<int64_t>(getStrides().size()))
    return emitOpError("expects ") << dynamicStrides << " strides for " << type
                                   << ", got " << getStrides().size();
  std::optional<ViewType::Extent> extent = type.getStaticExtent();
  std::optional<int64_t> bytes = plan::getStaticBytes(getBuffer());
  if (getOffset() || !extent || !bytes)
    return success();
  int64_t begin = getStaticOffset() - extent->before;
  if (begin < 0 || begin > *bytes || extent->bytes > *bytes - begin)
    return emitOpError("expects to lie inside its buffer of ")
           << *bytes << " bytes, got bytes [" << begin << ", "
           << begin + extent->bytes << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// AllocateOp, FreeOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyDataPlacement(Operation *op, Value buffer) {
  auto arena = buffer.getDefiningOp<ArenaOp>();
  if (!arena || arena.getPlacement() != Placement::Data)
    return op->emitOpError("expects an arena buffer of placement data");
  return success();
}

LogicalResult AllocateOp::verify() {
  return verifyDataPlacement(*this, getBuffer());
}

void AllocateOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult FreeOp::verify() {
  return verifyDataPlacement(*this, getBuffer());
}

void FreeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}
