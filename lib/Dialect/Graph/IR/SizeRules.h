// How the sizes of a result follow from those of the operands, op by op.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DIALECT_GRAPH_IR_SIZERULES_H
#define ATC_LIB_DIALECT_GRAPH_IR_SIZERULES_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/SizeAnalysis.h"

namespace mlir::atc::graph {

/// The rules by which the sizes of a result follow from those of the operands.
/// Types were inferred before: ranks are right, and static sizes agree. An op
/// without a rule gives sizes that are not known.
class SizeRules {
public:
  using Sizes = SmallVector<SizeExpr, 4>;

  SizeRules(SizeAnalysis &analysis, Operation *op)
      : analysis(analysis), op(op) {}

  /// The sizes of the first result; nullopt without a rule.
  std::optional<Sizes> infer();

private:
  Sizes sizesOf(Value tensor) { return Sizes(analysis.getSizes(tensor)); }
  /// The elements of a tensor of sizes, nullopt unless all are known.
  std::optional<Sizes> elementsOf(Value tensor);
  /// The number that a scalar is: an integer computed from sizes, or such a one
  /// as a float, which holds it exactly as far as the float type counts.
  std::optional<SizeExpr> wholeNumber(Value scalar);

  void demand(SizeConstraint::Kind kind, SizeExpr lhs, SizeExpr rhs,
              StringRef what);
  void demandEqual(SizeExpr lhs, SizeExpr rhs, StringRef what) {
    demand(SizeConstraint::Kind::Equal, lhs, rhs, what);
  }
  /// Demands an element to pick where there are indices.
  void demandElements(ArrayRef<SizeExpr> indices, SizeExpr size);
  /// Broadcasts shapes, aligned at the right.
  Sizes broadcast(ArrayRef<Sizes> shapes, StringRef what);
  /// Demands that a shape, aligned at the right, broadcasts to another.
  void demandBroadcast(ArrayRef<SizeExpr> from, ArrayRef<SizeExpr> to,
                       StringRef what);

  Sizes inferElementwise();
  std::optional<Sizes> inferNormalization();
  Sizes inferMatMul(MatMulOp matmul);
  Sizes inferAttention(AttentionOp attention);
  Sizes inferConv(ConvOp conv);
  Sizes inferConvTranspose(ConvTransposeOp conv);
  Sizes inferWinograd(ConvWinogradOp conv);
  template <typename OpT>
  Sizes inferPool(OpT pool, bool ceilMode);

  std::optional<Sizes> inferReshape(ReshapeOp reshape);
  std::optional<Sizes> inferExpand(ExpandOp expand);
  Sizes inferConcat(ConcatOp concat);
  Sizes inferSlice(SliceOp slice);
  std::optional<Sizes> inferSliceDynamic(SliceDynamicOp slice);
  Sizes inferPad(PadOp pad);
  std::optional<Sizes> inferPadDynamic(PadDynamicOp pad);
  std::optional<Sizes> inferTileDynamic(TileDynamicOp tile);
  std::optional<Sizes> inferResize(ResizeOp resize);
  std::optional<Sizes> inferResizeDynamic(ResizeDynamicOp resize);

  Sizes inferGather(GatherOp gather);
  Sizes inferGatherElements(GatherElementsOp gather);
  std::optional<Sizes> inferGatherND(GatherNDOp gather);
  Sizes inferScatterElements(ScatterElementsOp scatter);
  std::optional<Sizes> inferScatterND(ScatterNDOp scatter);
  std::optional<Sizes> inferOneHot(OneHotOp oneHot);
  std::optional<Sizes> inferRange(RangeOp range);
  Sizes inferReduced(Value x, ArrayRef<int64_t> axes, bool keepDims);

  SizeAnalysis &analysis;
  Operation *op;
};

} // namespace mlir::atc::graph

#endif // ATC_LIB_DIALECT_GRAPH_IR_SIZERULES_H
