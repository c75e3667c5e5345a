// Sizes that sliding windows give.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/WindowShape.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::atc;

// Sizes come from files; in this type none of the formulas overflows.
using Wide = __int128;

static Wide getExtent(const graph::Window &window) {
  return (Wide(window.kernel) - 1) * window.dilation + 1;
}

int64_t graph::getWindowCount(int64_t size, const Window &window,
                              bool ceilMode) {
  if (ShapedType::isDynamic(size))
    return size;
  Wide room = Wide(size) + window.begin + window.end - getExtent(window);
  // Rounding up finds a window even where the input lacks less than a stride.
  if (room < 0 && (!ceilMode || room <= -window.stride))
    return 0;
  if (!ceilMode)
    return int64_t(room / window.stride) + 1;
  Wide count = (room + window.stride - 1) / window.stride + 1;
  if ((count - 1) * window.stride >= Wide(size) + window.begin)
    --count;
  return std::max<int64_t>(int64_t(count), 0);
}

std::optional<int64_t> graph::getTransposedSize(int64_t size,
                                                const Window &window,
                                                int64_t outputPadding) {
  if (ShapedType::isDynamic(size))
    return size;
  Wide result = Wide(window.stride) * (Wide(size) - 1) + outputPadding +
                getExtent(window) - window.begin - window.end;
  if (result != Wide(int64_t(result)))
    return std::nullopt;
  return int64_t(result);
}
