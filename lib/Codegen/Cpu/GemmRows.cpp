// Places rows of matrix products in tensors.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/GemmRows.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

static OpFoldResult rowNumber(KernelBuilder &b, OpFoldResult first,
                              unsigned offset, OpFoldResult limit) {
  OpFoldResult row = b.index.add(first, offset);
  if (!limit)
    return row;
  return b.index.min(row, b.index.sub(limit, b.index.constant(1)));
}

SmallVector<SmallVector<OpFoldResult>>
GemmRows::points(KernelBuilder &b, OpFoldResult first, unsigned number,
                 OpFoldResult limit) const {
  SmallVector<SmallVector<OpFoldResult>> points;
  for (unsigned offset = 0; offset < number; ++offset)
    points.push_back(
        b.index.delinearize(rowNumber(b, first, offset, limit), sizes));
  return points;
}

std::optional<OpFoldResult>
GemmRows::commonStride(ArrayRef<OpFoldResult> strides) const {
  // The fastest dim of more than one element sets the distance.
  std::optional<OpFoldResult> common;
  std::optional<int64_t> expected;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (IndexBuilder::isConstant(sizes[dim], 1))
      continue;
    std::optional<int64_t> size = IndexBuilder::getConstant(sizes[dim]);
    std::optional<int64_t> stride = IndexBuilder::getConstant(strides[dim]);
    if (!common)
      common = strides[dim];
    else if (!stride || stride != expected)
      return std::nullopt;
    expected = size && stride ? std::optional(*size * *stride) : std::nullopt;
  }
  return common;
}

SmallVector<Address> GemmRows::addresses(KernelBuilder &b, const Address &base,
                                         ArrayRef<OpFoldResult> strides,
                                         OpFoldResult first, unsigned number,
                                         OpFoldResult limit) const {
  IndexBuilder &index = b.index;
  SmallVector<Address> addresses;
  std::optional<OpFoldResult> stride = commonStride(strides);
  if (!stride || limit) {
    for (ArrayRef<OpFoldResult> point : points(b, first, number, limit))
      addresses.push_back(base.moved(b, index.dot(point, strides)));
    return addresses;
  }
  Address start = base.moved(b, index.mul(first, *stride));
  for (unsigned offset = 0; offset < number; ++offset)
    addresses.push_back(start.moved(b, index.mul(*stride, offset)));
  return addresses;
}
