// A kernel of one op, to ask templates about the op.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Common/SingleOpKernel.h"
#include "atc/Dialect/Graph/IR/EmbeddedConstant.h"
#include "atc/Dialect/Graph/IR/GraphDialect.h"

using namespace mlir;
using namespace mlir::atc;

/// Gives each open size of the kernel's tensors a dim of its own: what sizes
/// have in common is not known. The dims have no values yet.
static void addDims(graph::KernelOp kernel, Operation *op) {
  MLIRContext *context = op->getContext();
  unsigned count = 0;
  auto sizesOf = [&](Type type) {
    SmallVector<AffineExpr> sizes;
    for (int64_t size : cast<RankedTensorType>(type).getShape())
      sizes.push_back(ShapedType::isDynamic(size)
                          ? getAffineSymbolExpr(count++, context)
                          : getAffineConstantExpr(size, context));
    return sizes;
  };
  SmallVector<SmallVector<AffineExpr>> operands =
      llvm::map_to_vector(kernel.getArgs().getTypes(), sizesOf);
  SmallVector<SmallVector<AffineExpr>> results =
      llvm::map_to_vector(kernel.getResultTypes(), sizesOf);
  auto toAttribute = [&](ArrayRef<AffineExpr> sizes) -> Attribute {
    return AffineMapAttr::get(AffineMap::get(0, count, sizes, context));
  };
  SmallVector<Attribute> shapes = llvm::map_to_vector(
      llvm::concat<SmallVector<AffineExpr>>(operands, results),
      [&](auto &sizes) { return toAttribute(sizes); });
  if (count == 0)
    return;
  kernel.setShapesAttr(ArrayAttr::get(context, shapes));
  op->setAttr(
      graph::GraphDialect::getSizesAttrName(),
      ArrayAttr::get(context, ArrayRef(shapes).drop_front(operands.size())));
  for (unsigned i = 0; i < count; ++i)
    kernel.getBodyBlock().addArgument(IndexType::get(context), op->getLoc());
}

OwningOpRef<graph::KernelOp> mlir::atc::createSingleOpKernel(Operation *op) {
  SmallVector<Value> operands;
  SmallVector<Operation *> constants;
  for (OpOperand &operand : op->getOpOperands())
    if (graph::isEmbeddedConstant(operand))
      constants.push_back(operand.get().getDefiningOp());
    else
      operands.push_back(operand.get());
  OpBuilder builder(op->getContext());
  OwningOpRef<graph::KernelOp> kernel =
      graph::KernelOp::create(builder, op->getLoc(), op->getResultTypes(),
                              operands, /*dims=*/ValueRange());
  builder.setInsertionPointToEnd(&kernel->getBodyBlock());
  IRMapping mapping;
  mapping.map(operands, kernel->getBodyBlock().getArguments());
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  Operation *clone = builder.clone(*op, mapping);
  auto isRanked = [](Type type) { return isa<RankedTensorType>(type); };
  if (llvm::all_of(kernel->getArgs().getTypes(), isRanked) &&
      llvm::all_of(kernel->getResultTypes(), isRanked))
    addDims(*kernel, clone);
  // A range of results alone would pass for result types.
  graph::YieldOp::create(builder, op->getLoc(),
                         ValueRange(clone->getResults()));
  return kernel;
}
