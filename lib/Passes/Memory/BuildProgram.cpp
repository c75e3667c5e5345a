// Writes the plan of the main function.
// SPDX-License-Identifier: Apache-2.0
#include "KernelClones.h"
#include "OperationCount.h"
#include "ProgramMemory.h"
#include "atc/Passes/Memory/Passes.h"

namespace mlir::atc {
#define GEN_PASS_DEF_BUILDPROGRAMPASS
#include "atc/Passes/Memory/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

namespace {

/// Equal up to the strides of dims of size one.
bool isSamePlace(const Place &lhs, const Place &rhs, ArrayRef<SizeExpr> sizes) {
  if (lhs.storage != rhs.storage || lhs.offset != rhs.offset ||
      lhs.tiled != rhs.tiled)
    return false;
  if (lhs.isTiled())
    return true;
  return llvm::all_of(llvm::zip_equal(sizes, lhs.strides, rhs.strides),
                      [](auto entry) {
                        auto [size, left, right] = entry;
                        std::optional<int64_t> number = size.getConstant();
                        return (number && *number <= 1) || left == right;
                      });
}

/// Emits the instructions of a function whose tensors have places.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, StorageAssignment &assignment,
                 KernelClones &clones)
      : function(function), assignment(assignment), clones(clones),
        builder(function.getContext()), memory(function, assignment, builder) {}

  FailureOr<plan::ProgramOp> build();

  unsigned numCopies = 0;

private:
  void emitCopy(Location loc, const Place &from, const Place &to,
                const SizedTensor &tensor, StringRef reason);
  LogicalResult emit(Operation &op);
  LogicalResult emitLaunch(graph::LaunchOp launch);
  FailureOr<SmallVector<Value>>
  getLaunchViews(graph::LaunchOp launch,
                 SmallVectorImpl<plan::Access> &accesses);
  FlatSymbolRefAttr getKernel(graph::LaunchOp launch);
  LogicalResult emitHostCall(graph::HostCallOp call);
  LogicalResult emitConcat(graph::ConcatOp concat);
  LogicalResult emitView(Operation *op);
  LogicalResult emitReshapeCopy(graph::ReshapeOp reshape);
  void emitPackSizes(graph::PackSizesOp pack);
  void emitReturn(func::ReturnOp op);

  func::FuncOp function;
  StorageAssignment &assignment;
  KernelClones &clones;
  OpBuilder builder;
  ProgramMemory memory;
};

FailureOr<plan::ProgramOp> ProgramBuilder::build() {
  builder.setInsertionPointAfter(function);
  auto program = plan::ProgramOp::create(builder, function.getLoc(),
                                         (function.getName() + ".plan").str());
  builder.setInsertionPointToStart(&program.getBody().front());
  if (failed(memory.begin()))
    return failure();
  for (Operation &op : function.front())
    if (failed(emit(op)))
      return failure();
  memory.finish(program);
  return program;
}

static std::string toText(SizeExpr size) {
  std::string text;
  llvm::raw_string_ostream(text) << size;
  return text;
}

void ProgramBuilder::emitCopy(Location loc, const Place &from, const Place &to,
                              const SizedTensor &tensor, StringRef reason) {
  Value source = memory.getView(from, tensor);
  Value destination = memory.getWrittenView(to, tensor);
  plan::CopyOp::create(builder, loc, source, destination);
  ++numCopies;
  remark::missed(loc, remark::RemarkOpts::name("copy").category("plan"))
      << llvm::formatv("a copy of {0} bytes: {1}",
                       toText(getStorageBytes(tensor).value_or(0)), reason)
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
             assignment.getTensor(relayout.getResult()),
             "a layout change outside kernels");
  else if (auto pack = dyn_cast<graph::PackSizesOp>(op))
    emitPackSizes(pack);
  else if (auto returnOp = dyn_cast<func::ReturnOp>(op))
    emitReturn(returnOp);
  return success();
}

/// The strides to put on a kernel's operand or result; null for its own.
static DenseI64ArrayAttr getPitch(OpBuilder &builder, const Place &place,
                                  const SizedTensor &tensor) {
  if (hasOwnStrides(place, tensor))
    return {};
  // Tensors of open sizes have their own.
  return builder.getDenseI64ArrayAttr(llvm::map_to_vector(
      place.strides, [](SizeExpr stride) { return *stride.getConstant(); }));
}

/// The kernel for the strides that operands and results have.
FlatSymbolRefAttr ProgramBuilder::getKernel(graph::LaunchOp launch) {
  auto getPitches = [&](ValueRange tensors) {
    return llvm::map_to_vector(tensors, [&](Value tensor) {
      return getPitch(builder, assignment.getPlace(tensor),
                      assignment.getTensor(tensor));
    });
  };
  return clones.get(launch.getKernelAttr(), getPitches(launch.getArgs()),
                    getPitches(launch.getResults()));
}

/// Operands, results, then workspaces.
FailureOr<SmallVector<Value>>
ProgramBuilder::getLaunchViews(graph::LaunchOp launch,
                               SmallVectorImpl<plan::Access> &accesses) {
  SmallVector<Value> views;
  for (Value argument : launch.getArgs()) {
    views.push_back(memory.getView(assignment.getPlace(argument),
                                   assignment.getTensor(argument)));
    accesses.push_back(plan::Access::Read);
  }
  for (Value result : launch.getResults()) {
    views.push_back(memory.getWrittenView(assignment.getPlace(result),
                                          assignment.getTensor(result)));
    accesses.push_back(plan::Access::Write);
  }
  auto config =
      assignment.getKernelFunction(launch)->getAttrOfType<graph::ConfigAttr>(
          "graph.config");
  for (int64_t bytes : config.getWorkspace()) {
    SizedTensor workspace =
        SizedTensor::get(RankedTensorType::get({bytes}, builder.getI8Type()));
    FailureOr<Place> place = assignment.addStorage(workspace, launch.getLoc());
    if (failed(place))
      return failure();
    views.push_back(memory.getView(*place, workspace));
    accesses.push_back(plan::Access::Update);
  }
  return views;
}

LogicalResult ProgramBuilder::emitLaunch(graph::LaunchOp launch) {
  graph::SizeContext &context = assignment.getSizeContext();
  func::FuncOp kernel = assignment.getKernelFunction(launch);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>("graph.config");
  Location loc = launch.getLoc();
  SmallVector<plan::Access> accesses;
  FailureOr<SmallVector<Value>> operands = getLaunchViews(launch, accesses);
  if (failed(operands))
    return failure();
  SizeExpr traffic = 0;
  for (Value tensor :
       llvm::concat<Value>(llvm::to_vector<8>(launch.getArgs()),
                           llvm::to_vector<8>(launch.getResults())))
    traffic =
        traffic + getStorageBytes(assignment.getTensor(tensor)).value_or(0);
  SmallVector<SizeExpr> dimSizes = llvm::map_to_vector(
      launch.getDims(), [&](Value dim) { return context.fromValue(dim); });
  SmallVector<Value> dimValues = llvm::map_to_vector(
      dimSizes, [&](SizeExpr size) { return memory.getValue(size); });
  // An estimate: that each of a kernel's launches does an equal part.
  int64_t launches = std::max<size_t>(config.getTiles().size(), 1);
  SizeExpr operations =
      countOperations(kernel, dimSizes, context).floorDiv(launches);
  FlatSymbolRefAttr symbol = getKernel(launch);
  launch.setKernelAttr(symbol);
  for (auto [index, tiles] : llvm::enumerate(config.getTiles())) {
    SizeExpr count = context.evaluate(tiles.getResult(0), dimSizes);
    plan::LaunchOp::create(
        builder, loc, symbol, index, *operands, accesses, dimValues,
        memory.getNumber(count), builder.getIndexAttr(config.getScratch()),
        memory.getNumber(operations), memory.getNumber(traffic));
  }
  return success();
}

LogicalResult ProgramBuilder::emitHostCall(graph::HostCallOp call) {
  SmallVector<Value> operands;
  SmallVector<int32_t> accesses;
  for (Value argument : call.getArgs()) {
    operands.push_back(memory.getView(assignment.getPlace(argument),
                                      assignment.getTensor(argument)));
    accesses.push_back(static_cast<int32_t>(plan::Access::Read));
  }
  for (Value result : call.getResults()) {
    operands.push_back(memory.getWrittenView(assignment.getPlace(result),
                                             assignment.getTensor(result)));
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
    SizedTensor tensor = assignment.getTensor(operand);
    const Place &place = assignment.getPlace(operand);
    std::optional<Place> slot = assignment.getSlot(concat, result, index);
    if (slot && isSamePlace(place, *slot, tensor.sizes))
      continue;
    if (!slot)
      return concat.emitOpError("expects a result in whose layout operands are "
                                "slices, got ")
             << concat.getResult().getType();
    ++copies;
    emitCopy(concat.getLoc(), place, *slot, tensor,
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
  SizedTensor tensor = assignment.getTensor(op->getResult(0));
  std::optional<Place> view = assignment.deriveView(op, operand);
  if (view && isSamePlace(*view, result, tensor.sizes))
    return success();
  if (view) {
    emitCopy(op->getLoc(), *view, result, tensor,
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
  SizedTensor from = assignment.getTensor(reshape.getX());
  SizedTensor to = assignment.getTensor(reshape.getResult());
  SizedTensor dense{
      RankedTensorType::get(from.type.getShape(), from.type.getElementType()),
      from.sizes};
  const Place result = assignment.getPlace(reshape.getResult());
  // The result may be that place already, under its own shape.
  std::optional<Place> target = reshapePlace(result, to.sizes, from.sizes);
  if (!target) {
    FailureOr<Place> temporary = assignment.addStorage(dense, reshape.getLoc());
    if (failed(temporary))
      return failure();
    target = *temporary;
  }
  emitCopy(reshape.getLoc(), assignment.getPlace(reshape.getX()), *target,
           dense, "the elements are not in row-major order");
  std::optional<Place> view = reshapePlace(*target, from.sizes, to.sizes);
  if (!view)
    return reshape.emitOpError("expects elements below eight bits to keep "
                               "their order");
  if (!isSamePlace(*view, result, to.sizes))
    emitCopy(reshape.getLoc(), *view, result, to,
             "the reshaped tensor is wanted in another layout");
  return success();
}

/// Where only types ask for the sizes, nothing is stored.
void ProgramBuilder::emitPackSizes(graph::PackSizesOp pack) {
  if (!llvm::any_of(pack->getUses(), readsElements))
    return;
  Value view = memory.getWrittenView(assignment.getPlace(pack.getResult()),
                                     assignment.getTensor(pack.getResult()));
  bool isScalar = pack.getResult().getType().getRank() == 0;
  for (auto [index, size] : llvm::enumerate(pack.getSizes())) {
    SmallVector<Value, 1> indices;
    if (!isScalar)
      indices.push_back(memory.getValue(static_cast<int64_t>(index)));
    plan::StoreScalarOp::create(
        builder, pack.getLoc(),
        memory.getValue(assignment.getSizeContext().fromValue(size)), view,
        indices);
  }
}

void ProgramBuilder::emitReturn(func::ReturnOp op) {
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    SizedTensor tensor = assignment.getTensor(value);
    const Place place = assignment.getPlace(value);
    const Place output = assignment.getOutputPlace(index);
    if (!isSamePlace(place, output, tensor.sizes))
      emitCopy(op.getLoc(), place, output, tensor,
               "the output cannot be computed in place");
  }
}

struct BuildProgram : mlir::atc::impl::BuildProgramPassBase<BuildProgram> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    KernelClones clones(symbols);
    SmallVector<plan::ProgramOp> programs;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitError("expects a body of one block");
        return signalPassFailure();
      }
      StorageAssignment assignment(function, symbols);
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
