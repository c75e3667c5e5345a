// Variables: tensors that outlive a run.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/State.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"
#include "atc/Dialect/Graph/IR/Weight.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/State.cpp.inc"

void GraphDialect::registerStateOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/State.cpp.inc"
      >();
}

/// The variable that an op names, or an error.
static FailureOr<VariableOp> lookupVariable(Operation *op,
                                            FlatSymbolRefAttr name,
                                            SymbolTableCollection &symbols) {
  auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name);
  if (!variable)
    return op->emitOpError()
           << "expects '" << name.getValue() << "' to be a variable";
  return variable;
}

/// read-C1 and assign-C1.
static LogicalResult verifyWholeAccess(Operation *op, FlatSymbolRefAttr name,
                                       Type type,
                                       SymbolTableCollection &symbols) {
  FailureOr<VariableOp> variable = lookupVariable(op, name, symbols);
  if (failed(variable))
    return failure();
  if (!areCompatibleTypes(type, variable->getType())) {
    auto diagnostic = op->emitOpError()
                      << "expects the variable's type, got " << type;
    diagnostic.attachNote(variable->getLoc())
        << "its type is " << variable->getType();
    return diagnostic;
  }
  return success();
}

LogicalResult VariableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FlatSymbolRefAttr initial = getInitialAttr();
  if (!initial)
    return success();
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, initial);
  Type type;
  if (auto data = dyn_cast_or_null<WeightDataOp>(symbol))
    type = data.getType();
  else if (auto recipe = dyn_cast_or_null<RecipeOp>(symbol))
    type = recipe.getType();
  // variable-C2
  if (type != getType())
    return emitOpError() << "expects 'initial' to be a constant of type "
                         << getType();
  return success();
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyWholeAccess(*this, getVariableAttr(), getType(), symbols);
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyWholeAccess(*this, getVariableAttr(), getValue().getType(),
                           symbols);
}

LogicalResult AssignSliceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<VariableOp> variable =
      lookupVariable(*this, getVariableAttr(), symbols);
  if (failed(variable))
    return failure();
  auto whole = cast<RankedTensorType>(variable->getType());
  auto part = cast<TensorType>(getValue().getType());
  // assign_slice-C1
  if (whole.getElementType() != part.getElementType() ||
      (part.hasRank() && part.getRank() != whole.getRank()))
    return emitOpError() << "expects a value of the variable's element type "
                            "and rank, got "
                         << part << " for " << whole;
  // assign_slice-C2
  if (part.hasRank())
    for (auto [size, bound] :
         llvm::zip_equal(part.getShape(), whole.getShape()))
      if (!ShapedType::isDynamic(size) && size > bound)
        return emitOpError() << "expects no size above the variable's, got "
                             << size << " above " << bound;
  // assign_slice-C3
  auto starts = dyn_cast<RankedTensorType>(getStarts().getType());
  if (starts && (starts.getRank() != 1 ||
                 !mergeDims(starts.getDimSize(0), whole.getRank())))
    return emitOpError() << "expects " << whole.getRank() << " starts, got "
                         << starts;
  return success();
}
