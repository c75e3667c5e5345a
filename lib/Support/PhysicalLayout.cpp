// The algebra of physical layouts: shapes, sizes and offsets.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/PhysicalLayout.h"

#include "atc/Support/CheckedMath.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace atc {

/// Low and high widths of a dim's halo; zeros without one.
static PhysicalLayout::Halo haloOf(const PhysicalLayout &layout, unsigned dim) {
  for (const PhysicalLayout::Halo &halo : layout.halos)
    if (halo.dim == dim)
      return halo;
  return {dim, 0, 0};
}

/// The next tile of `dim` at or after position `from`, or the count of tiles.
static size_t nextTile(const PhysicalLayout &layout, unsigned dim,
                       size_t from) {
  while (from < layout.tiles.size() && layout.tiles[from].dim != dim)
    ++from;
  return from;
}

/// How many parts the tile at `position` (or the whole dim of size `whole`)
/// is split into by the dim's next tile.
static int64_t partCount(const PhysicalLayout &layout, unsigned dim,
                         size_t from, int64_t whole) {
  size_t next = nextTile(layout, dim, from);
  if (next == layout.tiles.size())
    return whole;
  return *checkedCeilDivide(whole, layout.tiles[next].size);
}

PhysicalLayout PhysicalLayout::rowMajor(unsigned rank) {
  PhysicalLayout layout;
  layout.permutation.resize(rank);
  std::iota(layout.permutation.begin(), layout.permutation.end(), 0u);
  return layout;
}

bool PhysicalLayout::isRowMajor() const {
  return tiles.empty() && halos.empty() &&
         std::is_sorted(permutation.begin(), permutation.end());
}

bool PhysicalLayout::isValid(unsigned rank) const {
  if (permutation.size() != rank)
    return false;
  std::vector<bool> seen(rank), tiled(rank), haloed(rank);
  for (unsigned dim : permutation) {
    if (dim >= rank || seen[dim])
      return false;
    seen[dim] = true;
  }
  for (const Tile &tile : tiles) {
    if (tile.dim >= rank || tile.size <= 0)
      return false;
    tiled[tile.dim] = true;
  }
  for (const Halo &halo : halos) {
    if (halo.dim >= rank || halo.low < 0 || halo.high < 0 || tiled[halo.dim] ||
        haloed[halo.dim])
      return false;
    haloed[halo.dim] = true;
  }
  return true;
}

std::optional<std::vector<int64_t>>
PhysicalLayout::physicalShape(const std::vector<int64_t> &logical) const {
  assert(isValid(logical.size()));
  std::vector<int64_t> shape;
  shape.reserve(permutation.size() + tiles.size());
  for (unsigned dim : permutation) {
    Halo halo = haloOf(*this, dim);
    std::optional<int64_t> extent = checkedAdd(halo.low, halo.high);
    if (extent)
      extent = checkedAdd(*extent, logical[dim]);
    if (logical[dim] < 0 || !extent)
      return std::nullopt;
    shape.push_back(partCount(*this, dim, 0, *extent));
  }
  for (size_t i = 0; i < tiles.size(); ++i)
    shape.push_back(partCount(*this, tiles[i].dim, i + 1, tiles[i].size));
  if (!checkedProduct(shape))
    return std::nullopt;
  return shape;
}

std::optional<int64_t>
PhysicalLayout::physicalElements(const std::vector<int64_t> &logical) const {
  std::optional<std::vector<int64_t>> shape = physicalShape(logical);
  return shape ? checkedProduct(*shape) : std::nullopt;
}

int64_t PhysicalLayout::offset(const std::vector<int64_t> &logical,
                               const std::vector<int64_t> &index) const {
  std::optional<std::vector<int64_t>> shape = physicalShape(logical);
  assert(shape && index.size() == logical.size());
  int64_t linear = 0;
  size_t position = 0;
  auto append = [&](int64_t digit) {
    linear = linear * (*shape)[position++] + digit;
  };
  // What is left of an index after its outer parts are taken.
  std::vector<int64_t> rest(index.size());
  for (size_t dim = 0; dim < index.size(); ++dim)
    rest[dim] = index[dim] + haloOf(*this, dim).low;
  auto take = [&](unsigned dim, size_t from) {
    size_t next = nextTile(*this, dim, from);
    int64_t digit = rest[dim];
    if (next != tiles.size()) {
      digit = rest[dim] / tiles[next].size;
      rest[dim] %= tiles[next].size;
    }
    append(digit);
  };
  for (unsigned dim : permutation)
    take(dim, 0);
  for (size_t i = 0; i < tiles.size(); ++i)
    take(tiles[i].dim, i + 1);
  return linear;
}

PhysicalLayout::Strides
PhysicalLayout::strides(const std::vector<int64_t> &logical) const {
  assert(isStrided() && isValid(logical.size()));
  Strides result{std::vector<int64_t>(logical.size()), 0};
  int64_t stride = 1;
  for (size_t i = permutation.size(); i-- > 0;) {
    unsigned dim = permutation[i];
    Halo halo = haloOf(*this, dim);
    result.strides[dim] = stride;
    result.base += halo.low * stride;
    stride *= halo.low + logical[dim] + halo.high;
  }
  return result;
}

} // namespace atc
