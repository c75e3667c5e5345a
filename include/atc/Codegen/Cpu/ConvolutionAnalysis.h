// What the convolution templates know of a kernel from its types.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_CONVOLUTIONANALYSIS_H
#define ATC_CODEGEN_CPU_CONVOLUTIONANALYSIS_H

#include "atc/Codegen/Cpu/AnchoredKernel.h"
#include "atc/Codegen/Cpu/GemmTiling.h"
#include "atc/Target/Target.h"

namespace mlir::atc::cpu {

/// A window that slides over the spatial dims of [N, C, spatial...].
struct SlidingWindow {
  SmallVector<int64_t> kernel, strides, begins, ends, dilations;

  unsigned rank() const { return kernel.size(); }
  /// The extent of the window along a dim, holes included.
  int64_t extent(unsigned dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
  /// The number of windows along a dim of `size` elements.
  OpFoldResult count(IndexBuilder &index, unsigned dim,
                     OpFoldResult size) const;
  /// Channels innermost ([N, spatial..., C]), with a halo of the elements that
  /// windows reach beyond the tensor. `size` and `windows` are the dim's size
  /// and the number of windows, if known.
  ::atc::PhysicalLayout haloLayout(ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> resultShape) const;
};

/// Channels innermost, no halo.
::atc::PhysicalLayout channelsLast(unsigned rank);
/// Requests it for every argument and result that has the rank of the anchor's
/// result, anything strided for the others.
void requestChannelsLast(graph::KernelOp kernel, unsigned rank,
                         KernelCandidate &candidate);

/// The number of points of [N, C, spatial...] without C, as an expression of
/// the kernel's dims.
FailureOr<AffineExpr> resultPoints(graph::KernelOp kernel, Value result);

/// A convolution kernel with weights [O, I, kernel...].
struct ConvolutionAnalysis {
  AnchoredKernel region;
  Value input, filter, result;
  SlidingWindow window;
  int64_t groups = 1;
  /// Channels of one group.
  int64_t inputChannels = 0, outputChannels = 0;
  Type accumulator;

  static std::optional<ConvolutionAnalysis> analyze(Block &block,
                                                    std::string &reason);

  /// Window positions of all channels: steps of k of one group.
  int64_t depth() const;
  GemmShape gemmShape() const;
  /// Panels [O / width][kernel...][I][width]; with groups that do not fill
  /// whole panels, one matrix [group][kernel...][I][O / width][width].
  ::atc::PhysicalLayout filterLayout(int64_t width) const;
  bool hasGroupedFilter(int64_t width) const {
    return groups > 1 && outputChannels % width != 0;
  }
  /// The input has another element type than the sums.
  bool widensInput() const;
};

/// The steps of k of a convolution in the order of its packed filter: blocks
/// whose partial sums are set aside, and what stays in registers.
struct ConvolutionSteps {
  /// Window dims (sizes) that are walked per block, and inside a block.
  struct Dim {
    unsigned windowDim;
    int64_t size;
    /// In units of the window dim's own step: 1 unless the dim is divided.
    int64_t stride = 1;
  };
  SmallVector<Dim> blocks, inner;
  /// Contiguous elements of the input: channels, or channels of a whole line of
  /// the window. Divided into `parts` runs of `run` steps.
  int64_t line = 0, run = 0, parts = 1;

  /// `linesMerge`: elements along the last window dim follow each other.
  static ConvolutionSteps plan(const SlidingWindow &window, int64_t channels,
                               bool linesMerge, int64_t limit);
  int64_t blockCount() const;
  /// Steps of one block.
  int64_t blockSize() const;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_CONVOLUTIONANALYSIS_H
