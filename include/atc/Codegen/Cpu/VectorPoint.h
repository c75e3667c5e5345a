// Which elements of a tensor a vector register holds.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_VECTORPOINT_H
#define ATC_CODEGEN_CPU_VECTORPOINT_H

#include "atc/Codegen/Common/IndexBuilder.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::atc::cpu {

/// One coordinate of the elements in a vector: lane l is at `base + l * step`,
/// or at `perLane[l]` where a map is not affine in the lane.
struct Coordinate {
  OpFoldResult base;
  int64_t step = 0;
  /// vector<lanes x index>, or null.
  Value perLane;
  /// `base` is known to be a multiple of this; lets index maps prove that lanes
  /// do not cross a boundary. 1: nothing is known, 0: `base` is zero.
  int64_t divisor = 1;

  /// All lanes are at `base`.
  bool isUniform() const { return !perLane && step == 0; }
  bool operator==(const Coordinate &other) const {
    return base == other.base && step == other.step && perLane == other.perLane;
  }
};

/// The elements of a tensor that a vector holds, one coordinate per logical
/// dim. With `lanes` == 1 the value is a scalar, not a vector.
struct VectorPoint {
  SmallVector<Coordinate, 6> coordinates;
  int64_t lanes = 1;
  /// An index: lanes [0, active) hold elements, the others may have any value
  /// and lie outside of the tensor. Null: all lanes.
  Value active;

  /// A single element.
  static VectorPoint scalar(ArrayRef<OpFoldResult> index);
  /// `lanes` elements along `dim`, the first of them at `index`. `divisor` as
  /// in Coordinate, for the coordinate of `dim`.
  static VectorPoint along(ArrayRef<OpFoldResult> index, unsigned dim,
                           int64_t lanes, int64_t divisor = 1,
                           Value active = {});

  /// `scalarType` if `lanes` is one, else the vector of it.
  Type typeFor(Type scalarType) const;
  /// This point's lanes with other coordinates.
  VectorPoint with(SmallVector<Coordinate, 6> coordinates) const {
    return {std::move(coordinates), lanes, active};
  }
  bool operator==(const VectorPoint &other) const {
    return coordinates == other.coordinates && lanes == other.lanes &&
           active == other.active;
  }
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_VECTORPOINT_H
