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

using Index = std::array<int64_t, planformat::maxRank>;

/// Loops over the elements of one or two strided tensors of one shape, in the
/// order of the second one's memory. Dims of one element are dropped, and
/// neighbours that are one run of memory in both tensors are joined, so that
/// the innermost loop is as long as can be.
class StridedLoops {
public:
  StridedLoops(const TensorRef &first, const TensorRef &second) {
    for (uint32_t dim = 0; dim < second.rank; ++dim)
      if (second.sizes[dim] != 1)
        insert({second.sizes[dim], first.strides[dim], second.strides[dim]});
    uint32_t joined = 0;
    for (uint32_t dim = 1; dim < rank; ++dim) {
      Dim &outer = dims[joined];
      const Dim &inner = dims[dim];
      if (outer.first == inner.first * inner.size &&
          outer.second == inner.second * inner.size)
        outer = {outer.size * inner.size, inner.first, inner.second};
      else
        dims[++joined] = inner;
    }
    rank = rank == 0 ? 0 : joined + 1;
    if (rank == 0)
      dims[rank++] = {1, 1, 1};
  }

  struct Dim {
    int64_t size, first, second;
  };
  const Dim &inner() const { return dims[rank - 1]; }

  /// Calls visit(offset in the first, offset in the second) for the begin of
  /// each innermost loop.
  template <typename Visitor>
  void forEachRow(Visitor &&visit) const {
    Index index{};
    int64_t first = 0, second = 0;
    for (;;) {
      visit(first, second);
      uint32_t dim = rank - 1;
      for (; dim > 0; --dim) {
        const Dim &outer = dims[dim - 1];
        first += outer.first;
        second += outer.second;
        if (++index[dim - 1] < outer.size)
          break;
        first -= outer.first * outer.size;
        second -= outer.second * outer.size;
        index[dim - 1] = 0;
      }
      if (dim == 0)
        return;
    }
  }

private:
  /// Keeps the dims sorted by falling stride of the second tensor.
  void insert(Dim dim) {
    auto size = [](int64_t stride) { return stride < 0 ? -stride : stride; };
    uint32_t place = rank++;
    for (; place > 0 && size(dims[place - 1].second) < size(dim.second);
         --place)
      dims[place] = dims[place - 1];
    dims[place] = dim;
  }

  std::array<Dim, planformat::maxRank> dims;
  uint32_t rank = 0;
};

/// Copies one innermost loop of elements of a known size.
template <unsigned bytes>
void copyRow(uint8_t *to, int64_t toStep, const uint8_t *from, int64_t fromStep,
             int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStep * int64_t(bytes),
                from + i * fromStep * int64_t(bytes), bytes);
}

void copyStrided(const TensorRef &source, const TensorRef &destination,
                 int64_t bytes) {
  StridedLoops loops(source, destination);
  const StridedLoops::Dim &inner = loops.inner();
  bool isRun = inner.first == 1 && inner.second == 1;
  loops.forEachRow([&](int64_t from, int64_t to) {
    const uint8_t *begin = source.data + from * bytes;
    uint8_t *target = destination.data + to * bytes;
    if (isRun)
      std::memcpy(target, begin, inner.size * bytes);
    else if (bytes == 1)
      copyRow<1>(target, inner.second, begin, inner.first, inner.size);
    else if (bytes == 2)
      copyRow<2>(target, inner.second, begin, inner.first, inner.size);
    else if (bytes == 4)
      copyRow<4>(target, inner.second, begin, inner.first, inner.size);
    else if (bytes == 8)
      copyRow<8>(target, inner.second, begin, inner.first, inner.size);
    else
      copyRow<16>(target, inner.second, begin, inner.first, inner.size);
  });
}

/// The offsets of a tiled tensor's elements as sums of one term per dim: each
/// dim contributes independently of the others, only not in equal steps.
class OffsetTerms {
public:
  explicit OffsetTerms(const TensorRef &tensor) : terms(tensor.rank) {
    std::vector<int64_t> shape(tensor.sizes.begin(),
                               tensor.sizes.begin() + tensor.rank);
    std::vector<int64_t> index(tensor.rank);
    if (tensor.layout)
      origin = tensor.layout->offset(shape, index);
    for (uint32_t dim = 0; dim < tensor.rank; ++dim) {
      for (; index[dim] < shape[dim]; ++index[dim])
        terms[dim].push_back(tensor.layout
                                 ? tensor.layout->offset(shape, index) - origin
                                 : tensor.strides[dim] * index[dim]);
      index[dim] = 0;
    }
  }

  int64_t offset(const Index &index) const {
    int64_t sum = origin;
    for (size_t dim = 0; dim < terms.size(); ++dim)
      sum += terms[dim][index[dim]];
    return sum;
  }

private:
  int64_t origin = 0;
  std::vector<std::vector<int64_t>> terms;
};

/// Calls visit(index) for every element, in row-major order.
template <typename Visitor>
void forEachElement(const TensorRef &tensor, Visitor &&visit) {
  Index index{};
  for (;;) {
    visit(index);
    uint32_t dim = tensor.rank;
    while (dim > 0 && ++index[dim - 1] == tensor.sizes[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// Writes a run of equal elements.
void fillRun(uint8_t *data, int64_t count, uint64_t pattern, unsigned bytes) {
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
  unsigned bytes = bits / 8;
  if (!source.layout && !destination.layout) {
    copyStrided(source, destination, bytes);
    return true;
  }
  OffsetTerms from(source), to(destination);
  forEachElement(source, [&](const Index &index) {
    std::memcpy(destination.data + to.offset(index) * bytes,
                source.data + from.offset(index) * bytes, bytes);
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
  int64_t bytes = bits / 8;
  if (tensor.layout) {
    OffsetTerms terms(tensor);
    forEachElement(tensor, [&](const Index &index) {
      fillRun(tensor.data + terms.offset(index) * bytes, 1, pattern, bytes);
    });
    return true;
  }
  StridedLoops loops(tensor, tensor);
  const StridedLoops::Dim &inner = loops.inner();
  loops.forEachRow([&](int64_t, int64_t offset) {
    uint8_t *row = tensor.data + offset * bytes;
    if (inner.second == 1) {
      fillRun(row, inner.size, pattern, bytes);
      return;
    }
    for (int64_t i = 0; i < inner.size; ++i)
      fillRun(row + i * inner.second * bytes, 1, pattern, bytes);
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
