// Gives every tensor of a function a place in some storage.
// SPDX-License-Identifier: Apache-2.0
#include "StorageAssignment.h"
#include "atc/Dialect/Plan/IR/KernelStrides.h"
#include "atc/Passes/CodedError.h"
#include "atc/Target/TensorLayout.h"

using namespace mlir;
using namespace mlir::atc;

bool mlir::atc::isViewOp(Operation *op) {
  return isa<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp>(op);
}

/// Ops that write their results wherever these are placed.
static bool writesAnywhere(Operation *op) {
  return isa<graph::LaunchOp, graph::ConcatOp, graph::RelayoutOp,
             graph::HostCallOp>(op);
}

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

func::FuncOp mlir::atc::getKernelFunction(graph::LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<ModuleOp>(
      launch, launch.getKernelAttr());
  return kernel ? kernel.lookupSymbol<func::FuncOp>(launch.getKernel())
                : func::FuncOp();
}

StorageAssignment::StorageAssignment(func::FuncOp function)
    : function(function) {}

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

LogicalResult StorageAssignment::checkTypes() {
  for (Operation &op : function.front()) {
    if (!isViewOp(&op) && !writesAnywhere(&op) &&
        !isa<graph::WeightOp, graph::ConstantOp, func::ReturnOp>(op))
      return op.emitOpError("has no place in a plan; expects launches and ops "
                            "that rename elements");
    for (Value result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !type.hasStaticShape())
        return withCode(
            op.emitOpError("expects static sizes to plan memory, got ")
                << result.getType(),
            ::atc::ErrorCode::DynamicShape);
    }
  }
  return success();
}

FailureOr<Place> StorageAssignment::addStorage(RankedTensorType type,
                                               Location loc,
                                               plan::Space space) {
  std::optional<int64_t> bytes = getStorageBytes(type);
  if (!bytes)
    return withCode(
        emitError(loc, "expects a tensor whose size in bytes fits, got ")
            << type,
        ::atc::ErrorCode::OutOfMemory);
  Storage storage;
  storage.space = space;
  storage.bytes = *bytes;
  storage.ownerPlace = getOwnPlace(storages.size(), type);
  storage.ownerType = type;
  storages.push_back(storage);
  return storages.back().ownerPlace;
}

LogicalResult StorageAssignment::addPorts() {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape())
      return withCode(emitError(argument.getLoc(),
                                "expects static sizes to plan memory, got ")
                          << argument.getType(),
                      ::atc::ErrorCode::DynamicShape);
    if (type.getEncoding())
      return emitError(argument.getLoc(), "expects a row-major input, got ")
             << type;
    FailureOr<Place> place =
        addStorage(type, argument.getLoc(), plan::Space::Input);
    if (failed(place))
      return failure();
    storages.back().port = argument.getArgNumber();
    places[argument] = *place;
  }
  for (auto [index, resultType] :
       llvm::enumerate(function.getFunctionType().getResults())) {
    auto type = dyn_cast<RankedTensorType>(resultType);
    if (!type || !type.hasStaticShape())
      return withCode(
          function.emitError("expects static sizes to plan memory, got ")
              << resultType,
          ::atc::ErrorCode::DynamicShape);
    FailureOr<Place> place =
        addStorage(type, function.getLoc(), plan::Space::Output);
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
    for (Value operand : op.getOperands())
      lastUse[getRoot(operand)] = index;
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::optional<Place> StorageAssignment::deriveView(Operation *op,
                                                   const Place &operand) {
  RankedTensorType from = tensorType(op->getOperand(0));
  RankedTensorType to = tensorType(op->getResult(0));
  if (auto transpose = dyn_cast<graph::TransposeOp>(op))
    return transposePlace(operand, transpose.getPermutation());
  if (isa<graph::ReshapeOp>(op))
    return reshapePlace(operand, from.getShape(), to.getShape());
  auto slice = cast<graph::SliceOp>(op);
  return slicePlace(operand, from, slice.getStarts(), slice.getSteps(),
                    to.getShape());
}

std::optional<Place> StorageAssignment::getSlot(graph::ConcatOp concat,
                                                const Place &result,
                                                unsigned index) {
  RankedTensorType whole = tensorType(concat.getResult());
  SmallVector<int64_t> starts(whole.getRank(), 0), steps(whole.getRank(), 1);
  for (Value before : concat.getXs().take_front(index))
    starts[concat.getAxis()] += tensorType(before).getDimSize(concat.getAxis());
  return slicePlace(result, whole, starts, steps,
                    tensorType(concat.getXs()[index]).getShape());
}

/// Whether the reader takes a tensor only as its type's layout describes it.
static bool needsOwnStrides(OpOperand &use) {
  if (isa<graph::HostCallOp>(use.getOwner()))
    return true;
  auto launch = dyn_cast<graph::LaunchOp>(use.getOwner());
  return launch && getKernelFunction(launch).getArgAttr(use.getOperandNumber(),
                                                        plan::exactAttrName);
}

/// Whether the op writes `result` only as the type's layout describes it.
static bool writesOwnStrides(OpResult result) {
  if (isa<graph::HostCallOp>(result.getOwner()))
    return true;
  auto launch = dyn_cast<graph::LaunchOp>(result.getOwner());
  return launch && getKernelFunction(launch).getResultAttr(
                       result.getResultNumber(), plan::exactAttrName);
}

/// Whether those who read `value` through views would still do so without a
/// copy if it lay at `place`, and those who read it directly accept the pitch.
bool StorageAssignment::readersFollow(Value value, const Place &place) const {
  if (hasOwnStrides(place, tensorType(value)))
    return true;
  SmallVector<std::tuple<Value, Place, Place>, 1> worklist{
      {value, getOwnPlace(0, tensorType(value)), place}};
  while (!worklist.empty()) {
    auto [current, own, moved] = worklist.pop_back_val();
    RankedTensorType type = tensorType(current);
    for (OpOperand &use : current.getUses()) {
      Operation *user = use.getOwner();
      if (needsOwnStrides(use) && hasOwnStrides(own, type) &&
          !hasOwnStrides(moved, type))
        return false;
      if (!isViewOp(user) || use.getOperandNumber() != 0)
        continue;
      Value result = user->getResult(0);
      std::optional<Place> ownView = deriveView(user, own);
      if (!ownView || !fits(*ownView, tensorType(result)))
        continue; // a copy in any case
      std::optional<Place> movedView = deriveView(user, moved);
      if (!movedView || !fits(*movedView, tensorType(result)))
        return false;
      worklist.emplace_back(result, *ownView, *movedView);
    }
  }
  return true;
}

/// Whether the op is a copy wherever its operand lies as its layout says.
static bool isCopied(Operation *op) {
  Place operand = getOwnPlace(0, tensorType(op->getOperand(0)));
  std::optional<Place> view = StorageAssignment::deriveView(op, operand);
  return !view || !fits(*view, tensorType(op->getResult(0)));
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
        places.contains(value) || !fits(place, tensorType(value)) ||
        !readersFollow(value, place))
      return false;
    chain.emplace_back(value, place);
    if (writesAnywhere(def)) {
      if (writesOwnStrides(cast<OpResult>(value)) &&
          !hasOwnStrides(place, tensorType(value)))
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
      operandPlace = reshapePlace(place, tensorType(value).getShape(),
                                  tensorType(def->getOperand(0)).getShape());
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
    RankedTensorType type = tensorType(argument);
    const Place &place = places.find(launch.getResults()[result])->second;
    // Only where the operand lies there as in a buffer of its own: memory is
    // not worth a kernel with other strides.
    if (type.getElementType() !=
            tensorType(launch.getResults()[result]).getElementType() ||
        !hasOwnStrides(place, type) || !mayOverwrite(launch, result, operand))
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
      FailureOr<Place> place = addStorage(tensorType(result), op->getLoc());
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
  if (op->getNumResults() == 0 || places.contains(op->getResult(0)))
    return success();
  Value result = op->getResult(0);
  RankedTensorType type = tensorType(result);
  if (isa<graph::WeightOp, graph::ConstantOp>(op)) {
    FailureOr<Place> place =
        addStorage(type, op->getLoc(), plan::Space::Weights);
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
  bool acceptsView = view && fits(*view, type) &&
                     (hasOwnStrides(*view, type) ||
                      llvm::none_of(result.getUses(), needsOwnStrides));
  if (acceptsView) {
    places[result] = *view;
    return success();
  }
  FailureOr<Place> place = addStorage(type, op->getLoc());
  if (failed(place))
    return failure();
  places[result] = *place;
  return success();
}
