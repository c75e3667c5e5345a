// Sizes that sliding windows give.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_WINDOWSHAPE_H
#define ATC_DIALECT_GRAPH_IR_WINDOWSHAPE_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <optional>

namespace mlir::atc::graph {

/// How a window moves along one spatial dim. Its extent, from the first to the
/// last element that it covers, is (kernel - 1) * dilation + 1.
struct Window {
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  /// Padding before the first and behind the last element.
  int64_t begin;
  int64_t end;
};

/// The number of windows in a dim of `size` elements, at least 0:
///
///     round((size + begin + end - extent) / stride) + 1
///
/// with floor, or ceil with `ceilMode`, where a last window that would start
/// behind the input and its begin padding does not count (ONNX MaxPool 19).
/// `?` for a dynamic size.
int64_t getWindowCount(int64_t size, const Window &window, bool ceilMode);

/// The size that a transposed convolution gives:
///
///     stride * (size - 1) + outputPadding + extent - begin - end
///
/// `?` for a dynamic size. The number may be negative; nullopt where it does
/// not fit.
std::optional<int64_t> getTransposedSize(int64_t size, const Window &window,
                                         int64_t outputPadding);

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_WINDOWSHAPE_H
