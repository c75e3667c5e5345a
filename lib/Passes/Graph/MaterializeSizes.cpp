// Computes open sizes as index values.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/FunctionSizes.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Graph/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace mlir::atc {
#define GEN_PASS_DEF_MATERIALIZESIZESPASS
#include "atc/Passes/Graph/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;
using graph::FunctionSizes;
using graph::SizeConstraint;
using graph::SizeExpr;

static bool isDynamic(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

static bool hasDynamicSizes(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), isDynamic) ||
         llvm::any_of(function.front(), [](Operation &op) {
           return llvm::any_of(op.getResultTypes(), isDynamic);
         });
}

//===----------------------------------------------------------------------===//
// Tensors of sizes
//===----------------------------------------------------------------------===//

/// The elements of a computed tensor of sizes; nullopt unless all follow from
/// the sizes of the inputs.
static std::optional<SmallVector<SizeExpr>> getPacked(FunctionSizes &sizes,
                                                      Operation &op) {
  if (op.getNumResults() != 1 ||
      isa<graph::ConstantOp, graph::WeightOp, graph::PackSizesOp>(op))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || !type.hasStaticShape() ||
      !(type.getElementType().isInteger(32) ||
        type.getElementType().isInteger(64)))
    return std::nullopt;
  std::optional<graph::ShapeElements> elements =
      sizes.getAnalysis().getElements(op.getResult(0));
  if (!elements)
    return std::nullopt;
  SmallVector<SizeExpr> known;
  for (std::optional<SizeExpr> element : *elements) {
    if (!element || !element->isKnown())
      return std::nullopt;
    known.push_back(*element);
  }
  return known;
}

/// A tensor of sizes at the head of the function.
static Value buildPacked(FunctionSizes &sizes, Location loc,
                         RankedTensorType type, ArrayRef<SizeExpr> elements) {
  OpBuilder &builder = sizes.getBuilder();
  SmallVector<Attribute> numbers;
  for (SizeExpr element : elements)
    if (std::optional<int64_t> number = element.getConstant())
      numbers.push_back(IntegerAttr::get(type.getElementType(), *number));
  if (numbers.size() == elements.size())
    return graph::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, numbers));
  SmallVector<Value> values = llvm::map_to_vector(
      elements, [&](SizeExpr size) { return sizes.buildValue(size); });
  return graph::PackSizesOp::create(builder, loc, type, values);
}

static void packSizes(FunctionSizes &sizes, func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    std::optional<SmallVector<SizeExpr>> elements = getPacked(sizes, op);
    if (!elements)
      continue;
    Value result = op.getResult(0);
    result.replaceAllUsesWith(
        buildPacked(sizes, op.getLoc(),
                    cast<RankedTensorType>(result.getType()), *elements));
  }
}

//===----------------------------------------------------------------------===//
// Ops that say the same without a tensor of sizes
//===----------------------------------------------------------------------===//

/// A tile repeats nothing but dims of size one, or not at all.
static bool isExpansion(FunctionSizes &sizes, graph::TileDynamicOp tile) {
  ArrayRef<SizeExpr> from = sizes.getSizes(tile.getX());
  ArrayRef<SizeExpr> to = sizes.getSizes(tile.getResult());
  return llvm::all_of(llvm::zip_equal(from, to), [](auto pair) {
    auto [before, after] = pair;
    return after.isKnown() && (before.isConstant(1) || before == after);
  });
}

static void expandTiles(FunctionSizes &sizes, func::FuncOp function) {
  for (auto tile :
       llvm::make_early_inc_range(function.getOps<graph::TileDynamicOp>())) {
    if (!isExpansion(sizes, tile))
      continue;
    OpBuilder builder(tile);
    ArrayRef<SizeExpr> wanted = sizes.getSizes(tile.getResult());
    auto type = RankedTensorType::get(static_cast<int64_t>(wanted.size()),
                                      builder.getI64Type());
    Value shape = buildPacked(sizes, tile.getLoc(), type, wanted);
    auto expand = graph::ExpandOp::create(
        builder, tile.getLoc(), tile.getResult().getType(), tile.getX(), shape);
    tile.getResult().replaceAllUsesWith(expand.getResult());
    tile.erase();
  }
}

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

static Value buildCondition(FunctionSizes &sizes,
                            const SizeConstraint &constraint) {
  OpBuilder &builder = sizes.getBuilder();
  Location loc = constraint.op->getLoc();
  Value lhs = sizes.buildValue(constraint.lhs);
  Value rhs = sizes.buildValue(constraint.rhs);
  bool isOrder = constraint.kind == SizeConstraint::Kind::AtMost;
  Value holds = arith::CmpIOp::create(
      builder, loc,
      isOrder ? arith::CmpIPredicate::sle : arith::CmpIPredicate::eq, lhs, rhs);
  if (constraint.kind != SizeConstraint::Kind::BroadcastsTo)
    return holds;
  Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      lhs, sizes.buildValue(1));
  return arith::OrIOp::create(builder, loc, holds, isOne);
}

/// What went wrong, for whoever chose the sizes of the inputs.
static std::string describe(const SizeConstraint &constraint) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << constraint.what
     << (constraint.kind == SizeConstraint::Kind::AtMost
             ? " are out of order in '"
             : " do not match in '")
     << constraint.op->getName().stripDialect() << '\'';
  return text;
}

static void assertDemands(FunctionSizes &sizes) {
  DenseSet<std::tuple<int, const void *, const void *, int64_t, int64_t>> done;
  for (const SizeConstraint &constraint :
       sizes.getAnalysis().getConstraints()) {
    SizeExpr lhs = constraint.lhs, rhs = constraint.rhs;
    bool isNew =
        done.insert({static_cast<int>(constraint.kind), lhs.getPolynomial(),
                     rhs.getPolynomial(), lhs.getConstant().value_or(0),
                     rhs.getConstant().value_or(0)})
            .second;
    if (!isNew || !lhs.isKnown() || !rhs.isKnown())
      continue;
    cf::AssertOp::create(sizes.getBuilder(), constraint.op->getLoc(),
                         buildCondition(sizes, constraint),
                         describe(constraint));
  }
}

static void eraseDead(func::FuncOp function) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {

struct MaterializeSizes
    : mlir::atc::impl::MaterializeSizesPassBase<MaterializeSizes> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !hasDynamicSizes(function))
      return;
    FunctionSizes sizes(function);
    sizes.getAnalysis().refineTypes();
    assertDemands(sizes);
    expandTiles(sizes, function);
    packSizes(sizes, function);
    eraseDead(function);
  }
};

} // namespace
