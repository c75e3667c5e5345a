// Canonicalizes, and folds normalization into weights.
// SPDX-License-Identifier: Apache-2.0
#include "ConstantMatch.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Passes/Graph/Passes.h"

namespace mlir::atc {
#define GEN_PASS_DEF_SIMPLIFYPASS
#include "atc/Passes/Graph/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

/// Views the elements of `value` in another static shape.
static Value reshapeTo(OpBuilder &builder, Location loc, Value value,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto resultType = RankedTensorType::get(shape, type.getElementType());
  return graph::ReshapeOp::create(builder, loc, resultType, value,
                                  /*shape=*/Value());
}

/// A constant with one element of the type of `like`.
static Value scalarConstant(OpBuilder &builder, Location loc, Value like,
                            double number) {
  Type elementType = getElementTypeOrSelf(like.getType());
  auto type = RankedTensorType::get({}, elementType);
  return graph::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getFloatAttr(elementType, number)));
}

namespace {

/// batch_norm(x) -> x * (scale / sqrt(variance + epsilon)) + rest, where rest
/// takes mean and bias together. The factors are constants in every trained
/// model, so that both steps can disappear into a convolution.
struct DecomposeBatchNorm : OpRewritePattern<graph::BatchNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getX().getType());
    auto parameterType = dyn_cast<RankedTensorType>(op.getScale().getType());
    if (!type || !parameterType || !parameterType.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "shapes are not known");
    bool isUniform = llvm::all_of(op->getOperandTypes(), [&](Type operand) {
      return getElementTypeOrSelf(operand) == type.getElementType();
    });
    if (!isUniform)
      return rewriter.notifyMatchFailure(op, "element types differ");
    Location loc = op.getLoc();
    Value epsilon =
        scalarConstant(rewriter, loc, op.getVariance(), op.getEpsilon());
    Value shifted =
        graph::AddOp::create(rewriter, loc, op.getVariance(), epsilon);
    Value deviation = graph::SqrtOp::create(rewriter, loc, shifted);
    Value factor =
        graph::DivOp::create(rewriter, loc, op.getScale(), deviation);
    Value scaledMean =
        graph::MulOp::create(rewriter, loc, op.getMean(), factor);
    Value offset =
        graph::SubOp::create(rewriter, loc, op.getBias(), scaledMean);

    SmallVector<int64_t> shape(type.getRank() - 1, 1);
    shape.front() = parameterType.getDimSize(0);
    // Of open channels, broadcasting alone would not say that they are as many
    // as there are factors.
    Value scaled =
        graph::MulOp::create(rewriter, loc, op.getType(), op.getX(),
                             reshapeTo(rewriter, loc, factor, shape));
    rewriter.replaceOpWithNewOp<graph::AddOp>(
        op, op.getType(), scaled, reshapeTo(rewriter, loc, offset, shape));
    return success();
  }
};

/// Puts the constant operand of a commutative op to the right, so that the
/// patterns below look in one place.
template <typename OpTy>
struct MoveConstantRight : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isConstantValue(op.getLhs()) || isConstantValue(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "no constant at the left alone");
    Value lhs = op.getLhs(), rhs = op.getRhs();
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(0, rhs);
      op->setOperand(1, lhs);
    });
    return success();
  }
};

/// Whether multiplying by `factor` before or after broadcasting `value` to
/// `result` is the same.
static bool keepsShape(Value value, Value result) {
  return value.getType() == result.getType();
}

/// (x + c1) * c2 -> x * c2 + c1 * c2, on the way to the weight before it.
struct DistributeScale : OpRewritePattern<graph::MulOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::MulOp op,
                                PatternRewriter &rewriter) const override {
    auto add = op.getLhs().getDefiningOp<graph::AddOp>();
    if (!add || !add->hasOneUse() || !isConstantValue(op.getRhs()) ||
        !isConstantValue(add.getRhs()) || isConstantValue(add.getLhs()))
      return rewriter.notifyMatchFailure(op, "not (x + c1) * c2");
    Operation *producer = add.getLhs().getDefiningOp();
    if (!producer || !producer->hasOneUse() ||
        !isa<graph::ConvOp, graph::ConvTransposeOp, graph::MatMulOp>(producer))
      return rewriter.notifyMatchFailure(op, "no weight to fold into");
    if (!isa<FloatType>(getElementTypeOrSelf(op.getType())) ||
        !keepsShape(add.getLhs(), op.getResult()))
      return rewriter.notifyMatchFailure(op, "broadcasts, or not float");
    Location loc = op.getLoc();
    Value offset =
        graph::MulOp::create(rewriter, loc, add.getRhs(), op.getRhs());
    Value scaled = graph::MulOp::create(rewriter, loc, op.getType(),
                                        add.getLhs(), op.getRhs());
    rewriter.replaceOpWithNewOp<graph::AddOp>(op, op.getType(), scaled, offset);
    return success();
  }
};

/// conv(x, w) * c -> conv(x, w * c), c per output channel.
struct FoldScaleIntoConv : OpRewritePattern<graph::MulOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::MulOp op,
                                PatternRewriter &rewriter) const override {
    auto conv = op.getLhs().getDefiningOp<graph::ConvOp>();
    if (!conv || !conv->hasOneUse() || !isConstantValue(conv.getW()) ||
        !isConstantValue(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "not conv(x, constant) * c");
    auto type = dyn_cast<RankedTensorType>(conv.getType());
    auto weightType = dyn_cast<RankedTensorType>(conv.getW().getType());
    if (!type || !weightType || !weightType.hasStaticShape() ||
        !keepsShape(conv.getResult(), op.getResult()) ||
        !variesOnlyAlong(op.getRhs(), type.getRank(), /*dim=*/1))
      return rewriter.notifyMatchFailure(op, "not one factor per channel");
    Location loc = op.getLoc();
    SmallVector<int64_t> shape(weightType.getRank(), 1);
    if (!isScalarLike(op.getRhs()))
      shape.front() = weightType.getDimSize(0);
    Value factor = reshapeTo(rewriter, loc, op.getRhs(), shape);
    Value weight = graph::MulOp::create(rewriter, loc, conv.getW(), factor);
    rewriter.setInsertionPoint(op);
    auto folded = cast<graph::ConvOp>(rewriter.clone(*conv));
    folded->setOperand(1, weight);
    folded->setLoc(rewriter.getFusedLoc({conv.getLoc(), loc}));
    rewriter.replaceOp(op, folded.getResult());
    return success();
  }
};

/// matmul(x, w) * c -> matmul(x, w * c), c per column.
struct FoldScaleIntoMatMul : OpRewritePattern<graph::MulOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::MulOp op,
                                PatternRewriter &rewriter) const override {
    auto matmul = op.getLhs().getDefiningOp<graph::MatMulOp>();
    if (!matmul || !matmul->hasOneUse() || !isConstantValue(matmul.getRhs()) ||
        !isConstantValue(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "not matmul(x, constant) * c");
    auto type = dyn_cast<RankedTensorType>(matmul.getType());
    if (!type || !isa<FloatType>(type.getElementType()) ||
        !keepsShape(matmul.getResult(), op.getResult()) ||
        !variesOnlyAlong(op.getRhs(), type.getRank(), type.getRank() - 1))
      return rewriter.notifyMatchFailure(op, "not one factor per column");
    Location loc = op.getLoc();
    Value factor = op.getRhs();
    int64_t count = cast<RankedTensorType>(factor.getType()).getNumElements();
    SmallVector<int64_t> shape{count};
    if (matmul.getTransposeRhs())
      shape.push_back(1);
    factor = reshapeTo(rewriter, loc, factor, shape);
    Value weight = graph::MulOp::create(rewriter, loc, matmul.getRhs(), factor);
    rewriter.setInsertionPoint(op);
    auto folded = cast<graph::MatMulOp>(rewriter.clone(*matmul));
    folded->setOperand(1, weight);
    folded->setLoc(rewriter.getFusedLoc({matmul.getLoc(), loc}));
    rewriter.replaceOp(op, folded.getResult());
    return success();
  }
};

/// (x + c1) + c2 -> x + (c1 + c2), and the same for products.
template <typename OpTy>
struct MergeConstants : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().template getDefiningOp<OpTy>();
    if (!inner || !inner->hasOneUse() || !isConstantValue(op.getRhs()) ||
        !isConstantValue(inner.getRhs()) || isConstantValue(inner.getLhs()))
      return rewriter.notifyMatchFailure(op, "not (x op c1) op c2");
    if (!isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "not float");
    // The constants' own broadcast must not grow beyond the result, and the
    // merged constant must not become larger than both.
    auto lhsType = dyn_cast<RankedTensorType>(inner.getRhs().getType());
    auto rhsType = dyn_cast<RankedTensorType>(op.getRhs().getType());
    if (!lhsType || !rhsType || !lhsType.hasStaticShape() ||
        !rhsType.hasStaticShape() ||
        (lhsType.getShape() != rhsType.getShape() &&
         lhsType.getNumElements() != 1 && rhsType.getNumElements() != 1))
      return rewriter.notifyMatchFailure(op, "constants differ in shape");
    Value merged =
        OpTy::create(rewriter, op.getLoc(), inner.getRhs(), op.getRhs());
    rewriter.replaceOpWithNewOp<OpTy>(op, op.getType(), inner.getLhs(), merged);
    return success();
  }
};

/// x / c -> x * (1 / c) where 1 / c is exact: c is a power of two.
struct MultiplyByReciprocal : OpRewritePattern<graph::DivOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::DivOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<double> divisor = getSplatFloat(op.getRhs());
    if (!divisor)
      return rewriter.notifyMatchFailure(op, "no float constant divisor");
    int exponent;
    if (std::fabs(std::frexp(*divisor, &exponent)) != 0.5 ||
        std::abs(exponent) > 12)
      return rewriter.notifyMatchFailure(op, "reciprocal is not exact");
    auto type = cast<RankedTensorType>(op.getRhs().getType());
    Value factor = graph::ConstantOp::create(
        rewriter, op.getLoc(),
        DenseElementsAttr::get(
            type,
            rewriter.getFloatAttr(type.getElementType(), 1.0 / *divisor)));
    rewriter.replaceOpWithNewOp<graph::MulOp>(op, op.getType(), op.getLhs(),
                                              factor);
    return success();
  }
};

/// x - c -> x + (-c), so that additions of constants are seen as such.
struct AddNegative : OpRewritePattern<graph::SubOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::SubOp op,
                                PatternRewriter &rewriter) const override {
    if (!isConstantValue(op.getRhs()) || isConstantValue(op.getLhs()) ||
        !isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "not x - c in floats");
    Value negative = graph::NegOp::create(rewriter, op.getLoc(), op.getRhs());
    rewriter.replaceOpWithNewOp<graph::AddOp>(op, op.getType(), op.getLhs(),
                                              negative);
    return success();
  }
};

/// Two operands of a concat that are neighbouring slices of one tensor are one
/// slice; or the tensor, if nothing is left of the slice.
struct MergeNeighbouringSlices : OpRewritePattern<graph::ConcatOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(graph::ConcatOp concat,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts(concat.getXs());
    int64_t axis = concat.getAxis();
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      auto left = parts[i].getDefiningOp<graph::SliceOp>();
      auto right = parts[i + 1].getDefiningOp<graph::SliceOp>();
      if (!left || !right || !areNeighbours(left, right, axis))
        continue;
      SmallVector<int64_t> limits(left.getLimits());
      limits[axis] = right.getLimits()[axis];
      parts[i] = graph::SliceOp::create(
          rewriter, concat.getLoc(), left.getX(), left.getStartsAttr(),
          rewriter.getDenseI64ArrayAttr(limits), left.getStepsAttr());
      parts.erase(parts.begin() + i + 1);
      rewriter.modifyOpInPlace(concat,
                               [&] { concat.getXsMutable().assign(parts); });
      return success();
    }
    return rewriter.notifyMatchFailure(concat, "no neighbouring slices");
  }

private:
  static bool areNeighbours(graph::SliceOp left, graph::SliceOp right,
                            int64_t axis) {
    if (left.getX() != right.getX() || left.getSteps() != right.getSteps() ||
        left.getSteps()[axis] != 1)
      return false;
    for (size_t dim = 0; dim < left.getStarts().size(); ++dim)
      if (int64_t(dim) != axis &&
          (left.getStarts()[dim] != right.getStarts()[dim] ||
           left.getLimits()[dim] != right.getLimits()[dim]))
        return false;
    // An empty slice may begin beyond its limit.
    return left.getStarts()[axis] <= left.getLimits()[axis] &&
           left.getLimits()[axis] == right.getStarts()[axis] &&
           right.getStarts()[axis] <= right.getLimits()[axis];
  }
};

/// An op without elements to compute -> a constant without elements. Kernels
/// need not know of empty results then.
struct ReplaceEmpty : RewritePattern {
  explicit ReplaceEmpty(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/10, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<graph::GraphDialect>(op->getDialect()) ||
        op->getNumResults() != 1 || !isPure(op) ||
        isa<graph::ConstantOp, graph::WeightOp>(op))
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() != 0 ||
        type.getEncoding() || !type.getElementType().isIntOrFloat())
      return failure();
    rewriter.replaceOpWithNewOp<graph::ConstantOp>(
        op, DenseElementsAttr::get(type, ArrayRef<Attribute>()));
    return success();
  }
};

struct Simplify : mlir::atc::impl::SimplifyPassBase<Simplify> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    owned.add<DecomposeBatchNorm, MoveConstantRight<graph::AddOp>,
              MoveConstantRight<graph::MulOp>, DistributeScale,
              FoldScaleIntoConv, FoldScaleIntoMatMul,
              MergeConstants<graph::AddOp>, MergeConstants<graph::MulOp>,
              MultiplyByReciprocal, AddNegative, MergeNeighbouringSlices,
              ReplaceEmpty>(context);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (isa<graph::GraphDialect>(name.getDialect()))
        name.getCanonicalizationPatterns(owned, context);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setUseTopDownTraversal(true);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config))) {
      getOperation().emitError("simplification does not converge");
      signalPassFailure();
    }
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
