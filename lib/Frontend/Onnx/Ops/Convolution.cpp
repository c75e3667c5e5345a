// Convolutions.
// SPDX-License-Identifier: Apache-2.0
#include "../OpTable.h"
#include "Families.h"
#include "Window.h"

namespace mlir::atc::onnx {
namespace {

/// Ranks that every convolution needs.
bool checkRanks(NodeBinder &node, RankedTensorType x, RankedTensorType w) {
  if (!node.ok())
    return false;
  if (x.getRank() < 3 || x.getRank() != w.getRank())
    node.invalid("input of rank " + Twine(x.getRank()) +
                 " and weights of rank " + Twine(w.getRank()));
  return node.ok();
}

Value buildConv(NodeBinder &node, Value x, Value w) {
  RankedTensorType xType = node.rankedType(x), wType = node.rankedType(w);
  if (!checkRanks(node, xType, wType))
    return {};
  SmallVector<int64_t> kernel = readKernel(node, wType);
  Window window = readWindow(node, kernel);
  int64_t groups = node.integer("group", 1);
  if (groups < 1)
    node.invalid("attribute 'group' holds " + Twine(groups));
  resolvePads(node, window, xType);
  return node.create<graph::ConvOp>(x, w, window.strides, window.pads,
                                    window.dilations, groups);
}

void importConv(NodeBinder &node) {
  Value x = node.input(0), w = node.input(1);
  Value result = buildConv(node, x, w);
  if (Value bias = node.optionalInput(2))
    result = addChannelBias(node, result, bias);
  node.result(0, result);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The operand as i32 without its zero point; padding then is zero, as it must
/// be. A list of zero points belongs to the output channels of the weights.
Value removeZeroPoint(NodeBinder &node, Value x, Value zeroPoint) {
  RankedTensorType type = node.rankedType(x);
  Type i32 = node.getBuilder().getI32Type();
  x = node.cast(x, i32);
  if (!zeroPoint || !node.ok())
    return x;
  RankedTensorType zeroType = node.rankedType(zeroPoint);
  if (node.ok() && zeroType.getRank() == 1) {
    SmallVector<Size> sizes{{zeroPoint, 0}};
    sizes.append(type.getRank() - 1, 1);
    zeroPoint = node.reshape(zeroPoint, sizes);
  }
  return node.create<graph::SubOp>(x, node.cast(zeroPoint, i32));
}

void importConvInteger(NodeBinder &node) {
  Value x = removeZeroPoint(node, node.input(0), node.optionalInput(2));
  Value w = removeZeroPoint(node, node.input(1), node.optionalInput(3));
  node.result(0, buildConv(node, x, w));
}

/// The exact integer convolution with an i32 bias, scaled to the result's
/// scale. Scales of the weights may differ per output channel.
void importQLinearConv(NodeBinder &node) {
  Value x = node.input(0), xScale = node.input(1), xZero = node.input(2);
  Value w = node.input(3), wScale = node.input(4), wZero = node.input(5);
  Value yScale = node.input(6), yZero = node.input(7);
  Value sum = buildConv(node, removeZeroPoint(node, x, xZero),
                        removeZeroPoint(node, w, wZero));
  if (Value bias = node.optionalInput(8))
    sum = addChannelBias(node, sum, bias);
  RankedTensorType type = node.rankedType(sum);
  RankedTensorType scaleType = node.rankedType(wScale);
  if (!node.ok())
    return;
  if (scaleType.getRank() == 1) {
    SmallVector<Size> sizes{{wScale, 0}};
    sizes.append(type.getRank() - 2, 1);
    wScale = node.reshape(wScale, sizes);
  }
  ArrayRef<int64_t> scalar;
  Value factor =
      node.create<graph::MulOp>(node.reshape(xScale, scalar), wScale);
  Value real = node.create<graph::MulOp>(
      node.cast(sum, scaleType.getElementType()), factor);
  node.result(0, node.create<graph::QuantizeOp>(
                     real, node.reshape(yScale, scalar),
                     node.reshape(yZero, scalar), 0, 0, false));
}

//===----------------------------------------------------------------------===//
// Transposed
//===----------------------------------------------------------------------===//

/// Derives pads from the sizes that the result shall have: those given, or
/// size * stride for SAME. What is missing at the end is added there.
void resolveTransposedPads(NodeBinder &node, Window &window,
                           RankedTensorType type,
                           std::optional<SmallVector<int64_t>> output,
                           ArrayRef<int64_t> outputPadding) {
  size_t rank = window.kernel.size();
  if (output && output->size() == rank + 2)
    output->erase(output->begin(), output->begin() + 2);
  if (output && output->size() != rank)
    return node.invalid("attribute 'output_shape' has " +
                        Twine(output->size()) + " entries");
  window.pads.assign(2 * rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = type.getDimSize(2 + i), stride = window.strides[i];
    // total = stride * (size - 1) + output_padding + extent - output
    int64_t total = outputPadding[i] + window.getExtent(i) - stride;
    if (output) {
      if (ShapedType::isDynamic(size))
        return node.unsupported("output_shape for an input of unknown size; "
                                "fix it with --input_shape");
      total += stride * size - (*output)[i];
    }
    auto &begin = window.pads[i], &end = window.pads[rank + i];
    if (total < 0)
      end = total;
    else
      std::tie(begin, end) =
          splitPadding(total, window.autoPad == Window::AutoPad::SameUpper);
  }
}

void importConvTranspose(NodeBinder &node) {
  Value x = node.input(0), w = node.input(1);
  RankedTensorType xType = node.rankedType(x), wType = node.rankedType(w);
  if (!checkRanks(node, xType, wType))
    return;
  SmallVector<int64_t> kernel = readKernel(node, wType);
  Window window = readWindow(node, kernel);
  int64_t groups = node.integer("group", 1);
  if (groups < 1)
    node.invalid("attribute 'group' holds " + Twine(groups));
  SmallVector<int64_t> outputPadding =
      node.integers("output_padding")
          .value_or(SmallVector<int64_t>(kernel.size(), 0));
  std::optional<SmallVector<int64_t>> output = node.integers("output_shape");
  if (node.ok() && outputPadding.size() != kernel.size())
    node.invalid("attribute 'output_padding' has " +
                 Twine(outputPadding.size()) + " entries");
  if (!node.ok())
    return;
  if (output && output->empty())
    output.reset();
  if (output || window.pads.empty())
    resolveTransposedPads(node, window, xType, output, outputPadding);
  Value result = node.create<graph::ConvTransposeOp>(x, w, window.strides,
                                                     window.pads, outputPadding,
                                                     window.dilations, groups);
  if (Value bias = node.optionalInput(2))
    result = addChannelBias(node, result, bias);
  node.result(0, result);
}

} // namespace

void registerConvolutionOps(OpTable &table) {
  table.on("Conv", {1, 11, 22}, importConv);
  table.on("ConvInteger", {10}, importConvInteger);
  table.on("ConvTranspose", {1, 11, 22}, importConvTranspose);
  table.on("QLinearConv", {10}, importQLinearConv);
}

} // namespace mlir::atc::onnx
