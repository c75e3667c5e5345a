// Buffers, ports and views of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "PlanTranslator.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::PlanInt;

LogicalResult PlanTranslator::addBuffer(Operation *op, Value result,
                                        ::atc::PlanBuffer buffer) {
  buffers[result] = plan.buffers.size();
  plan.buffers.push_back(buffer);
  isUsed.push_back(false);
  return success();
}

template <typename PortOp>
LogicalResult PlanTranslator::addPort(PortOp port, ::atc::BufferSpace space,
                                      std::vector<::atc::PlanPort> &ports) {
  ::atc::PlanBuffer buffer;
  buffer.space = space;
  buffer.port = ports.size();
  std::optional<int64_t> bytes = plan::getStaticBytes(port.getBuffer());
  if (!bytes)
    return port.emitOpError("expects static sizes");
  buffer.bytes = *bytes;
  if (failed(addBuffer(port, port.getBuffer(), buffer)))
    return failure();
  FailureOr<uint32_t> view =
      addView(port, buffers[port.getBuffer()], port.getPortType(), 0, {}, {});
  if (failed(view))
    return failure();
  plan.views[*view].name = port.getName().str();
  ports.push_back({port.getName().str(), ::atc::ValueKind::View, *view});
  return success();
}

LogicalResult PlanTranslator::addInput(plan::InputOp port) {
  return addPort(port, ::atc::BufferSpace::Input, plan.inputs);
}

LogicalResult PlanTranslator::addOutput(plan::OutputOp port) {
  return addPort(port, ::atc::BufferSpace::Output, plan.outputs);
}

LogicalResult PlanTranslator::addConstant(Operation *op, Value result,
                                          Attribute constant) {
  ::atc::PlanBuffer buffer;
  buffer.space = ::atc::BufferSpace::Weights;
  buffer.offset = weights.getOffset(constant);
  if (auto value = dyn_cast<ElementsAttr>(constant))
    buffer.bytes = static_cast<int64_t>(getElementBytes(value).size());
  else
    buffer.bytes = plan::getStaticBytes(result).value_or(0);
  return addBuffer(op, result, buffer);
}

LogicalResult PlanTranslator::addArena(plan::ArenaOp arena) {
  ::atc::PlanBuffer buffer;
  buffer.space = ::atc::BufferSpace::Arena;
  switch (arena.getPlacement()) {
  case plan::Placement::Fixed:
    if (!arena.getOffset())
      return arena.emitOpError("has no offset; run atc-place-buffers first");
    buffer.offset = *arena.getOffset();
    buffer.bytes = arena.getStaticBytes();
    break;
  case plan::Placement::Shape:
  case plan::Placement::Data:
    buffer.placement = arena.getPlacement() == plan::Placement::Shape
                           ? ::atc::Placement::Shape
                           : ::atc::Placement::Data;
    buffer.bytes = arena.getBytes() ? scalars.get(arena.getBytes())
                                    : PlanInt(arena.getStaticBytes());
    break;
  }
  return addBuffer(arena, arena.getBuffer(), buffer);
}

LogicalResult PlanTranslator::addVariable(plan::VariableOp variable) {
  ::atc::PlanBuffer buffer;
  buffer.space = ::atc::BufferSpace::Variable;
  buffer.offset = llvm::alignTo(plan.variableBytes, WeightLayout::alignment);
  int64_t bytes = plan::getStaticBytes(variable.getBuffer()).value_or(0);
  buffer.bytes = bytes;
  plan.variableBytes = buffer.offset + bytes;
  if (failed(addBuffer(variable, variable.getBuffer(), buffer)))
    return failure();
  FailureOr<uint32_t> view = addView(variable, buffers[variable.getBuffer()],
                                     variable.getVariableType(), 0, {}, {});
  if (failed(view))
    return failure();
  ::atc::PlanVariable entry{variable.getName().str(), *view, ::atc::noIndex};
  if (FlatSymbolRefAttr initial = variable.getInitialAttr()) {
    ::atc::PlanBuffer constant;
    constant.space = ::atc::BufferSpace::Weights;
    constant.offset = weights.getOffset(initial);
    constant.bytes = bytes;
    entry.initial = plan.buffers.size();
    plan.buffers.push_back(constant);
    isUsed.push_back(false);
  }
  plan.variables.push_back(entry);
  return success();
}

uint32_t PlanTranslator::addLayout(graph::LayoutAttr layout) {
  auto [it, isNew] = layouts.try_emplace(layout, plan.layouts.size());
  if (isNew)
    plan.layouts.push_back(layout.getPhysical());
  return it->second;
}

FailureOr<uint32_t> PlanTranslator::addView(Operation *op, uint32_t buffer,
                                            plan::ViewType type, PlanInt offset,
                                            ValueRange sizes,
                                            ValueRange strides) {
  ::atc::PlanView view;
  std::optional<::atc::ElementType> elementType =
      getElementType(type.getElementType());
  if (!elementType)
    return op->emitOpError("expects elements that a buffer holds, got ")
           << type.getElementType();
  view.buffer = buffer;
  view.byteOffset = offset;
  view.elementType = *elementType;
  if (type.isTiled())
    view.layout = addLayout(type.getLayout());
  SmallVector<int64_t> staticStrides =
      type.isTiled() ? SmallVector<int64_t>(type.getRank(), 0)
                     : type.getExplicitStrides();
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), staticStrides)) {
    ::atc::PlanView::Dim dim{size, stride};
    if (ShapedType::isDynamic(size)) {
      dim.size = scalars.get(sizes.front());
      sizes = sizes.drop_front();
    }
    if (ShapedType::isDynamic(stride)) {
      if (strides.empty())
        return op->emitOpError("expects all strides of ") << type;
      dim.stride = scalars.get(strides.front());
      strides = strides.drop_front();
    }
    view.dims.push_back(dim);
  }
  plan.views.push_back(std::move(view));
  return static_cast<uint32_t>(plan.views.size() - 1);
}

LogicalResult PlanTranslator::addView(plan::ViewOp view) {
  PlanInt offset = view.getOffset() ? scalars.get(view.getOffset())
                                    : PlanInt(view.getStaticOffset());
  FailureOr<uint32_t> index =
      addView(view, buffers.lookup(view.getBuffer()), view.getView().getType(),
              offset, view.getSizes(), view.getStrides());
  if (failed(index))
    return failure();
  views[view.getView()] = *index;
  return success();
}

LogicalResult PlanTranslator::addDim(plan::DimOp dim) {
  ::atc::PlanSymbol symbol;
  symbol.port = dim.getPort().getDefiningOp<plan::InputOp>().getIndex();
  symbol.dim = dim.getAxis();
  symbol.min = dim.getMin();
  symbol.max = dim.getMax();
  symbol.name = dim.getName().str();
  // One register per symbol of the model: the runtime demands equal sizes.
  auto [it, isNew] = symbols.try_emplace(dim.getNameAttr(), plan.registerCount);
  if (isNew)
    ++plan.registerCount;
  symbol.registerIndex = it->second;
  scalars.define(dim.getSize(), PlanInt::reg(it->second),
                 /*isKnownEarly=*/true);
  plan.symbols.push_back(symbol);
  return success();
}
