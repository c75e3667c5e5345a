// Which elements of a tensor a vector register holds.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/VectorPoint.h"

using namespace mlir;
using namespace mlir::atc::cpu;

VectorPoint VectorPoint::scalar(ArrayRef<OpFoldResult> index) {
  VectorPoint point;
  for (OpFoldResult position : index) {
    Coordinate coordinate;
    coordinate.base = position;
    point.coordinates.push_back(coordinate);
  }
  return point;
}

VectorPoint VectorPoint::along(ArrayRef<OpFoldResult> index, unsigned dim,
                               int64_t lanes, int64_t divisor, Value active) {
  VectorPoint point = scalar(index);
  point.lanes = lanes;
  point.active = active;
  point.coordinates[dim].step = lanes == 1 ? 0 : 1;
  point.coordinates[dim].divisor = divisor;
  return point;
}

Type VectorPoint::typeFor(Type scalarType) const {
  if (lanes == 1)
    return scalarType;
  return VectorType::get({lanes}, scalarType);
}
