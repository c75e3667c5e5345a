// Elementwise ops: scalar bodies and verifiers.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Elementwise.h"
#include "atc/Dialect/Graph/IR/Folding.h"
#include "atc/Dialect/Graph/IR/ScalarBody.h"
#include "atc/Dialect/Graph/IR/TileMap.h"
#include "atc/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace mlir::atc::graph;

#define GET_OP_CLASSES
#include "atc/Dialect/Graph/IR/Elementwise.cpp.inc"

void GraphDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Graph/IR/Elementwise.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  Type from = getElementTypeOrSelf(getX()), to = getTo();
  // cast-C2
  bool isElement = isa<FloatType, ComplexType, StringType>(to) ||
                   isGraphInteger(to) || to.isSignlessInteger(1);
  if (!isElement)
    return emitOpError() << "expects 'to' to be an element type, got " << to;
  // cast-C1
  if (isa<ComplexType>(from) != isa<ComplexType>(to))
    return emitOpError() << "expects no cast between complex and other "
                            "numbers, got "
                         << from << " to " << to;
  return success();
}

LogicalResult CompareOp::verify() {
  Type element = getElementTypeOrSelf(getLhs());
  bool isOrdered = isa<FloatType>(element) || isGraphInteger(element);
  ComparePredicate predicate = getPredicate();
  // compare-C1
  if (!isOrdered && predicate != ComparePredicate::eq &&
      predicate != ComparePredicate::ne)
    return emitOpError() << "expects predicate eq or ne for " << element
                         << ", got " << stringifyComparePredicate(predicate);
  return success();
}
