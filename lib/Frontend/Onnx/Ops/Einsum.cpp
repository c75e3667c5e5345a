// Einstein summation, as matrix products over rearranged operands.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::atc::onnx {
namespace {

/// A dim's name: a letter, or -1, -2, ... for the dims of an ellipsis counted
/// from the right, which aligns them for broadcasting.
using Label = int;

struct Operand {
  Value value;
  SmallVector<Label> labels;

  bool has(Label label) const { return llvm::is_contained(labels, label); }
};

/// The labels of one term for a tensor of `rank`; for the result, `rank` is -1
/// and an ellipsis stands for `ellipsisRank` dims.
SmallVector<Label> parseTerm(NodeBinder &node, StringRef term, int64_t rank,
                             int64_t ellipsisRank) {
  SmallVector<Label> labels;
  bool hasEllipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i).starts_with("...") && !hasEllipsis) {
      int64_t letters = static_cast<int64_t>(term.size()) - 3;
      int64_t dims = rank >= 0 ? rank - letters : ellipsisRank;
      for (int64_t dim = dims; dim > 0; --dim)
        labels.push_back(static_cast<Label>(-dim));
      hasEllipsis = true;
      i += 2;
    } else if (llvm::isAlpha(term[i])) {
      if (rank < 0 && llvm::is_contained(labels, term[i]))
        node.invalid("the result names an index twice");
      labels.push_back(term[i]);
    } else {
      node.invalid("the equation has the unexpected character '" +
                   Twine(term[i]) + "'");
      return {};
    }
  }
  if (rank >= 0 && static_cast<int64_t>(labels.size()) != rank)
    node.invalid("the term '" + Twine(term) + "' does not fit an input of " +
                 "rank " + Twine(rank));
  return labels;
}

/// Keeps of two dims with one label the elements whose indices agree: a step of
/// size + 1 through both dims as one.
Operand takeDiagonal(NodeBinder &node, Operand operand, size_t first,
                     size_t second) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  int64_t size = type.getDimSize(first);
  if (ShapedType::isDynamic(size) ||
      ShapedType::isDynamic(type.getDimSize(second))) {
    node.unsupported("a repeated index of unknown size");
    return operand;
  }
  // Their product fits where both are sizes of one tensor with elements.
  if (size > std::numeric_limits<int32_t>::max()) {
    node.unsupported("a repeated index of size " + Twine(size));
    return operand;
  }
  if (size != type.getDimSize(second)) {
    node.invalid("a repeated index has the sizes " + Twine(size) + " and " +
                 Twine(type.getDimSize(second)));
    return operand;
  }
  SmallVector<int64_t> permutation;
  SmallVector<Label> labels;
  SmallVector<Size> sizes;
  for (size_t axis = 0; axis < operand.labels.size(); ++axis)
    if (axis != first && axis != second) {
      permutation.push_back(axis);
      labels.push_back(operand.labels[axis]);
      sizes.push_back({operand.value, static_cast<int64_t>(axis)});
    }
  labels.push_back(operand.labels[first]);
  llvm::append_values(permutation, first, second);
  sizes.push_back(size * size);
  Value merged =
      node.reshape(node.transpose(operand.value, permutation), sizes);
  int64_t rank = static_cast<int64_t>(sizes.size());
  SmallVector<int64_t> starts(rank, 0), ends, steps(rank, 1);
  if (!node.ok())
    return operand;
  for (int64_t dim : cast<RankedTensorType>(merged.getType()).getShape())
    ends.push_back(
        ShapedType::isDynamic(dim) ? std::numeric_limits<int64_t>::max() : dim);
  steps.back() = size + 1;
  return {node.create<graph::SliceOp>(merged, starts, ends, steps), labels};
}

/// Makes the labels of an operand distinct.
Operand takeDiagonals(NodeBinder &node, Operand operand) {
  for (size_t first = 0; first < operand.labels.size() && node.ok(); ++first)
    for (size_t second = first + 1; second < operand.labels.size(); ++second)
      if (operand.labels[first] == operand.labels[second])
        return takeDiagonals(node, takeDiagonal(node, operand, first, second));
  return operand;
}

/// Without an arrow: the ellipsis, then each letter that occurs once, sorted.
SmallVector<Label> implicitResult(ArrayRef<Operand> operands) {
  std::map<Label, int> counts;
  for (const Operand &operand : operands)
    for (Label label : operand.labels)
      ++counts[label];
  SmallVector<Label> labels;
  for (auto [label, count] : counts)
    if (label < 0 || count == 1)
      labels.push_back(label);
  return labels;
}

/// Sums over the labels that nothing else needs.
Operand sumOut(NodeBinder &node, Operand operand, ArrayRef<Label> needed) {
  SmallVector<int64_t> axes;
  SmallVector<Label> kept;
  for (auto [axis, label] : llvm::enumerate(operand.labels))
    if (llvm::is_contained(needed, label))
      kept.push_back(label);
    else
      axes.push_back(axis);
  if (!axes.empty())
    operand.value = node.create<graph::ReduceOp>(
        graph::ReductionKind::sum, operand.value, axes, /*keep_dims=*/false);
  operand.labels = kept;
  return operand;
}

/// Reorders the dims to the given groups of labels.
Operand arrange(NodeBinder &node, Operand operand,
                std::initializer_list<ArrayRef<Label>> groups) {
  SmallVector<int64_t> permutation;
  SmallVector<Label> labels;
  for (ArrayRef<Label> group : groups)
    for (Label label : group) {
      permutation.push_back(llvm::find(operand.labels, label) -
                            operand.labels.begin());
      labels.push_back(label);
    }
  operand.value = node.transpose(operand.value, permutation);
  operand.labels = labels;
  return operand;
}

/// The labels of two operands by their role in the product.
struct Roles {
  SmallVector<Label> batch, rows, columns, contracted;

  Roles(const Operand &lhs, const Operand &rhs, ArrayRef<Label> needed) {
    for (Label label : lhs.labels) {
      if (!rhs.has(label))
        rows.push_back(label);
      else if (llvm::is_contained(needed, label))
        batch.push_back(label);
      else
        contracted.push_back(label);
    }
    for (Label label : rhs.labels)
      if (!lhs.has(label))
        columns.push_back(label);
  }
};

/// The product of two operands, summed over what only they share.
Operand multiply(NodeBinder &node, const Operand &lhs, const Operand &rhs,
                 ArrayRef<Label> needed) {
  Roles roles(lhs, rhs, needed);
  Operand left =
      arrange(node, lhs, {roles.batch, roles.rows, roles.contracted});
  Operand right =
      arrange(node, rhs, {roles.batch, roles.contracted, roles.columns});
  if (!node.ok())
    return {};
  int64_t batch = roles.batch.size(), rows = roles.rows.size();
  int64_t contracted = roles.contracted.size();
  int64_t columns = roles.columns.size();
  SmallVector<Size> leftSizes, rightSizes;
  for (int64_t i = 0; i < batch; ++i) {
    leftSizes.push_back({left.value, i});
    rightSizes.push_back({right.value, i});
  }
  // The matrices [rows, contracted] and [contracted, columns].
  leftSizes.push_back({left.value, batch, batch + rows});
  leftSizes.push_back({left.value, batch + rows, batch + rows + contracted});
  rightSizes.push_back({right.value, batch, batch + contracted});
  rightSizes.push_back(
      {right.value, batch + contracted, batch + contracted + columns});
  Value product = node.create<graph::MatMulOp>(
      node.reshape(left.value, leftSizes),
      node.reshape(right.value, rightSizes), false, false);
  if (!node.ok())
    return {};
  SmallVector<Size> sizes;
  for (int64_t i = 0; i < batch; ++i)
    sizes.push_back({product, i});
  for (int64_t i = 0; i < rows; ++i)
    sizes.push_back({left.value, batch + i});
  for (int64_t i = 0; i < columns; ++i)
    sizes.push_back({right.value, batch + contracted + i});
  Operand result{node.reshape(product, sizes), roles.batch};
  result.labels.append(roles.rows);
  result.labels.append(roles.columns);
  return result;
}

/// Reads the equation; fills the operands and returns the result's labels.
SmallVector<Label> readEquation(NodeBinder &node,
                                SmallVectorImpl<Operand> &operands) {
  std::string equation = node.string("equation", "");
  llvm::erase(equation, ' ');
  SmallVector<Value> inputs = node.inputsFrom(0);
  auto [terms, result] = StringRef(equation).split("->");
  bool hasArrow = terms.size() != equation.size();
  SmallVector<StringRef> list;
  terms.split(list, ',');
  if (node.ok() && list.size() != inputs.size())
    node.invalid("the equation has " + Twine(list.size()) + " terms for " +
                 Twine(inputs.size()) + " inputs");
  int64_t ellipsisRank = 0;
  for (size_t i = 0; i < inputs.size() && node.ok(); ++i) {
    RankedTensorType type = node.rankedType(inputs[i]);
    if (!node.ok())
      break;
    operands.push_back(
        {inputs[i], parseTerm(node, list[i], type.getRank(), 0)});
    for (Label label : operands.back().labels)
      ellipsisRank = std::max<int64_t>(ellipsisRank, -label);
  }
  if (!node.ok())
    return {};
  SmallVector<Label> labels = hasArrow
                                  ? parseTerm(node, result, -1, ellipsisRank)
                                  : implicitResult(operands);
  for (Operand &operand : operands)
    if (node.ok())
      operand = takeDiagonals(node, operand);
  for (Label label : labels)
    if (llvm::none_of(operands, [&](const Operand &operand) {
          return operand.has(label);
        }))
      node.invalid("the result has an index that no input has");
  return labels;
}

void importEinsum(NodeBinder &node) {
  SmallVector<Operand> operands;
  SmallVector<Label> result = readEquation(node, operands);
  if (!node.ok())
    return;
  // Products of bytes wrap as those of words do.
  Type element = getElementTypeOrSelf(operands.front().value.getType());
  bool isNarrow = element.isInteger(8);
  for (Operand &operand : operands)
    if (isNarrow)
      operand.value = node.cast(operand.value, node.getBuilder().getI32Type());
  // From the left; what later operands or the result name is kept.
  Operand product = operands.front();
  for (size_t i = 0; i < operands.size() && node.ok(); ++i) {
    SmallVector<Label> needed = result;
    for (const Operand &later : ArrayRef(operands).drop_front(i + 1))
      needed.append(later.labels);
    if (i == 0) {
      product = sumOut(node, product, needed);
      continue;
    }
    SmallVector<Label> shared = needed;
    shared.append(product.labels);
    Operand next = sumOut(node, operands[i], shared);
    if (node.ok())
      product = multiply(node, product, next, needed);
  }
  if (!node.ok())
    return;
  product = sumOut(node, product, result);
  node.result(0, node.cast(arrange(node, product, {result}).value, element));
}

} // namespace

void registerEinsumOps(OpTable &table) {
  table.on("Einsum", {12, 28}, importEinsum);
}

} // namespace mlir::atc::onnx
