// Losses of classifiers: how far scores are from labels.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

using graph::ReductionKind;

enum class LossReduction { None, Sum, Mean };

/// Labels of the classes in dim 1, and what each counts.
struct Labels {
  /// Of the shape of `scores` without dim 1; 0 where a label is ignored.
  Value classes;
  /// Null where each counts 1.
  Value weights;
};

Labels readLabels(NodeBinder &node, Value scores) {
  Value labels = node.input(1), weights = node.optionalInput(2);
  RankedTensorType type = node.rankedType(scores);
  RankedTensorType labelType = node.rankedType(labels);
  if (!node.ok())
    return {};
  if (type.getRank() < 2 || labelType.getRank() != type.getRank() - 1) {
    node.invalid("labels of rank " + Twine(labelType.getRank()) +
                 " for scores of rank " + Twine(type.getRank()));
    return {};
  }
  Type element = type.getElementType();
  Value counts;
  if (node.hasAttribute("ignore_index")) {
    Value ignored = node.create<graph::CompareOp>(
        graph::ComparePredicate::eq, labels,
        node.scalarLike(node.integer("ignore_index", 0), labels));
    labels = node.create<graph::SelectOp>(ignored, node.scalarLike(0.0, labels),
                                          labels);
    counts = node.cast(node.create<graph::NotOp>(ignored), element);
  }
  if (weights) {
    Value picked = node.create<graph::GatherOp>(weights, labels, 0);
    counts = counts ? node.create<graph::MulOp>(picked, counts) : picked;
  }
  return {labels, counts};
}

/// -weight * score of the labelled class, combined as the node says.
Value buildLoss(NodeBinder &node, Value scores) {
  LossReduction reduction =
      node.choice<LossReduction>("reduction", "mean",
                                 {{"none", LossReduction::None},
                                  {"sum", LossReduction::Sum},
                                  {"mean", LossReduction::Mean}});
  Labels labels = readLabels(node, scores);
  if (!node.ok())
    return {};
  Value index = node.unsqueeze(labels.classes, {1});
  Value picked =
      node.squeeze(node.create<graph::GatherElementsOp>(scores, index, 1), {1});
  Value loss = node.create<graph::NegOp>(picked);
  if (labels.weights)
    loss = node.create<graph::MulOp>(loss, labels.weights);
  RankedTensorType type = node.rankedType(loss);
  if (!node.ok() || reduction == LossReduction::None)
    return loss;
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  auto total = [&](ReductionKind kind, Value value) {
    return node.create<graph::ReduceOp>(kind, value, axes, false);
  };
  if (reduction == LossReduction::Sum)
    return total(ReductionKind::sum, loss);
  if (!labels.weights)
    return total(ReductionKind::mean, loss);
  return node.create<graph::DivOp>(total(ReductionKind::sum, loss),
                                   total(ReductionKind::sum, labels.weights));
}

void importNegativeLogLikelihoodLoss(NodeBinder &node) {
  node.result(0, buildLoss(node, node.input(0)));
}

void importSoftmaxCrossEntropyLoss(NodeBinder &node) {
  Value scores = node.input(0);
  RankedTensorType type = node.rankedType(scores);
  if (!node.ok())
    return;
  if (type.getRank() < 2)
    return node.invalid("scores of rank " + Twine(type.getRank()));
  Value logarithms = node.create<graph::LogSoftmaxOp>(scores, 1);
  node.result(0, buildLoss(node, logarithms));
  node.result(1, logarithms);
}

} // namespace

void registerLossOps(OpTable &table) {
  table.on("NegativeLogLikelihoodLoss", {12, 13, 22},
           importNegativeLogLikelihoodLoss);
  table.on("SoftmaxCrossEntropyLoss", {12, 13}, importSoftmaxCrossEntropyLoss);
}

} // namespace mlir::atc::onnx
