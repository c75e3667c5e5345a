// Writes the plan of the main function.
// SPDX-License-Identifier: Apache-2.0
#include "KernelClones.h"
#include "OperationCount.h"
#include "StorageAssignment.h"
#include "atc/Passes/Memory/Passes.h"
#include "atc/Target/TensorLayout.h"

namespace mlir::atc {
#define GEN_PASS_DEF_BUILDPROGRAMPASS
#include "atc/Passes/Memory/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Equal up to the strides of dims of size one.
bool isSamePlace(const Place &lhs, const Place &rhs, ArrayRef<int64_t> shape) {
  if (lhs.storage != rhs.storage || lhs.offset != rhs.offset ||
      lhs.tiled != rhs.tiled)
    return false;
  if (lhs.isTiled())
    return true;
  return llvm::all_of(llvm::zip_equal(shape, lhs.strides, rhs.strides),
                      [](auto entry) {
                        auto [size, left, right] = entry;
                        return size <= 1 || left == right;
                      });
}

/// Emits the instructions of a function whose tensors have places.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, StorageAssignment &assignment,
                 KernelClones &clones)
      : function(function), assignment(assignment), clones(clones),
        builder(function.getContext()) {}

  FailureOr<plan::ProgramOp> build();

  unsigned numCopies = 0;

private:
  void createPorts(plan::ProgramOp program);
  Value getBuffer(unsigned storage);
  Value getView(const Place &place, RankedTensorType type);
  /// As getView, for writing: zeroes the storage's halo before its first use.
  Value getWrittenView(const Place &place, RankedTensorType type);
  void emitCopy(Location loc, const Place &from, const Place &to,
                RankedTensorType type, StringRef reason);

  LogicalResult emit(Operation &op);
  LogicalResult emitLaunch(graph::LaunchOp launch);
  LogicalResult emitHostCall(graph::HostCallOp call);
  LogicalResult emitConcat(graph::ConcatOp concat);
  LogicalResult emitView(Operation *op);
  LogicalResult emitReshapeCopy(graph::ReshapeOp reshape);
  void emitReturn(func::ReturnOp op);

  func::FuncOp function;
  StorageAssignment &assignment;
  KernelClones &clones;
  OpBuilder builder;
  DenseMap<unsigned, Value> buffers;
  DenseMap<Attribute, Value> constants;
  DenseMap<std::tuple<unsigned, int64_t, Type>, Value> views;
  DenseSet<unsigned> written;
};

FailureOr<plan::ProgramOp> ProgramBuilder::build() {
  builder.setInsertionPointAfter(function);
  auto program = plan::ProgramOp::create(builder, function.getLoc(),
                                         (function.getName() + ".plan").str());
  builder.setInsertionPointToStart(&program.getBody().front());
  createPorts(program);
  for (Operation &op : function.front())
    if (failed(emit(op)))
      return failure();
  return program;
}

/// The name that the model gives to a port.
static StringAttr getPortName(OpBuilder &builder, StringAttr given,
                              StringRef kind, unsigned index) {
  return given ? given : builder.getStringAttr(kind + Twine(index));
}

void ProgramBuilder::createPorts(plan::ProgramOp program) {
  StringRef nameAttr = graph::GraphDialect::getNameAttrName();
  // The port of a tensor with a layout is its buffer: the physical dims.
  auto createViewType = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    std::optional<std::vector<int64_t>> shape =
        getLayout(tensor).physicalShape(tensor.getShape().vec());
    return plan::ViewType::get(*shape, tensor.getElementType());
  };
  for (auto [index, argument] : llvm::enumerate(function.getArguments()))
    buffers[assignment.getPlace(argument).storage] = plan::InputOp::create(
        builder, argument.getLoc(), index,
        getPortName(builder,
                    function.getArgAttrOfType<StringAttr>(index, nameAttr),
                    "input", index),
        createViewType(argument.getType()));
  for (auto [index, type] :
       llvm::enumerate(function.getFunctionType().getResults()))
    buffers[assignment.getOutputPlace(index).storage] = plan::OutputOp::create(
        builder, function.getLoc(), index,
        getPortName(builder,
                    function.getResultAttrOfType<StringAttr>(index, nameAttr),
                    "output", index),
        createViewType(type));
}

//===----------------------------------------------------------------------===//
// Buffers and views, made where they are first needed
//===----------------------------------------------------------------------===//

Value ProgramBuilder::getBuffer(unsigned index) {
  Value &buffer = buffers[index];
  if (buffer)
    return buffer;
  const Storage &storage = assignment.getStorages()[index];
  Location loc = function.getLoc();
  if (!storage.constant)
    return buffer = plan::ArenaOp::create(builder, loc, storage.bytes);
  Value &constant = constants[storage.constant];
  if (!constant) {
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(storage.constant))
      constant = plan::WeightOp::create(builder, loc, symbol, storage.bytes);
    else
      constant = plan::ConstantOp::create(builder, loc,
                                          cast<ElementsAttr>(storage.constant));
  }
  return buffer = constant;
}

Value ProgramBuilder::getView(const Place &place, RankedTensorType type) {
  plan::ViewType viewType = getViewType(place, type);
  Value &view = views[{place.storage, place.offset, viewType}];
  if (!view) {
    Value buffer = getBuffer(place.storage);
    view = plan::ViewOp::create(builder, function.getLoc(), viewType, buffer,
                                builder.getIndexAttr(place.offset));
  }
  return view;
}

Value ProgramBuilder::getWrittenView(const Place &place,
                                     RankedTensorType type) {
  const Storage &storage = assignment.getStorages()[place.storage];
  if (written.insert(place.storage).second && storage.ownerPlace.hasHalo()) {
    SmallVector<int64_t> low, high;
    for (const Place::Halo &halo : storage.ownerPlace.halos) {
      low.push_back(halo.low);
      high.push_back(halo.high);
    }
    plan::ZeroHaloOp::create(builder, function.getLoc(),
                             getView(storage.ownerPlace, storage.ownerType),
                             low, high);
  }
  return getView(place, type);
}

void ProgramBuilder::emitCopy(Location loc, const Place &from, const Place &to,
                              RankedTensorType type, StringRef reason) {
  Value source = getView(from, type);
  Value destination = getWrittenView(to, type);
  plan::CopyOp::create(builder, loc, source, destination);
  ++numCopies;
  remark::missed(loc, remark::RemarkOpts::name("copy").category("plan"))
      << llvm::formatv("a copy of {0} bytes: {1}",
                       getStorageBytes(type).value_or(0), reason)
             .str();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

LogicalResult ProgramBuilder::emit(Operation &op) {
  if (auto launch = dyn_cast<graph::LaunchOp>(op))
    return emitLaunch(launch);
  if (auto call = dyn_cast<graph::HostCallOp>(op))
    return emitHostCall(call);
  if (isViewOp(&op))
    return emitView(&op);
  if (auto concat = dyn_cast<graph::ConcatOp>(op))
    return emitConcat(concat);
  if (auto relayout = dyn_cast<graph::RelayoutOp>(op))
    emitCopy(op.getLoc(), assignment.getPlace(relayout.getX()),
             assignment.getPlace(relayout.getResult()),
             tensorType(relayout.getResult()),
             "a layout change outside kernels");
  else if (auto returnOp = dyn_cast<func::ReturnOp>(op))
    emitReturn(returnOp);
  return success();
}

/// The strides to put on a kernel's operand or result; null for its own.
static DenseI64ArrayAttr getPitch(OpBuilder &builder, const Place &place,
                                  RankedTensorType type) {
  if (hasOwnStrides(place, type))
    return {};
  return builder.getDenseI64ArrayAttr(place.strides);
}

LogicalResult ProgramBuilder::emitLaunch(graph::LaunchOp launch) {
  func::FuncOp kernel = getKernelFunction(launch);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>("graph.config");
  Location loc = launch.getLoc();
  SmallVector<Value> operands;
  SmallVector<plan::Access> accesses;
  SmallVector<DenseI64ArrayAttr> argumentStrides, resultStrides;
  int64_t traffic = 0;
  for (Value argument : launch.getArgs()) {
    RankedTensorType type = tensorType(argument);
    const Place &place = assignment.getPlace(argument);
    argumentStrides.push_back(getPitch(builder, place, type));
    operands.push_back(getView(place, type));
    accesses.push_back(plan::Access::Read);
    traffic += getStorageBytes(type).value_or(0);
  }
  for (Value result : launch.getResults()) {
    RankedTensorType type = tensorType(result);
    const Place &place = assignment.getPlace(result);
    resultStrides.push_back(getPitch(builder, place, type));
    operands.push_back(getWrittenView(place, type));
    accesses.push_back(plan::Access::Write);
    traffic += getStorageBytes(type).value_or(0);
  }
  for (int64_t bytes : config.getWorkspace()) {
    auto type = RankedTensorType::get({bytes}, builder.getI8Type());
    FailureOr<Place> place = assignment.addStorage(type, loc);
    if (failed(place))
      return failure();
    operands.push_back(getView(*place, type));
    accesses.push_back(plan::Access::Update);
  }
  if (!launch.getDims().empty())
    return launch.emitOpError("expects static sizes to plan memory");
  // An estimate: that each of a kernel's launches does an equal part.
  int64_t operations =
      countOperations(kernel) / std::max<size_t>(config.getTiles().size(), 1);
  FlatSymbolRefAttr symbol =
      clones.get(launch.getKernelAttr(), argumentStrides, resultStrides);
  launch.setKernelAttr(symbol);
  for (auto [index, tiles] : llvm::enumerate(config.getTiles())) {
    auto instruction = plan::LaunchOp::create(
        builder, loc, symbol, index, operands, accesses, ValueRange(),
        builder.getIndexAttr(tiles.getSingleConstantResult()),
        builder.getIndexAttr(config.getScratch()));
    instruction.setTraffic(traffic);
    instruction.setFlops(operations);
  }
  return success();
}

LogicalResult ProgramBuilder::emitHostCall(graph::HostCallOp call) {
  SmallVector<Value> operands;
  SmallVector<int32_t> accesses;
  for (Value argument : call.getArgs()) {
    operands.push_back(
        getView(assignment.getPlace(argument), tensorType(argument)));
    accesses.push_back(static_cast<int32_t>(plan::Access::Read));
  }
  for (Value result : call.getResults()) {
    operands.push_back(
        getWrittenView(assignment.getPlace(result), tensorType(result)));
    accesses.push_back(static_cast<int32_t>(plan::Access::Write));
  }
  plan::HostCallOp::create(builder, call.getLoc(), TypeRange(),
                           call.getNameAttr(), operands,
                           builder.getDenseI32ArrayAttr(accesses), ValueRange(),
                           call.getParameters());
  return success();
}

LogicalResult ProgramBuilder::emitConcat(graph::ConcatOp concat) {
  const Place result = assignment.getPlace(concat.getResult());
  unsigned copies = 0;
  for (auto [index, operand] : llvm::enumerate(concat.getXs())) {
    RankedTensorType type = tensorType(operand);
    const Place &place = assignment.getPlace(operand);
    std::optional<Place> slot =
        StorageAssignment::getSlot(concat, result, index);
    if (slot && isSamePlace(place, *slot, type.getShape()))
      continue;
    if (!slot)
      return concat.emitOpError("expects a result in whose layout operands are "
                                "slices, got ")
             << concat.getResult().getType();
    ++copies;
    emitCopy(concat.getLoc(), place, *slot, type,
             "the operand cannot be computed in the concat's result");
  }
  if (copies == 0)
    remark::passed(concat.getLoc(),
                   remark::RemarkOpts::name("concat").category("plan"))
        << "operands are computed in slices of the result";
  return success();
}

LogicalResult ProgramBuilder::emitView(Operation *op) {
  const Place operand = assignment.getPlace(op->getOperand(0));
  const Place result = assignment.getPlace(op->getResult(0));
  RankedTensorType type = tensorType(op->getResult(0));
  std::optional<Place> view = StorageAssignment::deriveView(op, operand);
  if (view && isSamePlace(*view, result, type.getShape()))
    return success();
  if (view) {
    emitCopy(op->getLoc(), *view, result, type,
             "the readers of the view need another layout");
    return success();
  }
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    return emitReshapeCopy(reshape);
  return op->emitOpError("expects a strided operand, got ")
         << op->getOperand(0).getType();
}

/// Elements in row-major order first, then in the layout of the result.
LogicalResult ProgramBuilder::emitReshapeCopy(graph::ReshapeOp reshape) {
  RankedTensorType from = tensorType(reshape.getX());
  RankedTensorType to = tensorType(reshape.getResult());
  auto dense = RankedTensorType::get(from.getShape(), from.getElementType());
  const Place result = assignment.getPlace(reshape.getResult());
  // The result may be that place already, under its own shape.
  std::optional<Place> target =
      reshapePlace(result, to.getShape(), from.getShape());
  if (!target) {
    FailureOr<Place> temporary = assignment.addStorage(dense, reshape.getLoc());
    if (failed(temporary))
      return failure();
    target = *temporary;
  }
  emitCopy(reshape.getLoc(), assignment.getPlace(reshape.getX()), *target,
           dense, "the elements are not in row-major order");
  std::optional<Place> view =
      reshapePlace(*target, from.getShape(), to.getShape());
  if (!view)
    return reshape.emitOpError("expects elements below eight bits to keep "
                               "their order");
  if (!isSamePlace(*view, result, to.getShape()))
    emitCopy(reshape.getLoc(), *view, result, to,
             "the reshaped tensor is wanted in another layout");
  return success();
}

void ProgramBuilder::emitReturn(func::ReturnOp op) {
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    RankedTensorType type = tensorType(value);
    const Place place = assignment.getPlace(value);
    const Place output = assignment.getOutputPlace(index);
    if (!isSamePlace(place, output, type.getShape()))
      emitCopy(op.getLoc(), place, output, type,
               "the output cannot be computed in place");
  }
}

struct BuildProgram : mlir::atc::impl::BuildProgramPassBase<BuildProgram> {
  using Base::Base;

  void runOnOperation() override {
    KernelClones clones(getOperation());
    SmallVector<plan::ProgramOp> programs;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitError("expects a body of one block");
        return signalPassFailure();
      }
      StorageAssignment assignment(function);
      ProgramBuilder builder(function, assignment, clones);
      FailureOr<plan::ProgramOp> program = failure();
      if (succeeded(assignment.run()))
        program = builder.build();
      if (failed(program))
        return signalPassFailure();
      programs.push_back(*program);
      numCopies += builder.numCopies;
    }
    numClones += clones.getNumClones();
    clones.eraseUnused(programs);
  }
};

} // namespace
