// Constants of a module: ranges of files, and constant functions over them.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Weight.h"
#include "atc/Dialect/Graph/IR/ControlFlow.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Weight.cpp.inc"

void GraphDialect::registerWeightOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Weight.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// WeightDataOp
//===----------------------------------------------------------------------===//

/// Bits of an element in a buffer; a boolean fills a byte. Nullopt where the
/// size is not fixed.
static std::optional<int64_t> getBufferBits(Type element) {
  if (element.isSignlessInteger(1))
    return 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  if (element.isIntOrFloat())
    return element.getIntOrFloatBitWidth();
  return std::nullopt;
}

LogicalResult WeightDataOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  // weight_data-C2
  std::optional<int64_t> bits = getBufferBits(type.getElementType());
  if (!bits || type.getEncoding())
    return emitOpError() << "expects elements of a fixed size and no layout, "
                            "got "
                         << type;
  // weight_data-C1
  int64_t total = *bits;
  for (int64_t dim : type.getShape())
    if (llvm::MulOverflow(total, dim, total))
      return emitOpError() << "expects a type whose size fits, got " << type;
  int64_t bytes = total / 8 + (total % 8 != 0);
  if (bytes != getLength())
    return emitOpError() << "expects length " << bytes << " for " << type
                         << ", got " << getLength();
  int64_t end;
  if (llvm::AddOverflow(getOffset(), getLength(), end))
    return emitOpError() << "expects an offset whose end fits, got "
                         << getOffset();
  return success();
}

//===----------------------------------------------------------------------===//
// RecipeOp
//===----------------------------------------------------------------------===//

LogicalResult RecipeOp::verify() {
  // recipe-C1
  if (getBody().front().getNumArguments() != 0)
    return emitOpError() << "expects a region without arguments";
  return success();
}

LogicalResult RecipeOp::verifyRegions() {
  // recipe-C1
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getNumOperands() != 1)
    return emitOpError() << "expects the region to yield one value";
  if (yield.getOperand(0).getType() != getType()) {
    auto diagnostic = emitOpError()
                      << "expects the region to yield " << getType();
    diagnostic.attachNote(yield.getLoc())
        << "it yields " << yield.getOperand(0).getType();
    return diagnostic;
  }
  // recipe-C2
  for (Operation &op : getBody().front()) {
    if (!isa_and_nonnull<GraphDialect>(op.getDialect()) ||
        !isMemoryEffectFree(&op)) {
      auto diagnostic = emitOpError()
                        << "expects ops of the graph dialect without effects";
      diagnostic.attachNote(op.getLoc()) << "this is " << op.getName();
      return diagnostic;
    }
  }
  return success();
}
