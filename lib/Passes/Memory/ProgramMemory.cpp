// What the instructions of a program name: ports, sizes, buffers, views.
// SPDX-License-Identifier: Apache-2.0
#include "ProgramMemory.h"
#include "atc/Target/TensorLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::atc;

ProgramMemory::ProgramMemory(func::FuncOp function,
                             StorageAssignment &assignment, OpBuilder &builder)
    : function(function), assignment(assignment), builder(builder),
      scalarBuilder(function.getContext()),
      sizes(scalarBuilder, function.getLoc(),
            [this](unsigned argument, unsigned axis) {
              return dims.lookup({argument, axis});
            }) {}

LogicalResult ProgramMemory::begin() {
  createInputs();
  scalarBuilder.restoreInsertionPoint(builder.saveInsertionPoint());
  for (Operation &op : function.front())
    if (isScalarOp(&op) && failed(cloneScalar(op)))
      return failure();
  builder.restoreInsertionPoint(scalarBuilder.saveInsertionPoint());
  createOutputs();
  return success();
}

void ProgramMemory::finish(plan::ProgramOp program) {
  // Expressions may hold values that the function computes.
  program.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (Value clone = scalars.lookupOrNull(use.get()))
        use.set(clone);
  });
}

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

/// The name that the model gives to a port.
static StringAttr getPortName(OpBuilder &builder, StringAttr given,
                              StringRef kind, unsigned index) {
  return given ? given : builder.getStringAttr(kind + Twine(index));
}

/// The port of a tensor with a layout is its buffer: the physical dims. Only
/// constants of recipes have one, and these are static.
static plan::ViewType getPortType(const SizedTensor &tensor) {
  Type element = tensor.type.getElementType();
  if (!tensor.hasStaticShape())
    return plan::ViewType::get(tensor.type.getShape(), element);
  std::optional<std::vector<int64_t>> shape =
      getLayout(tensor.type).physicalShape(tensor.getStaticSizes());
  return plan::ViewType::get(*shape, element);
}

/// One plan.dim for each open dim, named as the model does.
void ProgramMemory::createDims(plan::InputOp port, unsigned argument) {
  auto names = function.getArgAttrOfType<ArrayAttr>(
      argument, graph::GraphDialect::getDimsAttrName());
  plan::ViewType type = port.getPortType();
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    if (!type.isDynamicDim(axis))
      continue;
    StringAttr name =
        names ? cast<StringAttr>(names[axis]) : builder.getStringAttr("");
    dims[{argument, axis}] =
        plan::DimOp::create(builder, port.getLoc(), port.getBuffer(), axis,
                            name, /*min=*/0, graph::maxInputDim);
  }
}

void ProgramMemory::createInputs() {
  StringRef nameAttr = graph::GraphDialect::getNameAttrName();
  SmallVector<plan::InputOp> inputs;
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    inputs.push_back(plan::InputOp::create(
        builder, argument.getLoc(), index,
        getPortName(builder,
                    function.getArgAttrOfType<StringAttr>(index, nameAttr),
                    "input", index),
        getPortType(assignment.getTensor(argument))));
    buffers[assignment.getPlace(argument).storage] = inputs.back();
  }
  for (auto [index, input] : llvm::enumerate(inputs))
    createDims(input, index);
}

void ProgramMemory::createOutputs() {
  StringRef nameAttr = graph::GraphDialect::getNameAttrName();
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    const Storage &storage =
        assignment.getStorages()[assignment.getOutputPlace(index).storage];
    auto output = plan::OutputOp::create(
        builder, function.getLoc(), index,
        getPortName(builder,
                    function.getResultAttrOfType<StringAttr>(index, nameAttr),
                    "output", index),
        getPortType(storage.owner), getOpen(storage.owner.sizes));
    buffers[assignment.getOutputPlace(index).storage] = output;
    // Sizes stand before everything that has them.
    if (index == 0)
      scalarBuilder.setInsertionPoint(output);
  }
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

LogicalResult ProgramMemory::cloneScalar(Operation &op) {
  if (auto dim = dyn_cast<graph::DimOp>(op)) {
    scalars.map(dim.getResult(),
                sizes.buildValue(
                    assignment.getSizeContext().fromValue(dim.getResult())));
    return success();
  }
  if (auto check = dyn_cast<cf::AssertOp>(op)) {
    plan::CheckOp::create(scalarBuilder, op.getLoc(),
                          scalars.lookupOrDefault(check.getArg()),
                          check.getMsgAttr());
    return success();
  }
  for (Value operand : op.getOperands())
    if (!scalars.contains(operand))
      return op.emitOpError("expects scalars that follow from input dims");
  scalarBuilder.clone(op, scalars);
  return success();
}

SmallVector<Value> ProgramMemory::getOpen(ArrayRef<SizeExpr> expressions) {
  SmallVector<Value> values;
  for (SizeExpr expression : expressions)
    if (!expression.getConstant())
      values.push_back(sizes.buildValue(expression));
  return values;
}

//===----------------------------------------------------------------------===//
// Buffers and views, made where they are first needed
//===----------------------------------------------------------------------===//

Value ProgramMemory::getBuffer(unsigned index) {
  Value &buffer = buffers[index];
  if (buffer)
    return buffer;
  const Storage &storage = assignment.getStorages()[index];
  Location loc = function.getLoc();
  std::optional<int64_t> bytes = storage.bytes.getConstant();
  if (!bytes)
    return buffer = plan::ArenaOp::create(builder, loc, plan::Placement::Shape,
                                          sizes.buildValue(storage.bytes));
  if (!storage.constant)
    return buffer = plan::ArenaOp::create(builder, loc, *bytes);
  Value &constant = constants[storage.constant];
  if (!constant) {
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(storage.constant))
      constant = plan::WeightOp::create(builder, loc, symbol, *bytes);
    else
      constant = plan::ConstantOp::create(builder, loc,
                                          cast<ElementsAttr>(storage.constant));
  }
  return buffer = constant;
}

Value ProgramMemory::getView(const Place &place, const SizedTensor &tensor,
                             plan::ViewType type) {
  Value buffer = getBuffer(place.storage);
  OpFoldResult offset = sizes.build(place.offset);
  SmallVector<Value> openSizes = getOpen(tensor.sizes), openStrides;
  if (!type.getStrides().empty())
    openStrides = getOpen(place.strides);
  SmallVector<plan::ViewOp, 1> &known = views[{place.storage, type}];
  for (plan::ViewOp view : known) {
    OpFoldResult itsOffset = view.getOffset()
                                 ? OpFoldResult(view.getOffset())
                                 : builder.getIndexAttr(view.getStaticOffset());
    if (itsOffset == offset && llvm::equal(view.getSizes(), openSizes) &&
        llvm::equal(view.getStrides(), openStrides))
      return view;
  }
  known.push_back(plan::ViewOp::create(builder, function.getLoc(), type, buffer,
                                       offset, openSizes, openStrides));
  return known.back();
}

Value ProgramMemory::getWrittenView(const Place &place,
                                    const SizedTensor &tensor) {
  const Storage &storage = assignment.getStorages()[place.storage];
  const Place &own = storage.ownerPlace;
  if (written.insert(place.storage).second && own.hasHalo()) {
    SmallVector<int64_t> low, high;
    for (const Place::Halo &halo : own.halos) {
      low.push_back(halo.low);
      high.push_back(halo.high);
    }
    Value view =
        getView(own, storage.owner, getExactViewType(own, storage.owner));
    plan::ZeroHaloOp::create(builder, function.getLoc(), view, low, high);
  }
  return getView(place, tensor);
}
