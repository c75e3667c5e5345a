// What the Winograd template knows of a kernel from its types.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_WINOGRADANALYSIS_H
#define ATC_CODEGEN_CPU_WINOGRADANALYSIS_H

#include "atc/Codegen/Cpu/ConvolutionAnalysis.h"

namespace mlir::atc::cpu {

/// A conv_winograd kernel. Images, height and width are those of the result and
/// may be open (ShapedType::kDynamic).
struct WinogradAnalysis {
  AnchoredKernel region;
  Value input, filter, result;
  SlidingWindow window;
  int64_t tile = 0;
  int64_t images = 0, channels = 0, outputs = 0, height = 0, width = 0;

  static std::optional<WinogradAnalysis> analyze(Block &block,
                                                 std::string &reason);

  int64_t frequencies() const { return (tile + 2) * (tile + 2); }
  /// The number of tiles, if it is known.
  std::optional<int64_t> tileCount() const;
  /// Whether the last tile along a spatial dim sticks out of the result where
  /// its size is no multiple of the tile's. In a result of known size it starts
  /// earlier instead.
  bool overhangs(unsigned dim) const {
    return ShapedType::isDynamic(dim == 0 ? height : width);
  }
  /// Channels last, with a halo of zeros as far as tiles reach.
  ::atc::PhysicalLayout inputLayout() const;
  /// How many tiles are transformed and multiplied together.
  int64_t chooseBlock() const;
  /// The tiling of the product of one frequency for `block` tiles.
  GemmTiling tiling(const CpuDescription &cpu, int64_t block) const;
};

/// Scratch of one thread: the transformed input [frequency][tile][I] and the
/// products [frequency][tile][O], lines padded to whole vectors; in bytes.
struct WinogradScratch {
  int64_t input = 0, output = 0, partial = 0;
  int64_t bytes = 0;
  /// Elements of a line.
  int64_t inputPitch = 0, outputPitch = 0;

  static WinogradScratch plan(const WinogradAnalysis &winograd,
                              const GemmTiling &tiling, int64_t block);
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_WINOGRADANALYSIS_H
