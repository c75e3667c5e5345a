// Recognizes scaled dot-product attention.
// SPDX-License-Identifier: Apache-2.0
#include "ConstantMatch.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Graph/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::atc {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "atc/Passes/Graph/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

namespace {

/// What stands between the two products.
struct Scores {
  graph::MatMulOp product;
  double scale = 1.0;
  Value mask;
};

/// Follows single uses from the softmax back to the product of q and k.
static std::optional<Scores> matchScores(Value value) {
  Scores scores;
  while (Operation *def = value.getDefiningOp()) {
    if (!def->hasOneUse())
      return std::nullopt;
    if (auto matmul = dyn_cast<graph::MatMulOp>(def)) {
      scores.product = matmul;
      return scores;
    }
    if (auto mul = dyn_cast<graph::MulOp>(def)) {
      std::optional<double> factor = getSplatFloat(mul.getRhs());
      if (!factor)
        return std::nullopt;
      scores.scale *= *factor;
      value = mul.getLhs();
    } else if (auto div = dyn_cast<graph::DivOp>(def)) {
      std::optional<double> divisor = getSplatFloat(div.getRhs());
      if (!divisor || *divisor == 0)
        return std::nullopt;
      scores.scale /= *divisor;
      value = div.getLhs();
    } else if (auto add = dyn_cast<graph::AddOp>(def)) {
      // The mask is added to scaled scores; scaling it too is another model.
      if (scores.mask || scores.scale != 1.0)
        return std::nullopt;
      scores.mask = add.getRhs();
      value = add.getLhs();
    } else {
      return std::nullopt;
    }
    if (value.getType() != def->getResult(0).getType())
      return std::nullopt;
  }
  return std::nullopt;
}

/// Swaps the last two dims.
static Value transposeLast(OpBuilder &builder, Location loc, Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return graph::TransposeOp::create(builder, loc, value, permutation);
}

static bool sameLeadingDims(Value lhs, Value rhs) {
  auto left = dyn_cast<RankedTensorType>(lhs.getType());
  auto right = dyn_cast<RankedTensorType>(rhs.getType());
  return left && right && left.hasStaticShape() && right.hasStaticShape() &&
         left.getRank() == right.getRank() &&
         left.getShape().drop_back(2) == right.getShape().drop_back(2);
}

struct FuseScaledDotProduct : OpRewritePattern<graph::MatMulOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::MatMulOp op,
                                PatternRewriter &rewriter) const override {
    auto softmax = op.getLhs().getDefiningOp<graph::SoftmaxOp>();
    if (!softmax || !softmax->hasOneUse() || op.getTransposeLhs())
      return rewriter.notifyMatchFailure(op, "not softmax(...) times v");
    auto type = dyn_cast<RankedTensorType>(softmax.getType());
    if (!type || type.getRank() < 3 ||
        static_cast<int64_t>(softmax.getAxis()) != type.getRank() - 1)
      return rewriter.notifyMatchFailure(op, "softmax not over the last dim");
    // Attention keeps its sums in single precision.
    if (type.getElementType().isF64())
      return rewriter.notifyMatchFailure(op, "double precision");
    std::optional<Scores> scores = matchScores(softmax.getX());
    if (!scores || scores->product.getTransposeLhs())
      return rewriter.notifyMatchFailure(op, "no product of q and k");
    Value q = scores->product.getLhs(), k = scores->product.getRhs();
    Value v = op.getRhs();
    if (!sameLeadingDims(q, k) || !sameLeadingDims(q, v))
      return rewriter.notifyMatchFailure(op, "leading dims broadcast");
    Location loc = op.getLoc();
    if (!scores->product.getTransposeRhs())
      k = transposeLast(rewriter, loc, k);
    if (op.getTransposeRhs())
      v = transposeLast(rewriter, loc, v);
    rewriter.replaceOpWithNewOp<graph::AttentionOp>(
        op, op.getType(), q, k, v, scores->mask ? scores->mask : Value(),
        rewriter.getF64FloatAttr(scores->scale));
    return success();
  }
};

struct FuseAttention : mlir::atc::impl::FuseAttentionPassBase<FuseAttention> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    owned.add<FuseScaledDotProduct>(context);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
