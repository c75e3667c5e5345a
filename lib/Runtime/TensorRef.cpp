// Copies and fills of strided and tiled tensors.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/TensorRef.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace atc {

int64_t TensorRef::elementCount() const {
  int64_t count = 1;
  for (uint32_t dim = 0; dim < rank; ++dim)
    count *= sizes[dim];
  return count;
}

bool TensorRef::isDense() const {
  if (layout)
    return false;
  int64_t expected = 1;
  for (uint32_t dim = rank; dim-- > 0;) {
    if (sizes[dim] != 1 && strides[dim] != expected)
      return sizes[dim] == 0 || elementCount() == 0;
    expected *= sizes[dim];
  }
  return true;
}

void TensorRef::setDenseStrides() {
  int64_t stride = 1;
  for (uint32_t dim = rank; dim-- > 0;) {
    strides[dim] = stride;
    stride *= sizes[dim];
  }
}

namespace {

/// The offsets of a tensor's elements as sums of one term per dim. Strides are
/// such terms; so are tiled layouts, where each dim contributes independently
/// of the others, only not in equal steps.
class OffsetTerms {
public:
  explicit OffsetTerms(const TensorRef &tensor) : tensor(tensor) {
    if (!tensor.layout)
      return;
    std::vector<int64_t> shape(tensor.sizes.begin(),
                               tensor.sizes.begin() + tensor.rank);
    std::vector<int64_t> index(tensor.rank);
    origin = tensor.layout->offset(shape, index);
    terms.resize(tensor.rank);
    for (uint32_t dim = 0; dim < tensor.rank; ++dim) {
      for (; index[dim] < shape[dim]; ++index[dim])
        terms[dim].push_back(tensor.layout->offset(shape, index) - origin);
      index[dim] = 0;
    }
  }

  int64_t base() const { return origin; }
  int64_t term(uint32_t dim, int64_t index) const {
    return tensor.layout ? terms[dim][index] : tensor.strides[dim] * index;
  }
  /// True if elements along `dim` are neighbours.
  bool isUnit(uint32_t dim) const {
    return !tensor.layout && tensor.strides[dim] == 1;
  }

private:
  const TensorRef &tensor;
  int64_t origin = 0;
  std::vector<std::vector<int64_t>> terms;
};

/// Calls visit(index) for each index of the outer dims [0, rank).
template <typename Visitor>
void forEachIndex(const int64_t *sizes, uint32_t rank, Visitor &&visit) {
  std::array<int64_t, planformat::maxRank> index{};
  for (;;) {
    visit(index.data());
    uint32_t dim = rank;
    while (dim > 0 && ++index[dim - 1] == sizes[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

int64_t offsetOf(const OffsetTerms &terms, uint32_t rank,
                 const int64_t *index) {
  int64_t offset = terms.base();
  for (uint32_t dim = 0; dim < rank; ++dim)
    offset += terms.term(dim, index[dim]);
  return offset;
}

void copyRow(const TensorRef &source, const OffsetTerms &from, int64_t fromBase,
             const TensorRef &destination, const OffsetTerms &to,
             int64_t toBase, unsigned bytes) {
  uint32_t inner = source.rank - 1;
  int64_t count = source.sizes[inner];
  uint8_t *target = destination.data;
  if (from.isUnit(inner) && to.isUnit(inner)) {
    std::memcpy(target + toBase * bytes, source.data + fromBase * bytes,
                count * bytes);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(target + (toBase + to.term(inner, i)) * bytes,
                source.data + (fromBase + from.term(inner, i)) * bytes, bytes);
}

void fillDense(uint8_t *data, int64_t count, uint64_t pattern, unsigned bytes) {
  // Wider elements than the pattern repeat it.
  unsigned step = std::min(bytes, 8u);
  uint8_t unit[8];
  for (unsigned i = 0; i < 8; ++i)
    unit[i] = static_cast<uint8_t>(pattern >> (8 * i));
  if (std::all_of(unit, unit + step,
                  [&](uint8_t byte) { return byte == unit[0]; })) {
    std::memset(data, unit[0], count * bytes);
    return;
  }
  for (int64_t at = 0, end = count * bytes; at < end; at += step)
    std::memcpy(data + at, unit, step);
}

} // namespace

bool copyTensor(const TensorRef &source, const TensorRef &destination) {
  unsigned bits = elementTypeInfo(source.elementType).bits;
  int64_t count = source.elementCount();
  if (count == 0)
    return true;
  if (source.isDense() && destination.isDense()) {
    std::memcpy(destination.data, source.data,
                *elementBytes(source.elementType, count));
    return true;
  }
  if (bits < 8)
    return false;
  OffsetTerms from(source), to(destination);
  unsigned bytes = bits / 8;
  if (source.rank == 0) {
    std::memcpy(destination.data + to.base() * bytes,
                source.data + from.base() * bytes, bytes);
    return true;
  }
  uint32_t outer = source.rank - 1;
  forEachIndex(source.sizes.data(), outer, [&](const int64_t *index) {
    copyRow(source, from, offsetOf(from, outer, index), destination, to,
            offsetOf(to, outer, index), bytes);
  });
  return true;
}

bool fillTensor(const TensorRef &tensor, uint64_t pattern) {
  unsigned bits = elementTypeInfo(tensor.elementType).bits;
  int64_t count = tensor.elementCount();
  if (count == 0)
    return true;
  if (bits < 8) {
    if (!tensor.isDense())
      return false;
    uint64_t half = pattern & 0xf;
    std::memset(tensor.data, half << 4 | half,
                *elementBytes(tensor.elementType, count));
    return true;
  }
  unsigned bytes = bits / 8;
  if (tensor.isDense()) {
    fillDense(tensor.data, count, pattern, bytes);
    return true;
  }
  OffsetTerms terms(tensor);
  forEachIndex(tensor.sizes.data(), tensor.rank, [&](const int64_t *index) {
    fillDense(tensor.data + offsetOf(terms, tensor.rank, index) * bytes, 1,
              pattern, bytes);
  });
  return true;
}

void zeroHalo(const TensorRef &tensor, const int64_t *low,
              const int64_t *high) {
  unsigned bytes = elementTypeInfo(tensor.elementType).bits / 8;
  // The shell around the box is cut into slabs: for each dim, the part below
  // and the part above the tensor; dims before it run over the tensor alone,
  // dims behind it over tensor and halo, so that no element is visited twice.
  TensorRef slab = tensor;
  int64_t offset = 0;
  for (uint32_t dim = 0; dim < tensor.rank; ++dim) {
    slab.sizes[dim] = low[dim] + tensor.sizes[dim] + high[dim];
    offset -= low[dim] * tensor.strides[dim];
  }
  for (uint32_t dim = 0; dim < tensor.rank; ++dim) {
    slab.sizes[dim] = low[dim];
    slab.data = tensor.data + offset * static_cast<int64_t>(bytes);
    fillTensor(slab, 0);
    offset += (low[dim] + tensor.sizes[dim]) * tensor.strides[dim];
    slab.sizes[dim] = high[dim];
    slab.data = tensor.data + offset * static_cast<int64_t>(bytes);
    fillTensor(slab, 0);
    offset -= tensor.sizes[dim] * tensor.strides[dim];
    slab.sizes[dim] = tensor.sizes[dim];
  }
}

} // namespace atc
