// Sizes of the tensors of a kernel as expressions of its dims.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

/// The map at a position of an array of maps, if it fits the tensor.
static std::optional<AffineMap> mapAt(ArrayAttr maps, size_t position,
                                      RankedTensorType type) {
  if (!maps || position >= maps.size())
    return std::nullopt;
  auto map = dyn_cast<AffineMapAttr>(maps[position]);
  if (!map || map.getValue().getNumDims() != 0 ||
      map.getValue().getNumResults() != type.getRank())
    return std::nullopt;
  return map.getValue();
}

static ArrayAttr shapesOf(Operation *kernel) {
  if (auto op = dyn_cast<KernelOp>(kernel))
    return op.getShapesAttr();
  return kernel->getAttrOfType<ArrayAttr>(shapesAttrName);
}

static Block *blockOf(Value tensor) { return tensor.getParentBlock(); }

unsigned mlir::atc::graph::getKernelDimCount(Value tensor) {
  return llvm::count_if(blockOf(tensor)->getArgumentTypes(),
                        [](Type type) { return isa<IndexType>(type); });
}

std::optional<AffineMap> mlir::atc::graph::getKernelSizes(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return std::nullopt;
  MLIRContext *context = type.getContext();
  if (type.hasStaticShape()) {
    SmallVector<AffineExpr> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(getAffineConstantExpr(size, context));
    return AffineMap::get(0, getKernelDimCount(tensor), sizes, context);
  }
  Block *block = blockOf(tensor);
  ArrayAttr shapes = shapesOf(block->getParentOp());
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return mapAt(shapes, argument.getArgNumber(), type);
  auto result = cast<OpResult>(tensor);
  if (auto sizes = result.getOwner()->getAttrOfType<ArrayAttr>(
          GraphDialect::getSizesAttrName()))
    return mapAt(sizes, result.getResultNumber(), type);
  // What a kernel yields stands in its `shapes` too.
  if (block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>())
    return std::nullopt;
  size_t operands = block->getNumArguments() - getKernelDimCount(tensor);
  for (auto [number, yielded] : llvm::enumerate(block->back().getOperands()))
    if (yielded == tensor)
      return mapAt(shapes, operands + number, type);
  return std::nullopt;
}

bool mlir::atc::graph::haveSameKernelSizes(Value lhs, Value rhs) {
  auto left = cast<RankedTensorType>(lhs.getType());
  auto right = cast<RankedTensorType>(rhs.getType());
  if (left.getShape() != right.getShape())
    return false;
  if (left.hasStaticShape())
    return true;
  std::optional<AffineMap> leftSizes = getKernelSizes(lhs);
  std::optional<AffineMap> rightSizes = getKernelSizes(rhs);
  return leftSizes && rightSizes &&
         leftSizes->getResults() == rightSizes->getResults();
}
