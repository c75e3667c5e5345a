// Matches kernel regions around one anchor and stores their results.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/AnchoredKernel.h"
#include "atc/Codegen/Cpu/SizeMath.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Whether each element of the op's result needs the element of `operand` at a
/// position that differs for different result elements, and all are needed.
static bool isOneToOne(Operation *op, Value operand) {
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!result || !type)
    return false;
  if (isa<graph::TransposeOp, graph::ReshapeOp, graph::RelayoutOp>(op))
    return op->getOperand(0) == operand;
  // Elementwise without broadcasting this operand, not even at run time.
  return isa<graph::ScalarBodyInterface>(op) &&
         graph::haveSameKernelSizes(operand, op->getResult(0));
}

/// The ops of the region that use the anchor's result, directly or not. False
/// if one of them does not map elements one to one.
static bool collectEpilogue(Operation *anchor,
                            llvm::SmallPtrSetImpl<Operation *> &epilogue,
                            std::string &reason) {
  for (Operation &op : *anchor->getBlock()) {
    if (op.hasTrait<OpTrait::IsTerminator>() || &op == anchor)
      continue;
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || (producer != anchor && !epilogue.contains(producer)))
        continue;
      if (!isOneToOne(&op, operand)) {
        reason = ("'" + op.getName().getStringRef() +
                  "' does not use the anchor's elements one by one")
                     .str();
        return false;
      }
      epilogue.insert(&op);
    }
  }
  return true;
}

std::optional<AnchoredKernel>
AnchoredKernel::match(Block &block, StringRef anchorName, std::string &reason) {
  AnchoredKernel kernel;
  kernel.block = &block;
  for (Operation &op : block.without_terminator()) {
    if (op.getName().getStringRef() == anchorName) {
      if (kernel.anchor) {
        reason = ("the region holds two '" + anchorName + "' ops").str();
        return std::nullopt;
      }
      kernel.anchor = &op;
    }
  }
  if (!kernel.anchor)
    return std::nullopt;
  for (Operation &op : block.without_terminator())
    if (&op != kernel.anchor && !isKernelPointwise(&op, reason))
      return std::nullopt;
  llvm::SmallPtrSet<Operation *, 8> epilogue;
  if (!collectEpilogue(kernel.anchor, epilogue, reason))
    return std::nullopt;
  for (Value value : kernel.yielded()) {
    Operation *producer = value.getDefiningOp();
    if (producer != kernel.anchor && !epilogue.contains(producer)) {
      reason = "a result of the region does not depend on its anchor";
      return std::nullopt;
    }
  }
  return kernel;
}

std::optional<unsigned> AnchoredKernel::argumentNumber(Value tensor) const {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || argument.getOwner() != block)
    return std::nullopt;
  return argument.getArgNumber();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Regroups strides to another static shape of the same elements; fails where
/// dims that merge are not adjacent.
static std::optional<SmallVector<OpFoldResult>>
reshapeStrides(IndexBuilder &index, ArrayRef<int64_t> from,
               ArrayRef<OpFoldResult> strides, ArrayRef<int64_t> to) {
  SmallVector<OpFoldResult> result(to.size(), index.constant(0));
  // Nothing is read from an empty tensor.
  if (llvm::is_contained(to, 0))
    return result;
  // Innermost first: `size` elements at distance `stride` are not yet dealt to
  // dims of the result.
  size_t source = from.size();
  int64_t size = 1;
  OpFoldResult stride = index.constant(0);
  for (size_t dim = to.size(); dim-- > 0;) {
    if (to[dim] == 1)
      continue;
    int64_t covered = 1;
    while (size == 1 && source > 0) {
      size = from[--source];
      stride = strides[source];
    }
    result[dim] = stride;
    // Take whole source dims until this dim is filled.
    while (covered * size < to[dim]) {
      if (source == 0)
        return std::nullopt;
      covered *= size;
      std::optional<int64_t> inner = IndexBuilder::getConstant(stride);
      int64_t innerSize = size;
      do {
        if (source == 0)
          return std::nullopt;
        size = from[--source];
        stride = strides[source];
      } while (size == 1);
      std::optional<int64_t> outer = IndexBuilder::getConstant(stride);
      if (!inner || outer != *inner * innerSize)
        return std::nullopt;
    }
    int64_t taken = to[dim] / covered;
    if (taken * covered != to[dim] || size % taken != 0)
      return std::nullopt;
    size /= taken;
    stride = index.mul(stride, taken);
  }
  return result;
}

static bool isStatic(Operation *op) {
  return cast<ShapedType>(op->getOperand(0).getType()).hasStaticShape() &&
         cast<ShapedType>(op->getResult(0).getType()).hasStaticShape();
}

/// The same for shapes with open dims: dims may be split and change places with
/// dims of 1, but do not merge.
static std::optional<SmallVector<OpFoldResult>>
reshapeOpenStrides(IndexBuilder &index, graph::ReshapeOp reshape,
                   ArrayRef<OpFoldResult> strides,
                   ArrayRef<OpFoldResult> sizes) {
  std::optional<AffineMap> from = graph::getKernelSizes(reshape.getX());
  std::optional<AffineMap> to = graph::getKernelSizes(reshape.getResult());
  if (!from || !to)
    return std::nullopt;
  SmallVector<OpFoldResult> result(sizes.size(), index.constant(0));
  for (const ReshapeGroup &group :
       groupReshape(from->getResults(), to->getResults())) {
    if (group.fromEnd - group.fromBegin != 1)
      return std::nullopt;
    OpFoldResult stride = strides[group.fromBegin];
    for (size_t dim = group.toEnd; dim-- > group.toBegin;) {
      result[dim] = stride;
      stride = index.mul(stride, sizes[dim]);
    }
  }
  return result;
}

/// Gives the size of a dim of a tensor.
using SizeOf = function_ref<OpFoldResult(Value, unsigned)>;

/// Applies one movement op to the view of its operand.
static std::optional<TensorView> applyMovement(IndexBuilder &index,
                                               Operation *op,
                                               const TensorView &operand,
                                               SizeOf sizeOf) {
  if (auto transpose = dyn_cast<graph::TransposeOp>(op))
    return operand.permuted(transpose.getPermutation());

  Value result = op->getResult(0);
  auto resultType = dyn_cast<RankedTensorType>(result.getType());
  if (!resultType)
    return std::nullopt;
  TensorView view = operand;
  view.type = resultType;
  view.sizes.clear();
  for (unsigned dim = 0; dim < resultType.getRank(); ++dim)
    view.sizes.push_back(sizeOf(result, dim));
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
    std::optional<SmallVector<OpFoldResult>> strides =
        isStatic(op)
            ? reshapeStrides(index, operand.type.getShape(), operand.strides,
                             resultType.getShape())
            : reshapeOpenStrides(index, reshape, operand.strides, view.sizes);
    if (!strides)
      return std::nullopt;
    view.strides = *strides;
    return view;
  }
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    for (auto [dim, start] : llvm::enumerate(slice.getStarts()))
      view.base = index.add(view.base, index.mul(operand.strides[dim], start));
    for (auto [dim, step] : llvm::enumerate(slice.getSteps()))
      view.strides[dim] = index.mul(operand.strides[dim], step);
    return view;
  }
  // Which dims repeat may only be known at run time.
  if (isa<graph::ExpandOp>(op) && isStatic(op)) {
    view.strides.assign(resultType.getRank(), index.constant(0));
    unsigned lead = resultType.getRank() - operand.getRank();
    for (unsigned dim = 0; dim < operand.getRank(); ++dim)
      if (operand.type.getDimSize(dim) != 1)
        view.strides[lead + dim] = operand.strides[dim];
    return view;
  }
  return std::nullopt;
}

/// Follows movement ops from `tensor` down to an argument; `getView` gives the
/// argument's view.
static std::optional<TensorView>
followMovement(IndexBuilder &index, Value tensor, SizeOf sizeOf,
               function_ref<std::optional<TensorView>(Value)> getView) {
  SmallVector<Operation *> chain;
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<graph::TransposeOp, graph::ReshapeOp, graph::SliceOp,
             graph::ExpandOp>(op))
      return std::nullopt;
    chain.push_back(op);
    tensor = op->getOperand(0);
  }
  std::optional<TensorView> view = getView(tensor);
  if (!view || view->isTiled())
    return std::nullopt;
  for (Operation *op : llvm::reverse(chain)) {
    view = applyMovement(index, op, *view, sizeOf);
    if (!view)
      return std::nullopt;
  }
  return view;
}

std::optional<TensorView> mlir::atc::cpu::resolveView(KernelLaunch &launch,
                                                      Value tensor) {
  auto sizeOf = [&](Value value, unsigned dim) {
    return launch.region->sizeOf(value, dim);
  };
  return followMovement(launch.region->getIndex(), tensor, sizeOf,
                        [&](Value argument) -> std::optional<TensorView> {
                          const TensorView *view =
                              launch.region->getView(argument);
                          return view ? std::optional(*view) : std::nullopt;
                        });
}

std::optional<TensorView> mlir::atc::cpu::describeView(Value tensor) {
  MLIRContext *context = tensor.getContext();
  OpBuilder builder(context);
  IndexBuilder index(builder, UnknownLoc::get(context));
  // Open sizes are as good as any; what depends on them is not told.
  auto sizeOf = [&](Value value, unsigned dim) {
    auto type = cast<RankedTensorType>(value.getType());
    return index.constant(type.isDynamicDim(dim) ? 0 : type.getDimSize(dim));
  };
  return followMovement(
      index, tensor, sizeOf, [&](Value argument) -> std::optional<TensorView> {
        auto type = dyn_cast<RankedTensorType>(argument.getType());
        if (!type)
          return std::nullopt;
        TensorView view;
        view.type = type;
        view.layout = layoutOf(type);
        view.base = index.constant(0);
        // Dynamic dims leave only the innermost stride known.
        OpFoldResult unknown = index.constant(0);
        view.sizes.assign(type.getRank(), unknown);
        view.strides.assign(type.getRank(), unknown);
        if (view.isTiled())
          return view;
        if (!type.hasStaticShape()) {
          if (type.getRank() > 0)
            view.strides[view.layout.permutation.back()] = index.constant(1);
          return view;
        }
        std::vector<int64_t> shape(type.getShape().begin(),
                                   type.getShape().end());
        ::atc::PhysicalLayout::Strides strides = view.layout.strides(shape);
        for (int64_t dim = 0; dim < type.getRank(); ++dim) {
          view.sizes[dim] = index.constant(shape[dim]);
          view.strides[dim] = index.constant(strides.strides[dim]);
        }
        return view;
      });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void AnchoredStore::store(const VectorPoint &point, Value elements) {
  RegionEmitter &region = *launch.region;
  Value anchor = kernel.anchor->getResult(0);
  region.bind(anchor, elements);
  for (auto [result, tensor] : llvm::enumerate(kernel.yielded())) {
    FailureOr<VectorPoint> place = region.mapForward(anchor, point, tensor);
    FailureOr<Value> value = failure();
    if (succeeded(place))
      value = region.value(tensor, *place);
    if (failed(value)) {
      hasFailed = true;
      return;
    }
    region.store(launch.results[result], *place, *value);
  }
}

void AnchoredStore::prefetch(ArrayRef<OpFoldResult> point) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(kernel.anchor->getResult(0).getType()).getShape();
  for (Operation &op : kernel.block->without_terminator())
    if (isa<graph::TransposeOp, graph::ReshapeOp>(op))
      return;
  auto prefetchLine = [&](const TensorView &view, bool isWrite) {
    if (view.isTiled() || view.type.getShape() != shape)
      return;
    IndexBuilder &index = launch.region->getIndex();
    Value offset = index.value(view.offset(index, point));
    memref::PrefetchOp::create(*launch.builder, kernel.anchor->getLoc(),
                               view.buffer, offset, isWrite,
                               /*localityHint=*/3, /*isDataCache=*/true);
  };
  prefetchLine(launch.results.front(), /*isWrite=*/true);
  for (auto [number, view] : llvm::enumerate(launch.operands))
    if (!llvm::is_contained(kernel.anchor->getOperands(),
                            Value(kernel.block->getArgument(number))))
      prefetchLine(view, /*isWrite=*/false);
}

//===----------------------------------------------------------------------===//
// Kernel operands
//===----------------------------------------------------------------------===//

FailureOr<AffineExpr> mlir::atc::cpu::sizeExpression(Value tensor,
                                                     unsigned dim) {
  std::optional<AffineMap> sizes = graph::getKernelSizes(tensor);
  if (!sizes)
    return failure();
  return sizes->getResult(dim);
}

bool mlir::atc::cpu::isConstantOperand(graph::KernelOp kernel,
                                       unsigned operand) {
  Operation *producer = kernel.getArgs()[operand].getDefiningOp();
  return isa_and_nonnull<graph::WeightOp, graph::ConstantOp>(producer);
}

void mlir::atc::cpu::tellOperandShape(graph::KernelOp kernel,
                                      unsigned operand) {
  if (!kernel.getShapes())
    return;
  MLIRContext *context = kernel.getContext();
  auto type = cast<RankedTensorType>(kernel->getOperand(operand).getType());
  SmallVector<AffineExpr> sizes =
      llvm::map_to_vector(type.getShape(), [&](int64_t size) {
        return getAffineConstantExpr(size, context);
      });
  SmallVector<Attribute> shapes(kernel.getShapesAttr().getValue());
  shapes[operand] = AffineMapAttr::get(
      AffineMap::get(0, kernel.getDims().size(), sizes, context));
  kernel.setShapesAttr(ArrayAttr::get(context, shapes));
}
