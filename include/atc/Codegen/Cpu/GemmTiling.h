// Tile sizes of matrix products, from a processor's registers and caches.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_GEMMTILING_H
#define ATC_CODEGEN_CPU_GEMMTILING_H

#include "atc/Codegen/Cpu/GemmNest.h"
#include "atc/Target/CpuDescription.h"

namespace mlir::atc::cpu {

/// Sizes of one matrix product; unknown ones are absent.
struct GemmShape {
  std::optional<int64_t> rows, columns, depth;
  /// Products that run independently of each other.
  std::optional<int64_t> batches = 1;
};

/// How a matrix product is cut up.
struct GemmTiling {
  /// The register tile: rows, and vectors of columns.
  unsigned rows = 0, vectors = 0;
  int64_t lanes = 0;
  /// Steps of k that are summed before partial sums are set aside.
  int64_t depth = 0;
  /// The largest number of steps whose panel fits the first-level cache.
  int64_t depthLimit = 0;
  int64_t panelTiles = 1, blockTiles = 1;
  GemmNest::Partition partition = GemmNest::Partition::Rows;

  /// Columns of a register tile: the width of a packed panel.
  int64_t width() const { return vectors * lanes; }

  /// The tiling for an accumulator type.
  static GemmTiling choose(const CpuDescription &cpu, Type type,
                           const GemmShape &shape);

  /// As entries of a configuration's parameters, and back.
  void write(NamedAttrList &params, Builder &builder) const;
  static GemmTiling read(DictionaryAttr params);
};

/// The number of tiles of one product, as an expression of the same dims as its
/// rows and columns.
AffineExpr gridExpression(AffineExpr rows, AffineExpr columns,
                          const GemmTiling &tiling);

/// Predicted nanoseconds of `multiplyAdds` with the given tiling, and of
/// moving `bytes` between memory and caches, whichever takes longer.
double predictTime(const CpuDescription &cpu, Type type, double multiplyAdds,
                   double efficiency, double bytes);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_GEMMTILING_H
