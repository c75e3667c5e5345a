// Recognizes layer normalization that is spelled out.
// SPDX-License-Identifier: Apache-2.0
#include "ConstantMatch.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Graph/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::atc {
#define GEN_PASS_DEF_FUSENORMALIZATIONPASS
#include "atc/Passes/Graph/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

/// The axis from which on `reduce` takes a mean with kept dims, or nullopt if
/// it is another reduction.
static std::optional<int64_t> meanOverLastDims(graph::ReduceOp reduce) {
  auto type = dyn_cast<RankedTensorType>(reduce.getX().getType());
  if (!type || reduce.getKind() != graph::ReductionKind::mean ||
      !reduce.getKeepDims() || reduce.getAxes().empty())
    return std::nullopt;
  int64_t axis = reduce.getAxes().front();
  if (axis + static_cast<int64_t>(reduce.getAxes().size()) != type.getRank())
    return std::nullopt;
  return axis;
}

/// Whether `value` is the square of `base`.
static bool isSquareOf(Value value, Value base) {
  if (auto mul = value.getDefiningOp<graph::MulOp>())
    return mul.getLhs() == base && mul.getRhs() == base;
  auto pow = value.getDefiningOp<graph::PowOp>();
  return pow && pow.getLhs() == base && getSplatFloat(pow.getRhs()) == 2.0;
}

namespace {

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon). The affine part
/// stays: it is elementwise and joins the kernel.
struct FuseLayerNorm : OpRewritePattern<graph::DivOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::DivOp op,
                                PatternRewriter &rewriter) const override {
    auto centered = op.getLhs().getDefiningOp<graph::SubOp>();
    auto root = op.getRhs().getDefiningOp<graph::SqrtOp>();
    if (!centered || !root)
      return rewriter.notifyMatchFailure(op, "not (x - m) / sqrt(v)");
    auto shifted = root.getX().getDefiningOp<graph::AddOp>();
    if (!shifted)
      return rewriter.notifyMatchFailure(op, "no epsilon");
    std::optional<double> epsilon = getSplatFloat(shifted.getRhs());
    auto variance = shifted.getLhs().getDefiningOp<graph::ReduceOp>();
    if (!epsilon) {
      epsilon = getSplatFloat(shifted.getLhs());
      variance = shifted.getRhs().getDefiningOp<graph::ReduceOp>();
    }
    auto mean = centered.getRhs().getDefiningOp<graph::ReduceOp>();
    if (!epsilon || !variance || !mean || mean.getX() != centered.getLhs())
      return rewriter.notifyMatchFailure(op, "not a mean and a variance");
    if (!isSquareOf(variance.getX(), centered.getResult()))
      return rewriter.notifyMatchFailure(op, "no mean of squares");
    std::optional<int64_t> axis = meanOverLastDims(mean);
    if (!axis || axis != meanOverLastDims(variance))
      return rewriter.notifyMatchFailure(op, "not over the last dims");
    rewriter.replaceOpWithNewOp<graph::LayerNormOp>(
        op, op.getType(), centered.getLhs(), /*scale=*/Value(),
        /*bias=*/Value(), rewriter.getI64IntegerAttr(*axis),
        rewriter.getF64FloatAttr(*epsilon));
    return success();
  }
};

struct FuseNormalization
    : mlir::atc::impl::FuseNormalizationPassBase<FuseNormalization> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    owned.add<FuseLayerNorm>(context);
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
