// Reductions along axes.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

using graph::ReductionKind;

/// What a node reduces.
struct Reduction {
  Value x;
  SmallVector<int64_t> axes;
  bool keepDims = true;

  Value build(NodeBinder &node, ReductionKind kind, Value value) const {
    return axes.empty()
               ? value
               : node.create<graph::ReduceOp>(kind, value, axes, keepDims);
  }
  Value buildKept(NodeBinder &node, ReductionKind kind, Value value) const {
    return axes.empty() ? value
                        : node.create<graph::ReduceOp>(kind, value, axes, true);
  }
};

/// Axes are an attribute, and later an input; none means all, or none at all
/// where the node says so.
template <bool axesAreInput>
Reduction readReduction(NodeBinder &node) {
  Reduction reduction;
  reduction.x = node.input(0);
  reduction.keepDims = node.boolean("keepdims", true);
  RankedTensorType type = node.rankedType(reduction.x);
  if (!node.ok())
    return reduction;
  SmallVector<int64_t> given;
  bool noop = false;
  if (axesAreInput) {
    noop = node.boolean("noop_with_empty_axes", false);
    if (Value axes = node.optionalInput(1))
      given = node.constantIntegers(axes, "axes");
  } else {
    given = node.integers("axes").value_or(SmallVector<int64_t>());
  }
  if (given.empty() && !noop)
    given = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  reduction.axes = node.axes(given, type.getRank());
  return reduction;
}

template <ReductionKind kind, bool axesAreInput>
void importReduce(NodeBinder &node) {
  Reduction reduction = readReduction<axesAreInput>(node);
  node.result(0, reduction.build(node, kind, reduction.x));
}

template <bool axesAreInput>
void importReduceL1(NodeBinder &node) {
  Reduction reduction = readReduction<axesAreInput>(node);
  Value magnitude = node.create<graph::AbsOp>(reduction.x);
  node.result(0, reduction.build(node, ReductionKind::sum, magnitude));
}

Value buildSumSquare(NodeBinder &node, const Reduction &reduction) {
  Value square = node.create<graph::MulOp>(reduction.x, reduction.x);
  return reduction.build(node, ReductionKind::sum, square);
}

template <bool axesAreInput>
void importReduceSumSquare(NodeBinder &node) {
  node.result(0, buildSumSquare(node, readReduction<axesAreInput>(node)));
}

/// Applies a function of floats; integers pass through f64.
template <typename OpTy>
Value applyFloat(NodeBinder &node, Value x) {
  if (!node.ok())
    return {};
  Type type = getElementTypeOrSelf(x.getType());
  if (isa<FloatType>(type))
    return node.create<OpTy>(x);
  Value wide = node.cast(x, node.getBuilder().getF64Type());
  return node.cast(node.create<OpTy>(wide), type);
}

template <bool axesAreInput>
void importReduceL2(NodeBinder &node) {
  Value sum = buildSumSquare(node, readReduction<axesAreInput>(node));
  node.result(0, applyFloat<graph::SqrtOp>(node, sum));
}

template <bool axesAreInput>
void importReduceLogSum(NodeBinder &node) {
  Reduction reduction = readReduction<axesAreInput>(node);
  Value sum = reduction.build(node, ReductionKind::sum, reduction.x);
  node.result(0, applyFloat<graph::LogOp>(node, sum));
}

/// log(sum(exp(x - m))) + m with the maximum m, which keeps exp in range. An
/// infinite m is replaced by 0, since inf - inf is not a number.
template <bool axesAreInput>
void importReduceLogSumExp(NodeBinder &node) {
  Reduction reduction = readReduction<axesAreInput>(node);
  if (!node.ok())
    return;
  Type type = getElementTypeOrSelf(reduction.x.getType());
  Value x = isa<FloatType>(type)
                ? reduction.x
                : node.cast(reduction.x, node.getBuilder().getF64Type());
  // Without axes it is log(exp(x)).
  if (reduction.axes.empty())
    return node.result(0, reduction.x);
  Value maximum = reduction.buildKept(node, ReductionKind::max, x);
  Value shift = node.create<graph::SelectOp>(
      node.create<graph::IsInfOp>(maximum, true, true),
      node.scalarLike(0.0, maximum), maximum);
  Value sum = reduction.buildKept(
      node, ReductionKind::sum,
      node.create<graph::ExpOp>(node.create<graph::SubOp>(x, shift)));
  Value result =
      node.create<graph::AddOp>(node.create<graph::LogOp>(sum), shift);
  if (!reduction.keepDims)
    result = node.squeeze(result, reduction.axes);
  node.result(0, node.cast(result, type));
}

template <graph::Extremum kind>
void importArgReduce(NodeBinder &node) {
  Value x = node.input(0);
  int64_t axis = node.integer("axis", 0);
  bool keepDims = node.boolean("keepdims", true);
  bool last =
      node.getVersion() >= 12 && node.boolean("select_last_index", false);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  axis = node.axis(axis, type.getRank());
  node.result(0,
              node.create<graph::ArgReduceOp>(kind, x, axis, keepDims, last));
}

void importCumSum(NodeBinder &node) {
  Value x = node.input(0);
  SmallVector<int64_t> axis = node.constantIntegers(node.input(1), "axes");
  bool exclusive = node.boolean("exclusive", false);
  bool reverse = node.boolean("reverse", false);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  if (axis.size() != 1)
    return node.invalid("the axis is not a scalar");
  node.result(
      0, node.create<graph::CumulativeSumOp>(
             x, node.axis(axis.front(), type.getRank()), exclusive, reverse));
}

} // namespace

void registerReductionOps(OpTable &table) {
  table.on("ArgMax", {1, 11, 12, 13}, importArgReduce<graph::Extremum::max>);
  table.on("ArgMin", {1, 11, 12, 13}, importArgReduce<graph::Extremum::min>);
  table.on("CumSum", {11, 14}, importCumSum);
  table.on("ReduceL1", {1, 11, 13}, importReduceL1<false>);
  table.on("ReduceL1", {18}, importReduceL1<true>);
  table.on("ReduceL2", {1, 11, 13}, importReduceL2<false>);
  table.on("ReduceL2", {18}, importReduceL2<true>);
  table.on("ReduceLogSum", {1, 11, 13}, importReduceLogSum<false>);
  table.on("ReduceLogSum", {18, 28}, importReduceLogSum<true>);
  table.on("ReduceLogSumExp", {1, 11, 13}, importReduceLogSumExp<false>);
  table.on("ReduceLogSumExp", {18, 28}, importReduceLogSumExp<true>);
  table.on("ReduceMax", {1, 11, 12, 13},
           importReduce<ReductionKind::max, false>);
  table.on("ReduceMax", {18, 20}, importReduce<ReductionKind::max, true>);
  table.on("ReduceMean", {1, 11, 13}, importReduce<ReductionKind::mean, false>);
  table.on("ReduceMean", {18}, importReduce<ReductionKind::mean, true>);
  table.on("ReduceMin", {1, 11, 12, 13},
           importReduce<ReductionKind::min, false>);
  table.on("ReduceMin", {18, 20}, importReduce<ReductionKind::min, true>);
  table.on("ReduceProd", {1, 11, 13},
           importReduce<ReductionKind::product, false>);
  table.on("ReduceProd", {18}, importReduce<ReductionKind::product, true>);
  table.on("ReduceSum", {1, 11}, importReduce<ReductionKind::sum, false>);
  table.on("ReduceSum", {13}, importReduce<ReductionKind::sum, true>);
  table.on("ReduceSumSquare", {1, 11, 13}, importReduceSumSquare<false>);
  table.on("ReduceSumSquare", {18}, importReduceSumSquare<true>);
}

} // namespace mlir::atc::onnx
