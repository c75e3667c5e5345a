// Constants.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Creation.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"
#include "atc/Dialect/Graph/IR/Weight.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Creation.cpp.inc"

void GraphDialect::registerCreationOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Creation.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto value = dyn_cast_or_null<ElementsAttr>(adaptor.getValueAttr());
  if (!value)
    return InferenceError(getOperationName(), location)("expects a value");
  auto type = cast<ShapedType>(value.getType());
  types.push_back(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  return success();
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  // A result of a less precise type, or with a layout, follows the value.
  Type type = value.getType();
  if (succeeded(parser.parseOptionalArrow()) && parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
  if (getType() != getValue().getType())
    printer << " -> " << getType();
}

bool ConstantOp::canHold(ElementsAttr value) {
  if (value.isSplat())
    return true;
  auto type = cast<ShapedType>(value.getType());
  int64_t bytes = 0;
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value)) {
    for (StringRef text : strings.getRawStringData())
      bytes += text.size();
    return bytes <= getSizeLimit();
  }
  Type element = type.getElementType();
  unsigned bits = 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (element.isIntOrFloat())
    bits = std::max(8u, element.getIntOrFloatBitWidth());
  return type.getNumElements() <= getSizeLimit() * 8 / bits;
}

LogicalResult ConstantOp::verify() {
  // constant-C1
  if (!canHold(getValue()))
    return emitOpError() << "expects a value of at most " << getSizeLimit()
                         << " bytes, got " << getValue().getType();
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

//===----------------------------------------------------------------------===//
// WeightOp
//===----------------------------------------------------------------------===//

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getSymbolAttr());
  // weight-C1
  TypeAttr type;
  if (auto data = dyn_cast_or_null<WeightDataOp>(symbol))
    type = data.getTypeAttr();
  else if (auto recipe = dyn_cast_or_null<RecipeOp>(symbol))
    type = recipe.getTypeAttr();
  if (!type)
    return emitOpError() << "expects '" << getSymbol()
                         << "' to be a weight_data or recipe";
  if (type.getValue() != getType()) {
    auto diagnostic = emitOpError() << "expects the type of '" << getSymbol()
                                    << "', got " << getType();
    diagnostic.attachNote(symbol->getLoc()) << "its type is " << type;
    return diagnostic;
  }
  return success();
}
