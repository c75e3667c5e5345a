// Registration of the graph dialect, and the attributes of its functions.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Creation.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::graph;

#include "atc/Dialect/Graph/IR/GraphDialect.cpp.inc"
#include "atc/Dialect/Graph/IR/GraphEnums.cpp.inc"
#include "atc/Dialect/Graph/IR/GraphInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "atc/Dialect/Graph/IR/GraphTypes.cpp.inc"

void GraphDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerElementwiseOps();
  registerReductionOps();
  registerMatMulOps();
  registerConvolutionOps();
  registerPoolingOps();
  registerNormalizationOps();
  registerAttentionOps();
  registerMovementOps();
  registerIndexingOps();
  registerShapeOps();
  registerCreationOps();
  registerWeightOps();
  registerQuantizationOps();
  registerControlFlowOps();
  registerStateOps();
  registerKernelOps();
}

void GraphDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "atc/Dialect/Graph/IR/GraphTypes.cpp.inc"
      >();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value)) {
    if (!isa<RankedTensorType>(type) || !ConstantOp::canHold(elements))
      return nullptr;
    return ConstantOp::create(builder, loc, type, elements);
  }
  if (auto typed = dyn_cast<TypedAttr>(value); typed && type.isIndex())
    return arith::ConstantOp::create(builder, loc, type, typed);
  return nullptr;
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  // `graph.target` names the device that the module is compiled for.
  if (attribute.getName() == "graph.target") {
    if (!isa<ModuleOp>(op) || !isa<StringAttr>(attribute.getValue()))
      return op->emitOpError()
             << "expects 'graph.target' to be a string on a module";
  }
  return success();
}

bool graph::isGraphInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  switch (integer.getWidth()) {
  case 2:
  case 4:
  case 8:
  case 16:
  case 32:
  case 64:
    return true;
  default:
    return false;
  }
}
