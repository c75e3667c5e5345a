// Sizes of tensors as values.
// SPDX-License-Identifier: Apache-2.0
#include "../NodeBinder.h"
#include "../OpTable.h"
#include "Families.h"

namespace mlir::atc::onnx {
namespace {

void importShape(NodeBinder &node) {
  Value x = node.input(0);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  int64_t rank = type.getRank(), start = 0, end = rank;
  if (node.getVersion() >= 15) {
    auto clamp = [&](int64_t bound) {
      return std::clamp<int64_t>(bound < 0 ? bound + rank : bound, 0, rank);
    };
    start = clamp(node.integer("start", 0));
    end = std::max(start, clamp(node.integer("end", rank)));
  }
  node.result(0, node.sizes(x, start, end));
}

void importSize(NodeBinder &node) {
  Value x = node.input(0);
  RankedTensorType type = node.rankedType(x);
  if (!node.ok())
    return;
  Value count = node.getValue(Size(x, 0, type.getRank()));
  node.result(0, node.reshape(count, ArrayRef<int64_t>()));
}

void importRange(NodeBinder &node) {
  Value bounds[3];
  for (unsigned i = 0; i < 3; ++i) {
    bounds[i] = node.input(i);
    RankedTensorType type = node.rankedType(bounds[i]);
    if (!node.ok())
      return;
    if (type.getRank() != 0)
      bounds[i] = node.reshape(bounds[i], ArrayRef<int64_t>());
  }
  Type type = getElementTypeOrSelf(bounds[0].getType());
  // From 27 on narrow floats are computed in single precision.
  bool widens = node.getVersion() >= 27 && node.integer("stash_type", 1) == 1 &&
                isa<Float16Type, BFloat16Type>(type);
  if (widens)
    for (Value &bound : bounds)
      bound = node.cast(bound, node.getBuilder().getF32Type());
  Value range = node.create<graph::RangeOp>(bounds[0], bounds[1], bounds[2]);
  node.result(0, node.cast(range, type));
}

} // namespace

void registerShapeOps(OpTable &table) {
  table.on("Range", {11, 27}, importRange);
  table.on("Shape", {1, 13, 15, 19, 21, 23, 24, 25}, importShape);
  table.on("Size", {1, 13, 19, 21, 23, 24, 25}, importSize);
}

} // namespace mlir::atc::onnx
