// Where the elements of a tensor lie in a buffer.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_TENSORVIEW_H
#define ATC_CODEGEN_CPU_TENSORVIEW_H

#include "atc/Codegen/Common/IndexBuilder.h"
#include "atc/Support/PhysicalLayout.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::atc::cpu {

/// The element type of a buffer that holds tensors of `elementType`: i1 is a
/// byte (0 or 1), unsigned integers become signless, others stay.
Type storageType(Type elementType);

/// The type that code computes in: f32 for f16 and bf16, signless integers for
/// unsigned ones, i1 for i1, others themselves.
Type computeType(Type elementType);

/// The physical layout in a type's encoding; row-major without one.
::atc::PhysicalLayout layoutOf(RankedTensorType type);

/// A tensor in a flat buffer `memref<?xT>`. Logical element (i0, i1, ...) is at
///
///   base + i0 * strides[0] + i1 * strides[1] + ...
///
/// if the layout has no tiles. `base` is the offset behind a halo, so that no
/// index is negative, not even inside the halo (generated address arithmetic
/// relies on it). All quantities count elements; each is a constant or a value
/// computed in the function's entry block.
struct TensorView {
  Value buffer;
  /// The logical type, its encoding kept.
  RankedTensorType type;
  ::atc::PhysicalLayout layout;
  OpFoldResult base;
  SmallVector<OpFoldResult> sizes;
  /// Per logical dim; empty if the layout has tiles.
  SmallVector<OpFoldResult> strides;

  /// Derives sizes and strides from a type. `dynamicSizes` holds a value per
  /// dynamic dim, in order; a tiled layout must be static. `pitch`, if not
  /// empty, takes the place of the layout's strides.
  static TensorView create(IndexBuilder &index, Value buffer,
                           RankedTensorType type, ValueRange dynamicSizes = {},
                           ArrayRef<int64_t> pitch = {});

  unsigned getRank() const { return type.getRank(); }
  bool isTiled() const { return !layout.tiles.empty(); }
  std::optional<int64_t> getStaticSize(unsigned dim) const;
  std::optional<int64_t> getStaticStride(unsigned dim) const;
  /// Row-major without gaps: the linear index of an element is its offset.
  bool isContiguous() const;

  /// The offset of a logical element in the buffer; with tiles by division.
  OpFoldResult offset(IndexBuilder &index, ArrayRef<OpFoldResult> point) const;

  /// The same buffer with other logical dims; only without tiles.
  TensorView permuted(ArrayRef<int64_t> permutation) const;
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_TENSORVIEW_H
