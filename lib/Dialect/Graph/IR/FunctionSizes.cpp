// Sizes of a function's tensors as index values at its head.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/FunctionSizes.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::atc::graph;

/// Whether the op is part of the arithmetic at the head of a function.
static bool isSizeArithmetic(Operation &op) {
  if (isa<cf::AssertOp, PackSizesOp>(op))
    return true;
  return op.getNumResults() == 1 && op.getNumRegions() == 0 &&
         (op.getResult(0).getType().isIndex() ||
          op.getResult(0).getType().isInteger(1));
}

FunctionSizes::FunctionSizes(func::FuncOp function)
    : analysis(function), builder(function.getContext()),
      sizes(builder, function.getLoc(),
            [this, function](unsigned argument, unsigned axis) mutable {
              return Value(DimOp::create(builder, function.getLoc(),
                                         builder.getIndexType(),
                                         function.getArgument(argument), axis));
            }) {
  Block &block = function.front();
  auto position = block.begin();
  for (; position != block.end() && isSizeArithmetic(*position); ++position)
    for (Value value : position->getResults())
      if (value.getType().isIndex())
        sizes.reuse(analysis.getContext().fromValue(value), value);
  builder.setInsertionPoint(&block, position);
}

bool FunctionSizes::haveSameSizes(Value lhs, Value rhs) const {
  return isa<RankedTensorType>(lhs.getType()) &&
         isa<RankedTensorType>(rhs.getType()) && getSizes(lhs) == getSizes(rhs);
}

SizeExpr FunctionSizes::countElements(Value tensor) const {
  if (!isa<RankedTensorType>(tensor.getType()))
    return 0;
  SizeExpr count = 1;
  for (SizeExpr size : getSizes(tensor))
    count = count * size;
  return count;
}

SmallVector<AffineExpr> KernelDims::getSizes(Value tensor) {
  MLIRContext *context = tensor.getContext();
  SmallVector<AffineExpr> result;
  for (SizeExpr size : function.getSizes(tensor)) {
    if (std::optional<int64_t> number = size.getConstant()) {
      result.push_back(getAffineConstantExpr(*number, context));
      continue;
    }
    auto known = llvm::find(dims, size);
    result.push_back(getAffineSymbolExpr(known - dims.begin(), context));
    if (known != dims.end())
      continue;
    dims.push_back(size);
    values.push_back(function.buildValue(size));
  }
  return result;
}

ArrayAttr KernelDims::finish(ArrayRef<SmallVector<AffineExpr>> sizes) const {
  SmallVector<Attribute> maps;
  MLIRContext *context = function.getBuilder().getContext();
  for (const SmallVector<AffineExpr> &exprs : sizes)
    maps.push_back(AffineMapAttr::get(
        AffineMap::get(/*dimCount=*/0, dims.size(), exprs, context)));
  return ArrayAttr::get(context, maps);
}
