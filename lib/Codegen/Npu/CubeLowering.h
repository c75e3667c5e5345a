// Builds the instructions of an implicit GEMM.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_CUBELOWERING_H
#define ATC_LIB_CODEGEN_NPU_CUBELOWERING_H

#include "CubeTiling.h"
#include "atc/Codegen/Npu/KernelLaunch.h"

namespace mlir::atc::npu {

/// Fills a launch with the loops of a problem:
///
///   for each tile of this block
///     bias: global memory -> L1 -> bias table
///     for each step of input channels
///       image rows and filter: global memory -> L1
///       for each step of the depth
///         img2col window -> L0A, filter fractals -> L0B
///         multiply, accumulate in L0C
///     L0C -> convert -> global memory
class CubeLowering {
public:
  CubeLowering(KernelLaunch &launch, const CubeProblem &problem,
               const CubeTiling &tiling);

  /// Numbers of the buffers of left, right, bias and result.
  struct Buffers {
    unsigned left, right, bias, result;
  };
  void build(const Buffers &buffers);

private:
  /// Sizes and places of the tile at hand.
  struct Tile {
    Value number;
    OpFoldResult batch, row, column, channel;
    /// Output rows, columns and channels.
    OpFoldResult rows, columns, channels, channelBlocks;
    /// Pixels, and these in whole fractals.
    OpFoldResult pixels, paddedPixels;
    /// The part of the image under the tile, and the padding around it.
    OpFoldResult imageRow, imageColumn, imageRows, imageColumns;
    OpFoldResult padTop, padBottom, padLeft, padRight;
    Value accumulatorSlot, biasSlot;
  };
  /// A range of an image dim under a range of windows.
  struct ImageRange {
    OpFoldResult begin, size, padBefore, padAfter;
  };

  void allocate();
  Tile describeTile(Value number);
  ImageRange imageRange(OpFoldResult window, OpFoldResult windows,
                        int64_t stride, int64_t extent, int64_t pad,
                        int64_t size, int64_t allWindows);
  void loadBias(const Tile &tile, Value bias);
  void loadImage(const Tile &tile, Value image, OpFoldResult firstBlock,
                 OpFoldResult channels, Value slot);
  void loadFilter(const Tile &tile, Value filter, OpFoldResult firstBlock,
                  OpFoldResult blocks, OpFoldResult channels, Value slot);
  void loadOperands(const Tile &tile, OpFoldResult channelBlocks,
                    OpFoldResult channels, OpFoldResult firstDepth,
                    OpFoldResult depth, Value l1Slot, Value l0Slot);
  void multiply(const Tile &tile, OpFoldResult depth, Value step, Value l0Slot);
  void buildChannelStep(const Tile &tile, Value step, const Buffers &buffers);
  void store(const Tile &tile, Value result);

  /// `number` modulo `count`, or null for one slot.
  Value slotOf(OpFoldResult number, int64_t count);

  KernelLaunch &launch;
  IndexBuilder &index;
  const CubeProblem &problem;
  const CubeTiling &tiling;
  int64_t elementBytes;

  Value imageL1, filterL1, biasL1;
  Value leftL0, rightL0, accumulators, biasTable;
};

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_CUBELOWERING_H
