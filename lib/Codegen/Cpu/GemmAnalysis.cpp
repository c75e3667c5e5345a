// Finds the matrices of a matmul kernel.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/GemmAnalysis.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

static std::optional<int64_t> staticSize(RankedTensorType type, unsigned dim) {
  if (type.isDynamicDim(dim))
    return std::nullopt;
  return type.getDimSize(dim);
}

/// The product of the leading dims, all but the last two.
static std::optional<int64_t> batchSize(RankedTensorType type) {
  int64_t size = 1;
  for (int64_t dim : type.getShape().drop_back(2)) {
    if (ShapedType::isDynamic(dim))
      return std::nullopt;
    size *= dim;
  }
  return size;
}

std::optional<GemmAnalysis> GemmAnalysis::analyze(Block &block,
                                                  std::string &reason) {
  std::optional<AnchoredKernel> region =
      AnchoredKernel::match<graph::MatMulOp>(block, reason);
  if (!region)
    return std::nullopt;
  GemmAnalysis gemm;
  gemm.region = *region;
  auto op = cast<graph::MatMulOp>(region->anchor);
  gemm.left = op.getLhs();
  gemm.right = op.getRhs();
  gemm.result = op.getResult();
  auto left = dyn_cast<RankedTensorType>(gemm.left.getType());
  auto right = dyn_cast<RankedTensorType>(gemm.right.getType());
  auto result = dyn_cast<RankedTensorType>(gemm.result.getType());
  if (!left || !right || !result) {
    reason = "matmul of tensors without a rank";
    return std::nullopt;
  }
  if (left.getElementType() != right.getElementType() ||
      left.getElementType().getIntOrFloatBitWidth() == 8) {
    reason = "matmul of 8-bit operands has no CPU kernel yet";
    return std::nullopt;
  }
  gemm.accumulator = computeType(left.getElementType());
  unsigned leftRank = left.getRank(), rightRank = right.getRank();
  gemm.leftRow = leftRank - (op.getTransposeLhs() ? 1 : 2);
  gemm.leftDepth = leftRank - (op.getTransposeLhs() ? 2 : 1);
  gemm.rightDepth = rightRank - (op.getTransposeRhs() ? 1 : 2);
  gemm.rightColumn = rightRank - (op.getTransposeRhs() ? 2 : 1);
  gemm.batched = batchSize(right) != 1;

  unsigned rank = result.getRank();
  gemm.shape.rows = staticSize(result, rank - 2);
  gemm.shape.columns = staticSize(result, rank - 1);
  gemm.shape.depth = staticSize(left, gemm.leftDepth);
  if (!gemm.shape.depth)
    gemm.shape.depth = staticSize(right, gemm.rightDepth);
  gemm.shape.batches = batchSize(result);
  if (!gemm.batched) {
    if (gemm.shape.rows && gemm.shape.batches)
      gemm.shape.rows = *gemm.shape.rows * *gemm.shape.batches;
    else
      gemm.shape.rows = std::nullopt;
    gemm.shape.batches = 1;
  }
  return gemm;
}

::atc::PhysicalLayout GemmAnalysis::panelLayout(int64_t width) const {
  unsigned rank = cast<RankedTensorType>(right.getType()).getRank();
  ::atc::PhysicalLayout layout = ::atc::PhysicalLayout::rowMajor(rank);
  layout.permutation[rank - 2] = rightColumn;
  layout.permutation[rank - 1] = rightDepth;
  layout.tiles = {{rightColumn, width}};
  return layout;
}

bool GemmAnalysis::isRightPacked() const {
  auto type = cast<RankedTensorType>(right.getType());
  return isa<BlockArgument>(right) && !layoutOf(type).tiles.empty();
}

bool GemmAnalysis::copiesLeft() const {
  std::optional<TensorView> view = describeView(left);
  return !view || storageType(view->type.getElementType()) != accumulator;
}

bool GemmAnalysis::copiesRight(const CpuDescription &cpu) const {
  if (isRightPacked())
    return false;
  std::optional<TensorView> view = describeView(right);
  if (!view || !IndexBuilder::isConstant(view->strides[rightColumn], 1))
    return true;
  // Lines far apart cost a page each; packing pays where many rows use them.
  bool fewRows = shape.rows && *shape.rows <= 32;
  bool fits =
      shape.columns && shape.depth &&
      *shape.columns * *shape.depth * accumulator.getIntOrFloatBitWidth() / 8 <=
          cpu.l2Bytes / 2;
  return !fewRows && !fits;
}

GemmScratch GemmScratch::plan(const GemmTiling &tiling, Type accumulator,
                              bool hasPartial, bool copiesLeft,
                              bool copiesRight) {
  GemmScratch scratch;
  int64_t elementBytes = accumulator.getIntOrFloatBitWidth() / 8;
  auto place = [&](bool used, int64_t elements) {
    int64_t offset = scratch.bytes;
    if (used)
      scratch.bytes += llvm::alignTo(elements * elementBytes, 64);
    return offset;
  };
  int64_t tile = tiling.rows * tiling.width();
  scratch.partial =
      place(hasPartial, tiling.blockTiles * tiling.panelTiles * tile);
  // The last row is written in whole vectors.
  scratch.left = place(copiesLeft, tiling.rows * tiling.depth + tiling.lanes);
  scratch.right =
      place(copiesRight, tiling.panelTiles * tiling.depth * tiling.width());
  return scratch;
}
