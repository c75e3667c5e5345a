// Questions about constants that several rewrites ask.
// SPDX-License-Identifier: Apache-2.0
#include "ConstantMatch.h"
#include "atc/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace mlir::atc;

/// Ops looked at before a value is no longer called constant. Rewrites make
/// constants of three or four ops; the limit keeps long chains linear.
static constexpr unsigned searchLimit = 16;

bool mlir::atc::isConstantValue(Value value) {
  SmallVector<Value> worklist{value};
  for (unsigned visited = 0; !worklist.empty(); ++visited) {
    Operation *def = worklist.pop_back_val().getDefiningOp();
    if (!def || visited == searchLimit)
      return false;
    if (isa<graph::WeightOp, graph::ConstantOp>(def))
      continue;
    if (def->getNumOperands() == 0 || !isPure(def) || def->getNumRegions() != 0)
      return false;
    llvm::append_range(worklist, def->getOperands());
  }
  return true;
}

std::optional<double> mlir::atc::getSplatFloat(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant)
    return std::nullopt;
  auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!elements || !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

bool mlir::atc::isScalarLike(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

bool mlir::atc::variesOnlyAlong(Value value, int64_t rank, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getRank() > rank)
    return false;
  int64_t offset = rank - type.getRank();
  for (auto [index, size] : llvm::enumerate(type.getShape()))
    if (size != 1 && static_cast<int64_t>(index) + offset != dim)
      return false;
  return true;
}
