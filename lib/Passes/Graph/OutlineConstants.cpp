// Moves computations on constants into recipes.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Graph/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::atc {
#define GEN_PASS_DEF_OUTLINECONSTANTSPASS
#include "atc/Passes/Graph/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

/// Bytes of a static tensor in its layout; nullopt for what has no fixed size.
static std::optional<int64_t> staticBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

namespace {

class ConstantOutliner {
public:
  ConstantOutliner(ModuleOp module, int64_t growth)
      : symbols(module), growth(growth) {}

  void outline(func::FuncOp function);
  unsigned numRecipes = 0;

private:
  static bool isLeaf(Operation *op) {
    return isa<graph::WeightOp, graph::ConstantOp>(op);
  }
  bool isConstant(Operation *op) const;
  /// An op that computes a constant and is read by one that does not.
  bool isRoot(Operation *op) const;
  void makeRecipe(Operation *root);

  /// Results up to this size are stored whatever they come from.
  static constexpr int64_t smallBytes = 1 << 20;

  SymbolTable symbols;
  int64_t growth;
  DenseSet<Operation *> constants;
};

bool ConstantOutliner::isConstant(Operation *op) const {
  if (isLeaf(op))
    return true;
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 || !isPure(op) ||
      !isa<graph::GraphDialect>(op->getDialect()) || op->getNumRegions() != 0)
    return false;
  std::optional<int64_t> resultBytes = staticBytes(op->getResult(0));
  if (!resultBytes)
    return false;
  int64_t operandBytes = 0;
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || !constants.contains(def))
      return false;
    operandBytes += staticBytes(operand).value_or(0);
  }
  return *resultBytes <= smallBytes || *resultBytes <= growth * operandBytes;
}

bool ConstantOutliner::isRoot(Operation *op) const {
  return constants.contains(op) && !isLeaf(op) &&
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           return !constants.contains(user);
         });
}

void ConstantOutliner::makeRecipe(Operation *root) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Operation *> worklist{root};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!slice.insert(op))
      continue;
    for (Value operand : op->getOperands())
      worklist.push_back(operand.getDefiningOp());
  }
  SmallVector<Operation *> ordered = slice.takeVector();
  llvm::sort(ordered, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });

  Value result = root->getResult(0);
  OpBuilder builder(root->getContext());
  auto recipe =
      graph::RecipeOp::create(builder, root->getLoc(), "recipe",
                              cast<RankedTensorType>(result.getType()));
  builder.createBlock(&recipe.getBody());
  IRMapping mapping;
  for (Operation *op : ordered)
    builder.clone(*op, mapping);
  graph::YieldOp::create(builder, root->getLoc(), mapping.lookup(result));
  StringAttr name = symbols.insert(recipe);

  builder.setInsertionPoint(root);
  auto weight = graph::WeightOp::create(builder, root->getLoc(),
                                        result.getType(), name.getValue());
  result.replaceUsesWithIf(weight.getResult(), [&](OpOperand &use) {
    return !constants.contains(use.getOwner());
  });
  ++numRecipes;
}

void ConstantOutliner::outline(func::FuncOp function) {
  Block &body = function.front();
  for (Operation &op : body)
    if (isConstant(&op))
      constants.insert(&op);
  SmallVector<Operation *> roots;
  for (Operation &op : body)
    if (isRoot(&op))
      roots.push_back(&op);
  for (Operation *root : roots)
    makeRecipe(root);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (constants.contains(&op) && op.use_empty()) {
      constants.erase(&op);
      op.erase();
    }
}

struct OutlineConstants
    : mlir::atc::impl::OutlineConstantsPassBase<OutlineConstants> {
  using Base::Base;

  void runOnOperation() override {
    ConstantOutliner outliner(getOperation(), growth);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        outliner.outline(function);
    numRecipes += outliner.numRecipes;
  }
};

} // namespace
