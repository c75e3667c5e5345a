// A convolution or matrix product as an implicit GEMM.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_CUBEPROBLEM_H
#define ATC_LIB_CODEGEN_NPU_CUBEPROBLEM_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Isa/Device.h"
#include "atc/Support/PhysicalLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::atc::npu {

/// What follows the products of an anchor, in the order in which the hardware
/// does it: bias, activation, conversion.
struct CubeEpilogue {
  /// One element per output channel; null without a bias.
  Value bias;
  bool relu = false;
  /// The last value: what the kernel yields.
  Value result;

  /// Follows the users of the anchor's result inside its block. Fails with a
  /// reason at an op that the hardware does not do there.
  static std::optional<CubeEpilogue> follow(Operation *anchor,
                                            std::string &reason);
};

/// The dim of an anchor's result that the columns of the product are.
unsigned getColumnDim(Operation *anchor);

/// Whether `bias` has one element for each column and repeats along all other
/// dims of `result`.
bool isColumnVector(Value bias, Value result, unsigned columnDim);

/// How the right-hand matrix lies in global memory.
enum class RightLayout {
  /// As fractals, in the order in which L0B takes them.
  Packed,
  /// [K, N] and [N, K], the last dim contiguous.
  RowMajor,
  Transposed,
};

/// Rows are output pixels, columns output channels, the depth is channel block,
/// filter row, filter column, channel. A matrix product is the convolution of
/// an image of one row with a filter of one tap. Sizes count elements.
struct CubeProblem {
  Operation *anchor = nullptr;
  CubeEpilogue epilogue;
  Value left, right;
  RightLayout rightLayout = RightLayout::Packed;
  ::atc::isa::DataType type = ::atc::isa::DataType::F16;
  ::atc::isa::DataType outType = ::atc::isa::DataType::F16;
  ::atc::isa::DataType biasType = ::atc::isa::DataType::F16;

  int64_t batches = 1;
  int64_t height = 1, width = 1, channels = 1;
  int64_t outHeight = 1, outWidth = 1, outChannels = 1;
  int64_t filterHeight = 1, filterWidth = 1;
  int64_t strideHeight = 1, strideWidth = 1;
  int64_t dilationHeight = 1, dilationWidth = 1;
  int64_t padTop = 0, padLeft = 0;

  /// Distances of batches, image rows and pixels; channels are contiguous.
  int64_t leftBatch = 0, leftRow = 0, leftPixel = 0;
  int64_t outBatch = 0, outRow = 0, outPixel = 0;
  /// Of right-hand matrices, 0 if all batches share one, and of their rows.
  int64_t rightBatch = 0, rightRow = 0;

  /// Elements of a block of the depth: 32 bytes.
  int64_t blockElements() const { return 32 / byteSize(type); }
  int64_t channelBlocks() const {
    return llvm::divideCeil(channels, blockElements());
  }
  int64_t taps() const { return filterHeight * filterWidth; }
  int64_t columnBlocks() const { return llvm::divideCeil(outChannels, 16); }
  /// Image rows under `rows` output rows.
  int64_t imageRows(int64_t rows) const {
    return (rows - 1) * strideHeight + (filterHeight - 1) * dilationHeight + 1;
  }
  int64_t imageColumns(int64_t columns) const {
    return (columns - 1) * strideWidth + (filterWidth - 1) * dilationWidth + 1;
  }

  using Strides = llvm::function_ref<SmallVector<int64_t>(Value)>;
  /// Analyzes the region in `block`. `strides` tells the distances of a
  /// tensor's dims; `isPacked` whether the right operand lies as fractals.
  static std::optional<CubeProblem>
  analyze(Block &block, const ::atc::isa::DeviceRecord &device, Strides strides,
          llvm::function_ref<bool(Value)> isPacked, std::string &reason);
};

/// The layout of the fractals of a right-hand operand: for matrices [..., K, N]
/// or, transposed, [..., N, K], and for filters [O, I, kernel...].
::atc::PhysicalLayout getFractalLayout(Operation *anchor,
                                       int64_t blockElements);

/// The element type on the device, nullopt if it has none.
std::optional<::atc::isa::DataType> getDataType(Type elementType);

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_CUBEPROBLEM_H
