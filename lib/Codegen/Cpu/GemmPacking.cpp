// Copies operands of matrix products to scratch.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/GemmPacking.h"
#include "atc/Codegen/Cpu/VectorTranspose.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

LogicalResult GemmPacking::copyLine(KernelBuilder &b,
                                    SmallVector<OpFoldResult> point,
                                    OpFoldResult begin, OpFoldResult steps,
                                    Value buffer, const Address &to) const {
  RegionEmitter &region = *launch.region;
  int64_t lanes = type.getNumElements();
  bool succeeds = true;
  auto copy = [&](OpFoldResult k, Value active) {
    point[depth] = b.index.add(begin, k);
    FailureOr<Value> value = region.value(
        tensor, VectorPoint::along(point, depth, lanes, 1, active));
    if (failed(value)) {
      succeeds = false;
      return;
    }
    storeNarrowed(b, *value, buffer, to.moved(b, k));
  };
  OpFoldResult rest = b.index.rem(steps, lanes);
  OpFoldResult whole = b.index.sub(steps, rest);
  b.loop(b.index.constant(0), whole, b.index.constant(lanes),
         [&](Value k) { copy(k, {}); });
  if (IndexBuilder::isConstant(rest, 0))
    return success(succeeds);
  b.when(IndexBuilder::getConstant(rest)
             ? Value()
             : b.lessThan(b.index.constant(0), rest),
         [&] { copy(whole, b.index.value(rest)); });
  return success(succeeds);
}

LogicalResult GemmPacking::copyLanes(KernelBuilder &b,
                                     SmallVector<OpFoldResult> point,
                                     OpFoldResult first, OpFoldResult lines,
                                     OpFoldResult begin, OpFoldResult steps,
                                     int64_t width, Value buffer,
                                     const Address &to) const {
  RegionEmitter &region = *launch.region;
  int64_t lanes = type.getNumElements();
  std::optional<int64_t> known = IndexBuilder::getConstant(lines);
  Value active;
  if (!known || *known % lanes != 0)
    active = b.index.value(
        b.index.min(b.saturatingSub(lines, first), b.index.constant(lanes)));
  point[line] = first;
  bool succeeds = true;
  b.loop(b.index.constant(0), steps, b.index.constant(1), [&](Value k) {
    point[depth] = b.index.add(begin, k);
    FailureOr<Value> value = region.value(
        tensor, VectorPoint::along(point, line, lanes, lanes, active));
    if (failed(value)) {
      succeeds = false;
      return;
    }
    storeNarrowed(b, *value, buffer, to.moved(b, b.index.mul(k, width)));
  });
  return success(succeeds);
}

void GemmPacking::copyTransposed(KernelBuilder &b,
                                 SmallVector<OpFoldResult> point,
                                 const TensorView &view, OpFoldResult first,
                                 OpFoldResult lines, OpFoldResult begin,
                                 OpFoldResult steps, int64_t width,
                                 Value buffer, const Address &to) const {
  IndexBuilder &index = b.index;
  int64_t lanes = type.getNumElements();
  point[depth] = begin;
  // Lines behind the last one repeat it; nobody uses what they give.
  OpFoldResult last = index.sub(lines, index.constant(1));
  SmallVector<Address> starts;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    point[line] = index.min(index.add(first, lane), last);
    starts.push_back({view.offset(index, point), 0});
  }
  OpFoldResult whole = index.sub(steps, index.rem(steps, lanes));
  b.loop(index.constant(0), whole, index.constant(lanes), [&](Value k) {
    SmallVector<Value> rows;
    for (const Address &start : starts)
      rows.push_back(loadWidened(b, view.buffer, start.moved(b, k), type));
    Address group = to.moved(b, index.mul(k, width));
    for (auto [step, column] :
         llvm::enumerate(transposeVectors(b.builder, b.loc, rows)))
      storeNarrowed(b, column, buffer,
                    group.moved(b, index.constant(step * width)));
  });
  b.loop(whole, steps, index.constant(1), [&](Value k) {
    Address group = to.moved(b, index.mul(k, width));
    for (auto [lane, start] : llvm::enumerate(starts))
      storeNarrowed(
          b,
          loadWidened(b, view.buffer, start.moved(b, k), type.getElementType()),
          buffer, group.moved(b, index.constant(lane)));
  });
}

LogicalResult GemmPacking::copyPanel(KernelBuilder &b,
                                     SmallVector<OpFoldResult> point,
                                     const std::optional<TensorView> &view,
                                     OpFoldResult first, int64_t width,
                                     OpFoldResult lines, OpFoldResult begin,
                                     OpFoldResult steps, Value buffer,
                                     const Address &to) const {
  int64_t lanes = type.getNumElements();
  bool transposed = view && IndexBuilder::isConstant(view->strides[depth], 1) &&
                    !IndexBuilder::isConstant(view->strides[line], 1);
  for (int64_t column = 0; column < width; column += lanes) {
    OpFoldResult start = b.index.add(first, column);
    Address place = to.moved(b, b.index.constant(column));
    if (transposed)
      copyTransposed(b, point, *view, start, lines, begin, steps, width, buffer,
                     place);
    else if (failed(copyLanes(b, point, start, lines, begin, steps, width,
                              buffer, place)))
      return failure();
  }
  return success();
}
