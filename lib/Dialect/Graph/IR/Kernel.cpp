// Kernels and what stands beside them: custom ops, host calls, relayouts.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Kernel.h"
#include "atc/Dialect/Graph/IR/ControlFlow.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Kernel.cpp.inc"

void GraphDialect::registerKernelOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Kernel.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// GenericOp
//===----------------------------------------------------------------------===//

bool GenericOp::hasReduction() {
  return llvm::any_of(getIterators(), [](Attribute iterator) {
    return cast<IteratorKindAttr>(iterator).getValue() ==
           IteratorKind::reduction;
  });
}

/// generic-C1..C3.
static LogicalResult verifyMaps(GenericOp op) {
  SmallVector<AffineMap> maps = op.getMaps();
  unsigned inputs = op.getInputs().size(), outputs = op.getNumResults();
  // generic-C1
  if (maps.size() != inputs + outputs)
    return op.emitOpError()
           << "expects " << inputs + outputs << " maps, got " << maps.size();
  for (auto [index, map] : llvm::enumerate(maps)) {
    if (map.getNumDims() != op.getIterators().size() || map.getNumSymbols())
      return op.emitOpError()
             << "expects maps of " << op.getIterators().size()
             << " dims and no symbols, got " << AffineMapAttr::get(map);
    Type type = index < inputs ? op.getInputs()[index].getType()
                               : op.getResult(index - inputs).getType();
    // generic-C2
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!ranked || ranked.getRank() != int64_t(map.getNumResults()))
      return op.emitOpError() << "expects a map of the tensor's rank, got "
                              << AffineMapAttr::get(map) << " for " << type;
    if (index < inputs)
      continue;
    // generic-C3
    bool isParallel =
        map.isProjectedPermutation() &&
        llvm::all_of(map.getResults(), [&](AffineExpr expr) {
          unsigned dim = cast<AffineDimExpr>(expr).getPosition();
          return cast<IteratorKindAttr>(op.getIterators()[dim]).getValue() ==
                 IteratorKind::parallel;
        });
    if (!isParallel)
      return op.emitOpError() << "expects the map of a result to pick "
                                 "parallel iterators, got "
                              << AffineMapAttr::get(map);
  }
  return success();
}

LogicalResult GenericOp::verifyRegions() {
  if (failed(verifyMaps(*this)))
    return failure();
  // generic-C5
  size_t identities = getIdentities() ? getIdentities()->size() : 0;
  if (identities != (hasReduction() ? getNumResults() : 0))
    return emitOpError() << "expects one identity per result exactly when an "
                            "iterator is a reduction, got "
                         << identities;
  // generic-C4
  SmallVector<Type> arguments, yields;
  for (Type type : getInputs().getTypes())
    arguments.push_back(getSignlessType(getElementTypeOrSelf(type)));
  for (Type type : getResultTypes())
    yields.push_back(getSignlessType(getElementTypeOrSelf(type)));
  if (hasReduction())
    llvm::append_range(arguments, yields);
  Block &block = getBody().front();
  if (TypeRange(arguments) != block.getArgumentTypes())
    return emitOpError() << "expects body arguments " << arguments << ", got "
                         << block.getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getOperandTypes() != TypeRange(yields))
    return emitOpError() << "expects the body to yield " << yields;
  for (auto [index, type] : llvm::enumerate(yields)) {
    auto identity = hasReduction()
                        ? dyn_cast<TypedAttr>((*getIdentities())[index])
                        : TypedAttr();
    if (hasReduction() && (!identity || identity.getType() != type))
      return emitOpError() << "expects identity " << index << " of type "
                           << type;
  }
  // generic-C6
  for (Operation &op : block)
    if (!isMemoryEffectFree(&op))
      return emitOpError() << "expects a body without effects, got "
                           << op.getName();
  return success();
}

//===----------------------------------------------------------------------===//
// CustomOp and HostCallOp
//===----------------------------------------------------------------------===//

/// A stateful op reads and writes something that nobody else knows.
static void addStatefulEffects(
    bool isStateful,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!isStateful)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void CustomOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addStatefulEffects(getStateful(), effects);
}

LogicalResult CustomOp::verify() {
  // custom-C1
  if (getName().empty())
    return emitOpError() << "expects 'name' not to be empty";
  return success();
}

void HostCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addStatefulEffects(getStateful(), effects);
}

LogicalResult HostCallOp::verify() {
  // host_call-C1
  if (getName().empty())
    return emitOpError() << "expects 'name' not to be empty";
  return success();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state,
                     TypeRange results, ValueRange args, ValueRange dims) {
  OpBuilder::InsertionGuard guard(builder);
  state.addTypes(results);
  state.addOperands(args);
  state.addOperands(dims);
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      int32_t(args.size()), int32_t(dims.size())};
  Block *block = builder.createBlock(state.addRegion());
  for (Value operand :
       llvm::concat<Value>(SmallVector<Value>(args), SmallVector<Value>(dims)))
    block->addArgument(operand.getType(), operand.getLoc());
}

/// kernel-C3.
static LogicalResult verifyShapes(KernelOp kernel) {
  if (!kernel.getShapes())
    return success();
  SmallVector<Type> types(kernel.getArgs().getTypes());
  llvm::append_range(types, kernel.getResultTypes());
  ArrayAttr shapes = *kernel.getShapes();
  if (shapes.size() != types.size())
    return kernel.emitOpError()
           << "expects " << types.size() << " shapes, got " << shapes.size();
  for (auto [type, attribute] : llvm::zip_equal(types, shapes)) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!ranked || map.getNumSymbols() != kernel.getDims().size() ||
        map.getNumDims() || map.getNumResults() != ranked.getRank())
      return kernel.emitOpError()
             << "expects a shape of " << kernel.getDims().size()
             << " symbols for " << type << ", got " << AffineMapAttr::get(map);
    for (auto [expr, size] :
         llvm::zip_equal(map.getResults(), ranked.getShape())) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      if (!ShapedType::isDynamic(size) &&
          (!constant || constant.getValue() != size))
        return kernel.emitOpError()
               << "expects shape " << AffineMapAttr::get(map)
               << " to agree with " << type;
    }
  }
  return success();
}

/// kernel-C4.
static LogicalResult verifyConfig(KernelOp kernel) {
  if (!kernel.getConfig())
    return success();
  ConfigAttr config = *kernel.getConfig();
  for (AffineMap map : config.getTiles())
    if (map.getNumSymbols() != kernel.getDims().size())
      return kernel.emitOpError()
             << "expects tile maps of " << kernel.getDims().size()
             << " symbols, got " << AffineMapAttr::get(map);
  ArrayRef<int64_t> pairs = config.getInplace();
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] >= kernel.getNumResults() ||
        pairs[i + 1] >= int64_t(kernel.getArgs().size()))
      return kernel.emitOpError()
             << "expects inplace pairs of an existing result and operand, got ["
             << pairs[i] << ", " << pairs[i + 1] << "]";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  // kernel-C1
  if (getBodyBlock().getArgumentTypes() != TypeRange(getOperandTypes()))
    return emitOpError() << "expects block arguments "
                         << TypeRange(getOperandTypes()) << ", got "
                         << getBodyBlock().getArgumentTypes();
  // kernel-C2
  for (Operation &op : getBodyBlock()) {
    if (!isa_and_nonnull<GraphDialect>(op.getDialect()) ||
        isa<KernelOp, LaunchOp, HostCallOp, IfOp, LoopOp>(op)) {
      auto diagnostic = emitOpError()
                        << "expects computing ops of the graph dialect";
      diagnostic.attachNote(op.getLoc()) << "this is " << op.getName();
      return diagnostic;
    }
  }
  auto yield = dyn_cast<YieldOp>(getBodyBlock().getTerminator());
  if (!yield || yield.getOperandTypes() != TypeRange(getResultTypes()))
    return emitOpError() << "expects the region to yield the result types";
  if (failed(verifyShapes(*this)))
    return failure();
  return verifyConfig(*this);
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // launch-C1
  auto module =
      symbols.lookupNearestSymbolFrom<ModuleOp>(*this, getKernelAttr());
  Operation *entry = nullptr;
  if (module)
    entry = symbols.lookupSymbolIn(module,
                                   StringAttr::get(getContext(), getKernel()));
  if (!isa_and_nonnull<FunctionOpInterface>(entry))
    return emitOpError() << "expects '" << getKernel()
                         << "' to be a module with a function of that name";
  // A lowered kernel takes buffers instead.
  auto function = dyn_cast<func::FuncOp>(entry);
  if (!function ||
      llvm::none_of(function.getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return success();
  // launch-C2
  FunctionType type = function.getFunctionType();
  if (TypeRange(type.getInputs()) != TypeRange(getOperandTypes()) ||
      TypeRange(type.getResults()) != TypeRange(getResultTypes())) {
    auto diagnostic = emitOpError() << "expects the kernel's types";
    diagnostic.attachNote(function.getLoc()) << "they are " << type;
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// RelayoutOp
//===----------------------------------------------------------------------===//

LogicalResult RelayoutOp::verify() {
  // relayout-C1
  if (!areCompatibleTypes(getX().getType(), getType()))
    return emitOpError() << "expects types that differ in the layout only, got "
                         << getX().getType() << " and " << getType();
  return success();
}

OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  auto inner = getX().getDefiningOp<RelayoutOp>();
  if (!inner)
    return {};
  // There and back again.
  if (inner.getX().getType() == getType())
    return inner.getX();
  // A step that nobody else needs is saved; a shared one is kept, since from
  // there the way may be shorter.
  if (!inner->hasOneUse())
    return {};
  getXMutable().assign(inner.getX());
  return getResult();
}

FailureOr<AffineMap> RelayoutOp::getOperandMap(unsigned) {
  auto ranked = dyn_cast<RankedTensorType>(getType());
  if (!ranked)
    return failure();
  return AffineMap::getMultiDimIdentityMap(ranked.getRank(), getContext());
}
