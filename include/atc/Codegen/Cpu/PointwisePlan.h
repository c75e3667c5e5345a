// How a pointwise kernel iterates: dims in memory order, lanes, tiles.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_POINTWISEPLAN_H
#define ATC_CODEGEN_CPU_POINTWISEPLAN_H

#include "atc/Codegen/Cpu/StridedSources.h"
#include "atc/Codegen/Cpu/TileSplit.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Target/CpuDescription.h"

namespace mlir::atc::cpu {

/// One loop; its size is an expression of the kernel's dims. It contributes
/// `index * factor` to a logical dim of the result: a tiled dim has a loop over
/// tiles and one inside of them. Where tiles reach beyond the dim, or beyond
/// the tile that they split, what this loop and the ones inside it contribute
/// has a limit: zeros are written from there on.
struct IterationDim {
  AffineExpr size;
  unsigned logicalDim;
  int64_t factor;
  /// 0 where there is none.
  int64_t limit = 0;
};

/// The loops of a pointwise kernel, outermost first, in the order in which the
/// first result lies in memory, and what they access. Dims that every access
/// passes through in one stride are merged, so that most kernels have one or
/// two loops.
struct PointwiseNest {
  SmallVector<IterationDim> dims;
  /// Whether all operands are read at linear functions of the loops' indices;
  /// `sources` and their accesses are only then known, and dims only then
  /// merged. Otherwise the region is evaluated by logical index.
  bool isLinear = false;
  SmallVector<StridedSource> sources;
  /// Strides per loop.
  SmallVector<LinearAccess> sourceAccesses, resultAccesses;
  /// Elements of a result share bytes: one tile writes them all.
  bool hasPackedResult = false;
  /// The widest type that the region computes with, in bits.
  unsigned computeBits = 8;

  /// In typical shapes, if some are open.
  double elements() const;
  SmallVector<AffineExpr> sizes() const;
  /// Whether some loop over the logical dim of loop `dim`, or any loop, has a
  /// limit.
  bool isPadded(unsigned dim) const {
    return llvm::any_of(dims, [&](const IterationDim &other) {
      return other.limit && other.logicalDim == dims[dim].logicalDim;
    });
  }
  bool isPadded() const {
    return llvm::any_of(dims,
                        [](const IterationDim &dim) { return dim.limit != 0; });
  }

  /// Analyses a region, or says why it is not pointwise.
  static std::optional<PointwiseNest> create(Block &block, std::string &reason);
};

/// Sizes of loops where they are known, else kDynamic.
SmallVector<int64_t> knownSizes(ArrayRef<AffineExpr> sizes);

/// Whether an access that is contiguous along loop `block` has gaps along the
/// loop of the lanes.
bool isGatheredAlong(const LinearAccess &access, size_t block, size_t lane);

/// What `configure` decides; all of it stands in the configuration.
struct PointwiseSchedule {
  /// Lanes along the innermost loop; 1 without vectors.
  int64_t lanes = 1;
  /// The loop along which operands are read and then transposed in registers;
  /// negative if there is none.
  int64_t block = -1;
  TileSplit tiles;

  static PointwiseSchedule choose(const PointwiseNest &nest,
                                  const CpuDescription &cpu);
  static PointwiseSchedule fromConfig(graph::ConfigAttr config);
  DictionaryAttr toParams(MLIRContext *context) const;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_POINTWISEPLAN_H
