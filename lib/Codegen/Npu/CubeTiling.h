// Tiles of an implicit GEMM, and which of them are fastest.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_CUBETILING_H
#define ATC_LIB_CODEGEN_NPU_CUBETILING_H

#include "CubeProblem.h"

namespace mlir::atc::npu {

/// A tile of the result is `rows` x `columns` output pixels by `channels`
/// output channels. Its depth is walked in steps of L1 (`channelBlocks` blocks
/// of input channels with all taps), and these in steps of L0 (`depthBlocks`
/// blocks of 32 bytes).
struct CubeTiling {
  int64_t rows = 1, columns = 1, channels = 16;
  int64_t channelBlocks = 1, depthBlocks = 1;
  /// Accumulators in turn: the cube fills one while another one leaves.
  int64_t accumulators = 1;

  int64_t pixels() const { return rows * columns; }
  int64_t tileCount(const CubeProblem &problem) const;
  int64_t imageBytes(const CubeProblem &problem) const;
  int64_t filterBytes(const CubeProblem &problem) const;
  int64_t accumulatorBytes() const;
  int64_t depthSteps(const CubeProblem &problem) const {
    return llvm::divideCeil(channelBlocks * problem.taps(), depthBlocks);
  }
  int64_t channelSteps(const CubeProblem &problem) const {
    return llvm::divideCeil(problem.channelBlocks(), channelBlocks);
  }

  /// Whether all buffers fit with two slots each.
  bool fits(const CubeProblem &problem,
            const ::atc::isa::DeviceRecord &device) const;
  /// Predicted cycles of a launch, by the cycle functions of lib/Isa: the
  /// slowest pipe of a tile, and the filling of the others.
  double estimateCycles(const CubeProblem &problem,
                        const ::atc::isa::DeviceRecord &device) const;

  /// The fastest tiling of those tried; nullopt if none fits.
  static std::optional<CubeTiling>
  choose(const CubeProblem &problem, const ::atc::isa::DeviceRecord &device);
};

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_CUBETILING_H
