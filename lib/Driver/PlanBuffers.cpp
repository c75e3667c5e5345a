// Buffers, ports and views of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "PlanTranslator.h"
#include "atc/Support/CheckedMath.h"

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

PlanInt PlanTranslator::multiply(PlanInt lhs, PlanInt rhs) {
  if (lhs == PlanInt(1) || rhs == PlanInt(1))
    return lhs == PlanInt(1) ? rhs : lhs;
  if (lhs.isStatic() && rhs.isStatic())
    // Views of ports bound the products of static sizes.
    return ::atc::checkedMultiply(lhs.value(), rhs.value())
        .value_or(PlanInt::maxStatic);
  ::atc::ScalarInstruction product;
  product.op = ::atc::ScalarOp::Multiply;
  product.result = plan.registerCount++;
  product.a = lhs;
  product.b = rhs;
  plan.prologue.push_back({product, std::string()});
  return PlanInt::reg(product.result);
}

template <typename PortOp>
LogicalResult PlanTranslator::addPort(PortOp port, ArrayRef<PlanInt> sizes,
                                      ::atc::BufferSpace space,
                                      std::vector<::atc::PlanPort> &ports) {
  plan::ViewType type = port.getPortType();
  ::atc::PlanBuffer buffer;
  buffer.space = space;
  buffer.port = ports.size();
  std::vector<::atc::PlanView::Dim> dims;
  for (int64_t size : type.getShape()) {
    bool isOpen = ShapedType::isDynamic(size);
    dims.push_back({isOpen ? sizes.front() : PlanInt(size), PlanInt(1)});
    sizes = sizes.drop_front(isOpen);
  }
  std::optional<int64_t> bytes = plan::getStaticBytes(port.getBuffer());
  std::optional<int64_t> elementBytes =
      plan::getElementBytes(type.getElementType());
  if (type.hasStaticShape() ? !bytes : !elementBytes)
    return port.emitOpError("expects elements whose bytes are known, got ")
           << type;
  PlanInt stride = 1;
  for (::atc::PlanView::Dim &dim : llvm::reverse(dims)) {
    dim.stride = stride;
    stride = multiply(stride, dim.size);
  }
  buffer.bytes = bytes ? PlanInt(*bytes) : multiply(stride, *elementBytes);
  if (!bytes)
    buffer.placement = ::atc::Placement::Shape;
  if (failed(addBuffer(port, port.getBuffer(), buffer)))
    return failure();
  FailureOr<uint32_t> view =
      addView(port, buffers[port.getBuffer()], type, 0, std::move(dims));
  if (failed(view))
    return failure();
  plan.views[*view].name = port.getName().str();
  ports.push_back({port.getName().str(), ::atc::ValueKind::View, *view});
  return success();
}

FailureOr<SmallVector<PlanInt>>
PlanTranslator::getOpenDims(plan::InputOp port) {
  plan::ViewType type = port.getPortType();
  SmallVector<plan::DimOp> dims(type.getRank());
  for (Operation *user : port.getBuffer().getUsers())
    if (auto dim = dyn_cast<plan::DimOp>(user)) {
      if (dims[dim.getAxis()])
        return dim.emitOpError("expects to be the only one of its axis");
      dims[dim.getAxis()] = dim;
    }
  SmallVector<PlanInt> registers;
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    if (!type.isDynamicDim(axis))
      continue;
    if (!dim)
      return port.emitOpError("expects a plan.dim for axis ") << axis;
    ::atc::PlanSymbol symbol;
    symbol.port = port.getIndex();
    symbol.dim = axis;
    symbol.min = dim.getMin();
    symbol.max = dim.getMax();
    symbol.name = dim.getName().str();
    // One register per symbol of the model: the runtime demands equal sizes.
    symbol.registerIndex = plan.registerCount;
    if (!dim.getName().empty())
      symbol.registerIndex =
          symbols.try_emplace(dim.getNameAttr(), plan.registerCount)
              .first->second;
    plan.registerCount += symbol.registerIndex == plan.registerCount;
    registers.push_back(PlanInt::reg(symbol.registerIndex));
    scalars.define(dim.getSize(), registers.back(), /*isKnownEarly=*/true);
    plan.symbols.push_back(symbol);
  }
  return registers;
}

LogicalResult PlanTranslator::addInput(plan::InputOp port) {
  FailureOr<SmallVector<PlanInt>> sizes = getOpenDims(port);
  if (failed(sizes))
    return failure();
  return addPort(port, *sizes, ::atc::BufferSpace::Input, plan.inputs);
}

LogicalResult PlanTranslator::addOutput(plan::OutputOp port) {
  SmallVector<PlanInt> sizes;
  for (Value size : port.getSizes()) {
    if (!scalars.isKnownEarly(size))
      return port.emitOpError("expects sizes that follow from input dims");
    sizes.push_back(scalars.get(size));
  }
  return addPort(port, sizes, ::atc::BufferSpace::Output, plan.outputs);
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
  plan::ViewType type = variable.getVariableType();
  std::vector<::atc::PlanView::Dim> dims;
  for (auto [size, stride] :
       llvm::zip_equal(type.getShape(), type.getExplicitStrides()))
    dims.push_back({size, stride});
  FailureOr<uint32_t> view = addView(variable, buffers[variable.getBuffer()],
                                     type, 0, std::move(dims));
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

FailureOr<uint32_t>
PlanTranslator::addView(Operation *op, uint32_t buffer, plan::ViewType type,
                        PlanInt offset,
                        std::vector<::atc::PlanView::Dim> dims) {
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
  view.dims = std::move(dims);
  plan.views.push_back(std::move(view));
  return static_cast<uint32_t>(plan.views.size() - 1);
}

LogicalResult PlanTranslator::addView(plan::ViewOp view) {
  plan::ViewType type = view.getView().getType();
  PlanInt offset = view.getOffset() ? scalars.get(view.getOffset())
                                    : PlanInt(view.getStaticOffset());
  ValueRange sizes = view.getSizes(), strides = view.getStrides();
  SmallVector<int64_t> staticStrides =
      type.isTiled() ? SmallVector<int64_t>(type.getRank(), 0)
                     : type.getExplicitStrides();
  std::vector<::atc::PlanView::Dim> dims;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), staticStrides)) {
    ::atc::PlanView::Dim dim{size, stride};
    if (ShapedType::isDynamic(size)) {
      dim.size = scalars.get(sizes.front());
      sizes = sizes.drop_front();
    }
    if (ShapedType::isDynamic(stride)) {
      if (strides.empty())
        return view.emitOpError("expects all strides of ") << type;
      dim.stride = scalars.get(strides.front());
      strides = strides.drop_front();
    }
    dims.push_back(dim);
  }
  FailureOr<uint32_t> index = addView(view, buffers.lookup(view.getBuffer()),
                                      type, offset, std::move(dims));
  if (failed(index))
    return failure();
  views[view.getView()] = *index;
  return success();
}
