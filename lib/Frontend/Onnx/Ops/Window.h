// Attributes that convolution and pooling share.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_OPS_WINDOW_H
#define ATC_LIB_FRONTEND_ONNX_OPS_WINDOW_H

#include "../NodeBinder.h"

namespace mlir::atc::onnx {

/// How a window moves over the spatial dims, defaults filled in.
struct Window {
  enum class AutoPad { NotSet, SameUpper, SameLower, Valid };

  SmallVector<int64_t> kernel, strides, dilations;
  /// All begins, then all ends; empty where `autoPad` decides.
  SmallVector<int64_t> pads;
  AutoPad autoPad = AutoPad::NotSet;

  int64_t getExtent(size_t dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
};

/// Reads strides, dilations, pads and auto_pad for a window of size `kernel`
/// (positive). `hasDilations` is false where the operator has no such
/// attribute.
Window readWindow(NodeBinder &node, ArrayRef<int64_t> kernel,
                  bool hasDilations = true);

/// Replaces auto_pad by pads for an input of shape `type`, such that SAME gives
/// ceil(size / stride) positions.
void resolvePads(NodeBinder &node, Window &window, RankedTensorType type);

/// Splits a padding: with `upper` the odd element goes to the end.
std::pair<int64_t, int64_t> splitPadding(int64_t total, bool upper);

/// The spatial sizes of a kernel; they must be static and positive.
SmallVector<int64_t> readKernel(NodeBinder &node, RankedTensorType weights);

/// x + bias, where `bias` of shape [C] applies along dim 1.
Value addChannelBias(NodeBinder &node, Value x, Value bias);

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_OPS_WINDOW_H
