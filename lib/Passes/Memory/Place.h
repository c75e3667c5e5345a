// Where a tensor lies, and how that changes when elements are only renamed.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_MEMORY_PLACE_H
#define ATC_LIB_PASSES_MEMORY_PLACE_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/SizeExpr.h"
#include "atc/Dialect/Plan/IR/Plan.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace mlir::atc {

using graph::SizeExpr;

/// A tensor's type and its sizes, expressions where the type leaves them open.
struct SizedTensor {
  RankedTensorType type;
  SmallVector<SizeExpr, 4> sizes;

  /// Of a static shape.
  static SizedTensor get(RankedTensorType type);

  bool hasStaticShape() const;
  /// The sizes as numbers. Only for static shapes.
  std::vector<int64_t> getStaticSizes() const;
};

/// An address function into one storage. Element (i0, i1, ...) of a strided
/// place lies at `offset` bytes plus i0 * stride0 + ... elements.
struct Place {
  /// Elements around the tensor that hold zero as long as only the tensor
  /// itself is written.
  struct Halo {
    int64_t low = 0;
    int64_t high = 0;
  };

  unsigned storage = 0;
  /// In bytes, to element zero; for tiled layouts to the first physical one.
  SizeExpr offset = 0;
  /// One per dim, in elements; empty in tiled layouts.
  SmallVector<SizeExpr, 4> strides;
  /// One per dim.
  SmallVector<Halo> halos;
  /// Null where the place is strided.
  graph::LayoutAttr tiled;

  bool isTiled() const { return static_cast<bool>(tiled); }
  bool hasHalo() const;
};

/// The size of a tensor's own storage in its layout, padding and halo included;
/// nullopt on overflow, for elements without a size, and for open sizes in
/// tiles or below a byte.
std::optional<SizeExpr> getStorageBytes(const SizedTensor &tensor);

/// The place of a tensor that fills the storage alone.
Place getOwnPlace(unsigned storage, const SizedTensor &tensor);

/// Whether a tensor may lie at `place`, for all sizes that it takes: dims are
/// ordered as in its layout, the innermost with the same stride, and the zeros
/// around it reach at least as far as its halo. Dims of size one may have any
/// stride. False where it cannot be proved.
bool fits(const Place &place, const SizedTensor &tensor);

/// Whether the strides are exactly those that the type's layout implies, up to
/// dims of size one without a halo. False where it cannot be proved.
bool hasOwnStrides(const Place &place, const SizedTensor &tensor);

/// The type that a view at this place has, `?` for what depends on open sizes.
/// Strides that address no second element are those of a dense tensor.
plan::ViewType getViewType(const Place &place, const SizedTensor &tensor);

/// The same with the strides as they are: what lies around the tensor is
/// addressed by them even along dims of size one.
plan::ViewType getExactViewType(const Place &place, const SizedTensor &tensor);

/// The place of a transposed tensor: dim i of it is dim permutation[i] of the
/// operand. Nullopt for tiled places.
std::optional<Place> transposePlace(const Place &operand,
                                    ArrayRef<int64_t> permutation);

/// The place of the operand of a transpose, given that of its result.
std::optional<Place> untransposePlace(const Place &result,
                                      ArrayRef<int64_t> permutation);

/// The place of a reshaped tensor; nullopt where its elements are not known to
/// have constant strides. Both shapes hold equally many elements.
std::optional<Place> reshapePlace(const Place &operand, ArrayRef<SizeExpr> from,
                                  ArrayRef<SizeExpr> to);

/// The place of the part of a tensor `whole` that begins at `starts` and steps
/// by `steps`; `shape` is the part's. Nullopt where a tiled layout would not
/// keep the part in one piece.
std::optional<Place> slicePlace(const Place &operand, const SizedTensor &whole,
                                ArrayRef<SizeExpr> starts,
                                ArrayRef<int64_t> steps,
                                ArrayRef<SizeExpr> shape);

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_MEMORY_PLACE_H
