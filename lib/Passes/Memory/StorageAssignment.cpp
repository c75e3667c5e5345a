// Gives every tensor of a function a place in some storage.
// SPDX-License-Identifier: Apache-2.0
#include "StorageAssignment.h"
#include "atc/Dialect/Plan/IR/KernelStrides.h"
#include "atc/Passes/CodedError.h"
#include "atc/Target/TensorLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::atc;

bool mlir::atc::isViewOp(Operation *op) {
  return isa<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp>(op);
}

bool mlir::atc::isScalarOp(Operation *op) {
  return isa<graph::DimOp, cf::AssertOp>(op) ||
         isa<arith::ArithDialect>(op->getDialect());
}

bool mlir::atc::readsElements(OpOperand &use) {
  return !isViewOp(use.getOwner()) || use.getOperandNumber() == 0;
}

/// Ops that write their results wherever these are placed.
static bool writesAnywhere(Operation *op) {
  return isa<graph::LaunchOp, graph::ConcatOp, graph::RelayoutOp,
             graph::HostCallOp, graph::PackSizesOp>(op);
}

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

func::FuncOp
StorageAssignment::getKernelFunction(graph::LaunchOp launch) const {
  auto kernel = symbols.lookup<ModuleOp>(launch.getKernelAttr().getAttr());
  return kernel ? kernel.lookupSymbol<func::FuncOp>(launch.getKernel())
                : func::FuncOp();
}

StorageAssignment::StorageAssignment(func::FuncOp function,
                                     const SymbolTable &symbols)
    : function(function), symbols(symbols), sizes(function) {}

SizedTensor StorageAssignment::getTensor(Value value) const {
  return {tensorType(value), SmallVector<SizeExpr, 4>(sizes.getSizes(value))};
}

LogicalResult StorageAssignment::run() {
  if (failed(checkTypes()) || failed(addPorts()))
    return failure();
  numberUses();
  SmallVector<Operation *> ops =
      llvm::map_to_vector(function.front(), [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(ops))
    if (failed(assignBackwards(op)))
      return failure();
  for (Operation *op : ops)
    if (failed(assignForwards(op)))
      return failure();
  return success();
}

/// A tensor's bytes have to be known before the first kernel runs.
static LogicalResult checkSizes(Location loc, Type type,
                                ArrayRef<SizeExpr> sizes) {
  if (isa<RankedTensorType>(type) &&
      llvm::all_of(sizes, [](SizeExpr size) { return size.isKnown(); }))
    return success();
  return withCode(
      emitError(loc, "expects sizes that follow from those of the inputs, got ")
          << type,
      ::atc::ErrorCode::DynamicShape);
}

LogicalResult StorageAssignment::checkTypes() {
  for (BlockArgument argument : function.getArguments())
    if (failed(checkSizes(argument.getLoc(), argument.getType(),
                          sizes.getSizes(argument))))
      return failure();
  for (Operation &op : function.front()) {
    if (isScalarOp(&op))
      continue;
    if (!isViewOp(&op) && !writesAnywhere(&op) &&
        !isa<graph::WeightOp, graph::ConstantOp, func::ReturnOp>(op))
      return op.emitOpError("has no place in a plan; expects launches and ops "
                            "that rename elements");
    for (Value result : op.getResults())
      if (failed(checkSizes(op.getLoc(), result.getType(),
                            sizes.getSizes(result))))
        return failure();
  }
  return success();
}

FailureOr<Place> StorageAssignment::addStorage(const SizedTensor &tensor,
                                               Location loc,
                                               plan::Space space) {
  std::optional<SizeExpr> bytes = getStorageBytes(tensor);
  if (!bytes)
    return withCode(
        emitError(loc, "expects a tensor whose size in bytes fits, got ")
            << tensor.type,
        ::atc::ErrorCode::OutOfMemory);
  Storage storage;
  storage.space = space;
  storage.bytes = *bytes;
  storage.ownerPlace = getOwnPlace(storages.size(), tensor);
  storage.owner = tensor;
  storages.push_back(storage);
  return storages.back().ownerPlace;
}

LogicalResult StorageAssignment::addPorts() {
  for (BlockArgument argument : function.getArguments()) {
    if (tensorType(argument).getEncoding())
      return emitError(argument.getLoc(), "expects a row-major input, got ")
             << argument.getType();
    FailureOr<Place> place =
        addStorage(getTensor(argument), argument.getLoc(), plan::Space::Input);
    if (failed(place))
      return failure();
    storages.back().port = argument.getArgNumber();
    places[argument] = *place;
  }
  Operation *returnOp = function.front().getTerminator();
  for (auto [index, value] : llvm::enumerate(returnOp->getOperands())) {
    FailureOr<Place> place =
        addStorage(getTensor(value), function.getLoc(), plan::Space::Output);
    if (failed(place))
      return failure();
    storages.back().port = index;
    outputStorages.push_back(place->storage);
  }
  return success();
}

Place StorageAssignment::getOutputPlace(unsigned index) const {
  return storages[outputStorages[index]].ownerPlace;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// The tensor whose elements a chain of views shows.
Value StorageAssignment::getRoot(Value value) const {
  Operation *def = value.getDefiningOp();
  while (def && isViewOp(def)) {
    value = def->getOperand(0);
    def = value.getDefiningOp();
  }
  return value;
}

void StorageAssignment::numberUses() {
  for (auto [index, op] : llvm::enumerate(function.front())) {
    order[&op] = index;
    // A view counts as a use too: it may turn out to be a copy.
    for (OpOperand &use : op.getOpOperands())
      if (isa<RankedTensorType>(use.get().getType()) && readsElements(use))
        lastUse[getRoot(use.get())] = index;
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::optional<Place> StorageAssignment::deriveView(Operation *op,
                                                   const Place &operand) const {
  SizedTensor from = getTensor(op->getOperand(0));
  SizedTensor to = getTensor(op->getResult(0));
  if (auto transpose = dyn_cast<graph::TransposeOp>(op))
    return transposePlace(operand, transpose.getPermutation());
  if (isa<graph::ReshapeOp>(op))
    return reshapePlace(operand, from.sizes, to.sizes);
  auto slice = cast<graph::SliceOp>(op);
  return slicePlace(operand, from,
                    llvm::to_vector_of<SizeExpr, 4>(slice.getStarts()),
                    slice.getSteps(), to.sizes);
}

std::optional<Place> StorageAssignment::getSlot(graph::ConcatOp concat,
                                                const Place &result,
                                                unsigned index) const {
  SizedTensor whole = getTensor(concat.getResult());
  SmallVector<SizeExpr, 4> starts(whole.sizes.size());
  SmallVector<int64_t> steps(whole.sizes.size(), 1);
  SizeExpr &start = starts[concat.getAxis()];
  for (Value before : concat.getXs().take_front(index))
    start = start + getTensor(before).sizes[concat.getAxis()];
  return slicePlace(result, whole, starts, steps,
                    getTensor(concat.getXs()[index]).sizes);
}

/// Whether a kernel can be told the place's strides: a number each. One that
/// computes its strides from open sizes does so for its layouts alone.
static bool takesStrides(Value value, const Place &place) {
  return tensorType(value).hasStaticShape() &&
         llvm::all_of(place.strides,
                      [](SizeExpr stride) { return stride.getConstant(); });
}

/// Whether the reader takes the tensor at `place` only if that is how its
/// type's layout describes it.
bool StorageAssignment::needsOwnStrides(OpOperand &use,
                                        const Place &place) const {
  if (isa<graph::HostCallOp>(use.getOwner()))
    return true;
  auto launch = dyn_cast<graph::LaunchOp>(use.getOwner());
  return launch && (!takesStrides(use.get(), place) ||
                    getKernelFunction(launch).getArgAttr(use.getOperandNumber(),
                                                         plan::exactAttrName));
}

/// Whether the op writes `result` to `place` only if that is how the type's
/// layout describes it.
bool StorageAssignment::writesOwnStrides(OpResult result,
                                         const Place &place) const {
  if (isa<graph::HostCallOp>(result.getOwner()))
    return true;
  auto launch = dyn_cast<graph::LaunchOp>(result.getOwner());
  return launch && (!takesStrides(result, place) ||
                    getKernelFunction(launch).getResultAttr(
                        result.getResultNumber(), plan::exactAttrName));
}

/// Whether those who read `value` through views would still do so without a
/// copy if it lay at `place`, and those who read it directly accept the pitch.
bool StorageAssignment::readersFollow(Value value, const Place &place) const {
  if (hasOwnStrides(place, getTensor(value)))
    return true;
  SmallVector<std::tuple<Value, Place, Place>, 1> worklist{
      {value, getOwnPlace(0, getTensor(value)), place}};
  while (!worklist.empty()) {
    auto [current, own, moved] = worklist.pop_back_val();
    SizedTensor tensor = getTensor(current);
    for (OpOperand &use : current.getUses()) {
      Operation *user = use.getOwner();
      if (needsOwnStrides(use, moved) && hasOwnStrides(own, tensor) &&
          !hasOwnStrides(moved, tensor))
        return false;
      if (!isViewOp(user) || use.getOperandNumber() != 0)
        continue;
      Value result = user->getResult(0);
      std::optional<Place> ownView = deriveView(user, own);
      if (!ownView || !fits(*ownView, getTensor(result)))
        continue; // a copy in any case
      std::optional<Place> movedView = deriveView(user, moved);
      if (!movedView || !fits(*movedView, getTensor(result)))
        return false;
      worklist.emplace_back(result, *ownView, *movedView);
    }
  }
  return true;
}

bool StorageAssignment::isCopied(Operation *op) const {
  Place operand = getOwnPlace(0, getTensor(op->getOperand(0)));
  std::optional<Place> view = deriveView(op, operand);
  return !view || !fits(*view, getTensor(op->getResult(0)));
}

/// Places `value` if its definition can write there, passing through reshapes
/// and transposes to the op that computes the elements. `overwriter` is the op
/// that overwrites the place later.
bool StorageAssignment::tryPlace(Value value, Place place,
                                 unsigned overwriter) {
  SmallVector<std::pair<Value, Place>> chain;
  while (true) {
    Operation *def = value.getDefiningOp();
    if (!def || !(writesAnywhere(def) || isViewOp(def)) ||
        places.contains(value) || !fits(place, getTensor(value)) ||
        !readersFollow(value, place))
      return false;
    chain.emplace_back(value, place);
    if (writesAnywhere(def)) {
      if (writesOwnStrides(cast<OpResult>(value), place) &&
          !hasOwnStrides(place, getTensor(value)))
        return false;
      break;
    }
    // Elements that move in any case may move to this place.
    if (isCopied(def))
      break;
    std::optional<Place> operandPlace;
    if (auto transpose = dyn_cast<graph::TransposeOp>(def))
      operandPlace = untransposePlace(place, transpose.getPermutation());
    else if (isa<graph::ReshapeOp>(def))
      operandPlace = reshapePlace(place, getTensor(value).sizes,
                                  getTensor(def->getOperand(0)).sizes);
    if (!operandPlace)
      return false;
    value = def->getOperand(0);
    place = *operandPlace;
  }
  for (auto &[placed, itsPlace] : chain) {
    places[placed] = itsPlace;
    overwrittenAt[placed] = overwriter;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Backwards: readers choose
//===----------------------------------------------------------------------===//

/// Whether result `result` of the launch may be written over operand
/// `operand`: nothing reads the operand afterwards, and the launch itself reads
/// it only at positions where the kernel allows it.
bool StorageAssignment::mayOverwrite(graph::LaunchOp launch, unsigned result,
                                     unsigned operand) {
  func::FuncOp kernel = getKernelFunction(launch);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>("graph.config");
  Value root = getRoot(launch.getArgs()[operand]);
  if (lastUse.lookup(root) != order.lookup(launch))
    return false;
  auto isAllowed = [&](unsigned index) {
    ArrayRef<int64_t> pairs = config.getInplace();
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
      if (pairs[i] == result && pairs[i + 1] == index)
        return true;
    return false;
  };
  for (auto [index, argument] : llvm::enumerate(launch.getArgs()))
    if (getRoot(argument) == root &&
        (!isAllowed(index) || argument != launch.getArgs()[operand]))
      return false;
  return true;
}

void StorageAssignment::shareWithOperands(graph::LaunchOp launch) {
  func::FuncOp kernel = getKernelFunction(launch);
  auto config = kernel->getAttrOfType<graph::ConfigAttr>("graph.config");
  ArrayRef<int64_t> pairs = config.getInplace();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    unsigned result = pairs[i], operand = pairs[i + 1];
    Value argument = launch.getArgs()[operand];
    SizedTensor tensor = getTensor(argument);
    SizedTensor written = getTensor(launch.getResults()[result]);
    const Place &place = places.find(launch.getResults()[result])->second;
    // An open size of another expression may turn out larger.
    bool fitsInside = tensor.sizes == written.sizes ||
                      (tensor.hasStaticShape() && written.hasStaticShape());
    // Only where the operand lies there as in a buffer of its own: memory is
    // not worth a kernel with other strides.
    if (tensor.type.getElementType() != written.type.getElementType() ||
        !fitsInside || !hasOwnStrides(place, tensor) ||
        !mayOverwrite(launch, result, operand))
      continue;
    tryPlace(argument, place, order.lookup(launch));
  }
}

LogicalResult StorageAssignment::assignBackwards(Operation *op) {
  if (isa<func::ReturnOp>(op)) {
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      tryPlace(value, getOutputPlace(index), never);
    return success();
  }
  if (!writesAnywhere(op))
    return success();
  for (Value result : op->getResults())
    if (!places.contains(result)) {
      FailureOr<Place> place = addStorage(getTensor(result), op->getLoc());
      if (failed(place))
        return failure();
      places[result] = *place;
    }
  if (auto launch = dyn_cast<graph::LaunchOp>(op)) {
    shareWithOperands(launch);
    return success();
  }
  if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
    Place result = getPlace(concat.getResult());
    auto overwriter = overwrittenAt.find(concat.getResult());
    unsigned limit =
        overwriter == overwrittenAt.end() ? never : overwriter->second;
    for (auto [index, operand] : llvm::enumerate(concat.getXs())) {
      // The operand's other readers must come before its slice is overwritten.
      std::optional<Place> slot = getSlot(concat, result, index);
      if (slot && lastUse.lookup(getRoot(operand)) < limit)
        tryPlace(operand, *slot, limit);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Forwards: views follow
//===----------------------------------------------------------------------===//

LogicalResult StorageAssignment::assignForwards(Operation *op) {
  if (op->getNumResults() == 0 || isScalarOp(op) ||
      places.contains(op->getResult(0)))
    return success();
  Value result = op->getResult(0);
  SizedTensor tensor = getTensor(result);
  if (isa<graph::WeightOp, graph::ConstantOp>(op)) {
    FailureOr<Place> place =
        addStorage(tensor, op->getLoc(), plan::Space::Weights);
    if (failed(place))
      return failure();
    if (auto weight = dyn_cast<graph::WeightOp>(op))
      storages.back().constant = weight.getSymbolAttr();
    else
      storages.back().constant = cast<graph::ConstantOp>(op).getValueAttr();
    places[result] = *place;
    return success();
  }
  std::optional<Place> view = deriveView(op, getPlace(op->getOperand(0)));
  bool acceptsView = view && fits(*view, tensor) &&
                     (hasOwnStrides(*view, tensor) ||
                      llvm::none_of(result.getUses(), [&](OpOperand &use) {
                        return needsOwnStrides(use, *view);
                      }));
  if (acceptsView) {
    places[result] = *view;
    return success();
  }
  FailureOr<Place> place = addStorage(tensor, op->getLoc());
  if (failed(place))
    return failure();
  places[result] = *place;
  return success();
}
