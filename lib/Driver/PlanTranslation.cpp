// From the plan dialect to the structs that the runtime reads.
// SPDX-License-Identifier: Apache-2.0
#include "PlanTranslation.h"
#include "PlanScalars.h"
#include "SourceNames.h"
#include "atc/Dialect/Plan/IR/Plan.h"
#include "atc/Support/KernelAbi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::atc;
using ::atc::PlanInt;

std::optional<::atc::ElementType> mlir::atc::getElementType(Type type) {
  using ::atc::ElementType;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return ElementType::BOOL;
    case 4:
      return isUnsigned ? ElementType::U4 : ElementType::I4;
    case 8:
      return isUnsigned ? ElementType::U8 : ElementType::I8;
    case 16:
      return isUnsigned ? ElementType::U16 : ElementType::I16;
    case 32:
      return isUnsigned ? ElementType::U32 : ElementType::I32;
    case 64:
      return isUnsigned ? ElementType::U64 : ElementType::I64;
    default:
      return std::nullopt;
    }
  }
  return TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float64Type) { return ElementType::F64; })
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3FN; })
      .Case([](Float8E4M3FNUZType) { return ElementType::F8E4M3FNUZ; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Case([](Float8E5M2FNUZType) { return ElementType::F8E5M2FNUZ; })
      .Case([](Float4E2M1FNType) { return ElementType::F4E2M1; })
      .Case([](graph::StringType) { return ElementType::STRING; })
      .Case([](ComplexType complex) -> std::optional<ElementType> {
        if (complex.getElementType().isF32())
          return ElementType::C64;
        if (complex.getElementType().isF64())
          return ElementType::C128;
        return std::nullopt;
      })
      .Default(std::nullopt);
}

namespace {

/// Builds the tables of a plan while it walks the program in order.
class PlanTranslator {
public:
  PlanTranslator(plan::ProgramOp program, const WeightLayout &weights,
                 ArrayRef<CodeImage> images)
      : program(program), weights(weights), images(images),
        scalars(plan.registerCount) {}

  LogicalResult translate();

  ::atc::Plan plan;

private:
  LogicalResult translateBlock(Block &block);
  LogicalResult translateOp(Operation *op);

  // Buffers and views.
  LogicalResult addBuffer(Operation *op, Value result,
                          ::atc::PlanBuffer buffer);
  template <typename PortOp>
  LogicalResult addPort(PortOp port, ::atc::BufferSpace space,
                        std::vector<::atc::PlanPort> &ports);
  LogicalResult addConstant(Operation *op, Value result, Attribute constant);
  LogicalResult addArena(plan::ArenaOp arena);
  LogicalResult addVariable(plan::VariableOp variable);
  FailureOr<uint32_t> addView(Operation *op, uint32_t buffer,
                              plan::ViewType type, PlanInt offset,
                              ValueRange sizes, ValueRange strides);
  LogicalResult addView(plan::ViewOp view);
  LogicalResult addDim(plan::DimOp dim);
  uint32_t addLayout(graph::LayoutAttr layout);

  // Instructions.
  template <typename InstructionT>
  void append(Operation *op, InstructionT instruction);
  /// The view's index; extends the life of its buffer to the next instruction.
  uint32_t useView(Value view);
  void useBuffer(uint32_t buffer);
  std::vector<::atc::PlanOperand> getOperands(ValueRange views,
                                              ArrayRef<int32_t> accesses);
  std::vector<PlanInt> getScalars(ValueRange values);
  LogicalResult addLaunch(plan::LaunchOp launch);
  FailureOr<uint32_t> getKernel(plan::LaunchOp launch);
  LogicalResult addHostCall(plan::HostCallOp call);
  LogicalResult addScalar(Operation *op);
  LogicalResult addIf(scf::IfOp ifOp);
  LogicalResult addWhile(scf::WhileOp whileOp);
  /// Sets registers at once, as if all sources were read first.
  void moveScalars(Operation *op, ValueRange sources, ValueRange targets);

  plan::ProgramOp program;
  const WeightLayout &weights;
  ArrayRef<CodeImage> images;
  PlanScalars scalars;
  DenseMap<Value, uint32_t> buffers, views;
  DenseMap<Attribute, uint32_t> layouts, kernels, hostOps, symbols;
  /// The first instruction of each loop that is open, and how many buffers
  /// existed before it.
  struct OpenLoop {
    uint32_t begin;
    size_t bufferCount;
  };
  SmallVector<OpenLoop> loops;
  llvm::BitVector isUsed;
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers and views
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

template <typename InstructionT>
void PlanTranslator::append(Operation *op, InstructionT instruction) {
  plan.body.push_back({std::move(instruction), joinSourceNames(op->getLoc())});
}

void PlanTranslator::useBuffer(uint32_t index) {
  ::atc::PlanBuffer &buffer = plan.buffers[index];
  if (buffer.space != ::atc::BufferSpace::Arena)
    return;
  // A buffer from outside a loop lives from the loop's begin; its end is set
  // when the loop is closed.
  uint32_t now = plan.body.size();
  for (const OpenLoop &loop : loops)
    if (index < loop.bufferCount) {
      now = loop.begin;
      break;
    }
  buffer.firstUse = isUsed[index] ? std::min(buffer.firstUse, now) : now;
  buffer.lastUse = std::max<uint32_t>(buffer.lastUse, plan.body.size());
  isUsed.set(index);
}

uint32_t PlanTranslator::useView(Value view) {
  uint32_t index = views.lookup(view);
  useBuffer(plan.views[index].buffer);
  return index;
}

std::vector<::atc::PlanOperand>
PlanTranslator::getOperands(ValueRange views, ArrayRef<int32_t> accesses) {
  std::vector<::atc::PlanOperand> operands;
  for (auto [view, access] : llvm::zip_equal(views, accesses))
    operands.push_back({useView(view), static_cast<::atc::Access>(access)});
  return operands;
}

std::vector<PlanInt> PlanTranslator::getScalars(ValueRange values) {
  std::vector<PlanInt> result;
  for (Value value : values)
    result.push_back(scalars.get(value));
  return result;
}

FailureOr<uint32_t> PlanTranslator::getKernel(plan::LaunchOp launch) {
  auto [it, isNew] =
      kernels.try_emplace(launch.getKernelAttr(), plan.kernels.size());
  uint32_t index = it->second;
  StringRef name = launch.getKernel();
  if (isNew) {
    ::atc::PlanKernel kernel;
    kernel.name = name.str();
    kernel.bufferCount = launch.getViews().size();
    kernel.scalarCount = launch.getScalars().size();
    SmallVector<SourceNode> nodes = getSourceNodes(launch.getLoc());
    for (const SourceNode &node : nodes)
      if (!node.opType.empty() && kernel.opType.empty())
        kernel.opType = node.opType.str();
    plan.kernels.push_back(std::move(kernel));
  }
  ::atc::PlanKernel &kernel = plan.kernels[index];
  for (uint32_t number = kernel.launches.size(); number <= launch.getLaunch();
       ++number) {
    std::string entryName =
        number == 0 ? name.str() : (name + "." + Twine(number)).str();
    ::atc::PlanKernel::Launch entry;
    for (const CodeImage &image : images) {
      auto found = image.entries.find(entryName);
      if (found == image.entries.end())
        return launch.emitOpError("expects code for '") << entryName << "'";
      entry.entries.push_back(found->second);
    }
    kernel.launches.push_back(std::move(entry));
  }
  return index;
}

LogicalResult PlanTranslator::addLaunch(plan::LaunchOp launch) {
  FailureOr<uint32_t> kernel = getKernel(launch);
  if (failed(kernel))
    return failure();
  ::atc::LaunchInstruction instruction;
  instruction.kernel = *kernel;
  instruction.launch = launch.getLaunch();
  instruction.operands = getOperands(launch.getViews(), launch.getAccesses());
  instruction.scalars = getScalars(launch.getScalars());
  instruction.tileCount = launch.getTiles() ? scalars.get(launch.getTiles())
                                            : PlanInt(launch.getStaticTiles());
  instruction.scratchBytes = launch.getScratch()
                                 ? scalars.get(launch.getScratch())
                                 : PlanInt(launch.getStaticScratch());
  instruction.flops = launch.getFlops();
  instruction.bytes = launch.getTraffic();
  append(launch, std::move(instruction));
  return success();
}

LogicalResult PlanTranslator::addHostCall(plan::HostCallOp call) {
  auto [it, isNew] =
      hostOps.try_emplace(call.getCalleeAttr(), plan.hostOps.size());
  if (isNew)
    plan.hostOps.push_back(call.getCallee().str());
  ::atc::HostCallInstruction instruction;
  instruction.hostOp = it->second;
  instruction.operands = getOperands(call.getViews(), call.getAccesses());
  instruction.scalars = getScalars(call.getScalars());
  for (Value result : call.getScalarResults())
    instruction.results.push_back(scalars.defineRegister(result));
  if (DictionaryAttr parameters = call.getParametersAttr();
      parameters && !parameters.empty())
    return call.emitOpError("has parameters, which host operators do not take "
                            "yet");
  append(call, std::move(instruction));
  return success();
}

LogicalResult PlanTranslator::addScalar(Operation *op) {
  bool isEarly = op->getParentOp() == program && scalars.areKnownEarly(op);
  FailureOr<SmallVector<::atc::ScalarInstruction>> instructions =
      scalars.translate(op, isEarly);
  if (failed(instructions))
    return failure();
  auto &list = isEarly ? plan.prologue : plan.body;
  for (const ::atc::ScalarInstruction &instruction : *instructions)
    list.push_back({instruction, std::string()});
  return success();
}

void PlanTranslator::moveScalars(Operation *op, ValueRange sources,
                                 ValueRange targets) {
  // Through temporaries where a source may be overwritten before it is read.
  std::vector<PlanInt> values = getScalars(sources);
  if (values.size() > 1)
    for (PlanInt &value : values) {
      ::atc::ScalarInstruction move;
      move.result = plan.registerCount++;
      move.a = value;
      value = PlanInt::reg(move.result);
      append(op, move);
    }
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    ::atc::ScalarInstruction move;
    move.result = scalars.get(target).registerIndex();
    move.a = value;
    append(op, move);
  }
}

LogicalResult PlanTranslator::addIf(scf::IfOp ifOp) {
  for (Value result : ifOp.getResults())
    scalars.defineRegister(result);
  append(ifOp, ::atc::IfInstruction{scalars.get(ifOp.getCondition())});
  if (failed(translateBlock(ifOp.getThenRegion().front())))
    return failure();
  moveScalars(ifOp, ifOp.thenYield().getResults(), ifOp.getResults());
  if (!ifOp.getElseRegion().empty()) {
    append(ifOp, ::atc::ElseInstruction{});
    if (failed(translateBlock(ifOp.getElseRegion().front())))
      return failure();
    moveScalars(ifOp, ifOp.elseYield().getResults(), ifOp.getResults());
  }
  append(ifOp, ::atc::EndIfInstruction{});
  return success();
}

LogicalResult PlanTranslator::addWhile(scf::WhileOp whileOp) {
  Block &before = whileOp.getBefore().front();
  Block &after = whileOp.getAfter().front();
  for (Value argument : before.getArguments())
    scalars.defineRegister(argument);
  for (auto [argument, result] :
       llvm::zip_equal(after.getArguments(), whileOp.getResults())) {
    uint32_t index = scalars.defineRegister(argument);
    scalars.define(result, PlanInt::reg(index), /*isKnownEarly=*/false);
  }
  moveScalars(whileOp, whileOp.getInits(), before.getArguments());
  loops.push_back(
      {static_cast<uint32_t>(plan.body.size()), plan.buffers.size()});
  append(whileOp, ::atc::LoopInstruction{});
  if (failed(translateBlock(before)))
    return failure();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  moveScalars(whileOp, condition.getArgs(), after.getArguments());
  append(whileOp,
         ::atc::LoopTestInstruction{scalars.get(condition.getCondition())});
  if (failed(translateBlock(after)))
    return failure();
  moveScalars(whileOp, after.getTerminator()->getOperands(),
              before.getArguments());
  OpenLoop loop = loops.pop_back_val();
  for (size_t i = 0; i < loop.bufferCount; ++i)
    if (isUsed[i] && plan.buffers[i].lastUse >= loop.begin)
      plan.buffers[i].lastUse = plan.body.size();
  append(whileOp, ::atc::EndLoopInstruction{});
  return success();
}

LogicalResult PlanTranslator::translateOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](plan::InputOp port) {
        return addPort(port, ::atc::BufferSpace::Input, plan.inputs);
      })
      .Case([&](plan::OutputOp port) {
        return addPort(port, ::atc::BufferSpace::Output, plan.outputs);
      })
      .Case([&](plan::WeightOp weight) {
        return addConstant(op, weight.getBuffer(), weight.getSymbolAttr());
      })
      .Case([&](plan::ConstantOp constant) {
        return addConstant(op, constant.getBuffer(), constant.getValueAttr());
      })
      .Case([&](plan::ArenaOp arena) { return addArena(arena); })
      .Case([&](plan::VariableOp variable) { return addVariable(variable); })
      .Case([&](plan::ViewOp view) { return addView(view); })
      .Case([&](plan::DimOp dim) { return addDim(dim); })
      .Case([&](plan::LaunchOp launch) { return addLaunch(launch); })
      .Case([&](plan::HostCallOp call) { return addHostCall(call); })
      .Case([&](plan::CopyOp copy) {
        append(op, ::atc::CopyInstruction{useView(copy.getSource()),
                                          useView(copy.getDestination())});
        return success();
      })
      .Case([&](plan::FillOp fill) {
        append(op, ::atc::FillInstruction{
                       useView(fill.getView()),
                       static_cast<uint64_t>(fill.getPattern())});
        return success();
      })
      .Case([&](plan::ZeroHaloOp zero) {
        ::atc::ZeroHaloInstruction instruction;
        instruction.view = useView(zero.getView());
        instruction.low.assign(zero.getLow().begin(), zero.getLow().end());
        instruction.high.assign(zero.getHigh().begin(), zero.getHigh().end());
        append(op, std::move(instruction));
        return success();
      })
      .Case([&](plan::LoadScalarOp load) {
        ::atc::LoadScalarInstruction instruction;
        instruction.view = useView(load.getView());
        instruction.index = getScalars(load.getIndices());
        instruction.result = scalars.defineRegister(load.getValue());
        append(op, std::move(instruction));
        return success();
      })
      .Case([&](plan::StoreScalarOp store) {
        ::atc::StoreScalarInstruction instruction;
        instruction.view = useView(store.getView());
        instruction.index = getScalars(store.getIndices());
        instruction.value = scalars.get(store.getValue());
        append(op, std::move(instruction));
        return success();
      })
      .Case([&](plan::CheckOp check) {
        bool isEarly =
            op->getParentOp() == program && scalars.areKnownEarly(op);
        (isEarly ? plan.prologue : plan.body)
            .push_back(
                {::atc::CheckInstruction{scalars.get(check.getCondition()),
                                         check.getMessage().str()},
                 joinSourceNames(op->getLoc())});
        return success();
      })
      .Case([&](plan::AllocateOp allocate) {
        append(op, ::atc::AllocateInstruction{
                       buffers.lookup(allocate.getBuffer())});
        return success();
      })
      .Case([&](plan::FreeOp free) {
        append(op, ::atc::FreeInstruction{buffers.lookup(free.getBuffer())});
        return success();
      })
      .Case([&](scf::IfOp ifOp) { return addIf(ifOp); })
      .Case([&](scf::WhileOp whileOp) { return addWhile(whileOp); })
      // Their operands are moved by the op around them.
      .Case<scf::YieldOp, scf::ConditionOp>([](auto) { return success(); })
      .Default([&](Operation *scalar) { return addScalar(scalar); });
}

LogicalResult PlanTranslator::translateBlock(Block &block) {
  for (Operation &op : block)
    if (failed(translateOp(&op)))
      return failure();
  return success();
}

LogicalResult PlanTranslator::translate() {
  plan.arenaBytes = program.getArenaBytes().value_or(0);
  plan.arenaLowerBound = program.getLowerBound().value_or(0);
  return translateBlock(program.getBody().front());
}

FailureOr<::atc::Plan>
mlir::atc::translatePlan(plan::ProgramOp program, const WeightLayout &weights,
                         const Target &target, ArrayRef<CodeImage> images,
                         ArrayRef<uint64_t> imageOffsets) {
  PlanTranslator translator(program, weights, images);
  if (failed(translator.translate()))
    return failure();
  ::atc::Plan &plan = translator.plan;
  plan.targetKind = target.getKind();
  plan.targetName = target.getName().str();
  if (plan.targetKind == ::atc::TargetKind::Cpu)
    plan.importCount = sizeof(atc_kernel_imports) / sizeof(void *);
  for (auto [image, offset] : llvm::zip_equal(images, imageOffsets))
    plan.codeImages.push_back(
        {image.level, image.features, offset, image.bytes.size()});
  return std::move(plan);
}
