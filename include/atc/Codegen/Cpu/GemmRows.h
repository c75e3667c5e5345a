// Rows of a matrix that are points of several tensor dims.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_GEMMROWS_H
#define ATC_CODEGEN_CPU_GEMMROWS_H

#include "atc/Codegen/Cpu/MicroKernel.h"

namespace mlir::atc::cpu {

/// The rows of a matrix product: row number r is the point `delinearize(r)` of
/// dims with these sizes, e.g. (image, y, x) of a convolution's result.
struct GemmRows {
  SmallVector<OpFoldResult> sizes;

  OpFoldResult count(KernelBuilder &b) const { return b.index.product(sizes); }

  /// The points of rows [first, first + number). With `limit`, rows from there
  /// on are replaced by row limit - 1.
  SmallVector<SmallVector<OpFoldResult>> points(KernelBuilder &b,
                                                OpFoldResult first,
                                                unsigned number,
                                                OpFoldResult limit) const;

  /// Where the same rows lie in a buffer in which dim i advances by strides[i]
  /// from `base` on. Rows at equal distances share one base.
  SmallVector<Address> addresses(KernelBuilder &b, const Address &base,
                                 ArrayRef<OpFoldResult> strides,
                                 OpFoldResult first, unsigned number,
                                 OpFoldResult limit) const;

  /// The distance of consecutive rows if it is the same everywhere.
  std::optional<OpFoldResult>
  commonStride(ArrayRef<OpFoldResult> strides) const;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_GEMMROWS_H
