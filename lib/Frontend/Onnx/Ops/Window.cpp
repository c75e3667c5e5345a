// Attributes that convolution and pooling share.
// SPDX-License-Identifier: Apache-2.0
#include "Window.h"

namespace mlir::atc::onnx {

/// Larger values make no sense and would let products overflow.
static constexpr int64_t kMaxAttribute = int64_t(1) << 31;

/// A list with one entry per spatial dim.
static SmallVector<int64_t> readList(NodeBinder &node, StringRef name,
                                     size_t count, int64_t missing,
                                     int64_t smallest) {
  SmallVector<int64_t> list =
      node.integers(name).value_or(SmallVector<int64_t>(count, missing));
  // Some exporters write an empty list for the default.
  if (list.empty())
    list.assign(count, missing);
  if (list.size() != count)
    node.invalid("attribute '" + Twine(name) + "' has " + Twine(list.size()) +
                 " entries instead of " + Twine(count));
  for (int64_t entry : list)
    if (entry < smallest || entry > kMaxAttribute)
      node.invalid("attribute '" + Twine(name) + "' holds " + Twine(entry));
  return list;
}

Window readWindow(NodeBinder &node, ArrayRef<int64_t> kernel,
                  bool hasDilations) {
  Window window;
  size_t rank = kernel.size();
  window.kernel.assign(kernel.begin(), kernel.end());
  for (int64_t size : kernel)
    if (size <= 0 || size > kMaxAttribute)
      node.invalid("a window of size " + Twine(size));
  window.strides = readList(node, "strides", rank, 1, 1);
  window.dilations = hasDilations ? readList(node, "dilations", rank, 1, 1)
                                  : SmallVector<int64_t>(rank, 1);
  window.autoPad =
      node.choice<Window::AutoPad>("auto_pad", "NOTSET",
                                   {{"NOTSET", Window::AutoPad::NotSet},
                                    {"SAME_UPPER", Window::AutoPad::SameUpper},
                                    {"SAME_LOWER", Window::AutoPad::SameLower},
                                    {"VALID", Window::AutoPad::Valid}});
  SmallVector<int64_t> pads = readList(node, "pads", 2 * rank, 0, 0);
  // With auto_pad, `pads` does not count; files carry it as zeros.
  if (window.autoPad == Window::AutoPad::NotSet)
    window.pads = std::move(pads);
  else if (window.autoPad == Window::AutoPad::Valid)
    window.pads.assign(2 * rank, 0);
  return window;
}

std::pair<int64_t, int64_t> splitPadding(int64_t total, bool upper) {
  int64_t small = total / 2, large = total - small;
  return upper ? std::pair(small, large) : std::pair(large, small);
}

void resolvePads(NodeBinder &node, Window &window, RankedTensorType type) {
  if (!node.ok() || !window.pads.empty())
    return;
  size_t rank = window.kernel.size();
  window.pads.assign(2 * rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = type.getDimSize(2 + i), stride = window.strides[i];
    int64_t total;
    if (!ShapedType::isDynamic(size)) {
      int64_t positions = size / stride + (size % stride != 0);
      total = (positions - 1) * stride + window.getExtent(i) - size;
    } else if (stride == 1) {
      total = window.getExtent(i) - 1;
    } else {
      return node.unsupported("auto_pad with strides on a dimension of unknown "
                              "size; fix it with --input_shape");
    }
    std::tie(window.pads[i], window.pads[rank + i]) =
        splitPadding(std::max<int64_t>(total, 0),
                     window.autoPad == Window::AutoPad::SameUpper);
  }
}

SmallVector<int64_t> readKernel(NodeBinder &node, RankedTensorType weights) {
  SmallVector<int64_t> kernel(weights.getShape().drop_front(2));
  std::optional<SmallVector<int64_t>> given = node.integers("kernel_shape");
  for (size_t i = 0; i < kernel.size(); ++i)
    if (ShapedType::isDynamic(kernel[i]) && given && given->size() > i)
      kernel[i] = (*given)[i];
  if (ShapedType::isDynamicShape(kernel))
    node.unsupported("a kernel of unknown size");
  else if (given && !given->empty() && *given != kernel)
    node.invalid("attribute 'kernel_shape' is not the weights' shape");
  return kernel;
}

Value addChannelBias(NodeBinder &node, Value x, Value bias) {
  RankedTensorType type = node.rankedType(x);
  RankedTensorType biasType = node.rankedType(bias);
  if (!node.ok())
    return {};
  if (biasType.getRank() != 1 ||
      (!biasType.isDynamicDim(0) && !type.isDynamicDim(1) &&
       biasType.getDimSize(0) != type.getDimSize(1))) {
    node.invalid("the bias must have one element per output channel");
    return {};
  }
  SmallVector<Size> sizes{{bias, 0}};
  sizes.append(type.getRank() - 2, 1);
  return node.create<graph::AddOp>(x, node.reshape(bias, sizes));
}

} // namespace mlir::atc::onnx
