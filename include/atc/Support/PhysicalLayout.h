// How a tensor of a logical shape lies in memory: permutation, tiles, halo.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_PHYSICALLAYOUT_H
#define ATC_SUPPORT_PHYSICALLAYOUT_H

#include <cstdint>
#include <optional>
#include <vector>

namespace atc {

/// A layout keeps the logical shape and describes the buffer:
///
///   1. each logical dim d with a halo is extended to low + size + high;
///      halo elements hold zero;
///   2. each tile (d, t) splits dim d into an outer part of ceil(size / t) and
///      an inner part of t, padded with zeros at the end;
///   3. the outer parts are ordered by `permutation` (physical position ->
///      logical dim), the inner parts follow in the order of `tiles`. A dim
///      may be tiled twice; the later tile splits the inner part of the
///      earlier one.
///
/// Examples, logical dims in brackets:
///   NHWC        [N,C,H,W]  permutation 0,2,3,1
///   NC1HWC0     [N,C,H,W]  permutation 0,1,2,3, tiles (1,16)
///   FRACTAL_Z   [N,C,H,W]  permutation 1,2,3,0, tiles (0,16),(1,16)
///   FRACTAL_NZ  [H,W]      permutation 1,0,     tiles (0,16),(1,16)
///   GEMM panels [K,N]      permutation 0,1,     tiles (0,KC),(1,16)
struct PhysicalLayout {
  struct Tile {
    unsigned dim;
    int64_t size;
    bool operator==(const Tile &other) const {
      return dim == other.dim && size == other.size;
    }
  };
  struct Halo {
    unsigned dim;
    int64_t low, high;
    bool operator==(const Halo &other) const {
      return dim == other.dim && low == other.low && high == other.high;
    }
  };

  std::vector<unsigned> permutation;
  std::vector<Tile> tiles;
  std::vector<Halo> halos;

  /// Row-major, no tiles, no halo.
  static PhysicalLayout rowMajor(unsigned rank);

  bool isRowMajor() const;
  /// Without tiles: every logical dim has one constant stride.
  bool isStrided() const { return tiles.empty(); }
  /// The permutation is one of `rank` dims, tiles and halos name existing
  /// dims and positive (halo: non-negative) sizes, no dim is both tiled and
  /// haloed.
  bool isValid(unsigned rank) const;

  /// Sizes of the buffer's dims; nullopt where a product overflows.
  std::optional<std::vector<int64_t>>
  physicalShape(const std::vector<int64_t> &logical) const;
  /// Elements of the buffer, padding included; nullopt on overflow.
  std::optional<int64_t>
  physicalElements(const std::vector<int64_t> &logical) const;
  /// Linear element offset of a logical index.
  int64_t offset(const std::vector<int64_t> &logical,
                 const std::vector<int64_t> &index) const;
  /// Stride in elements of each logical dim, and the offset of element 0
  /// (behind the halo). Only for isStrided().
  struct Strides {
    std::vector<int64_t> strides;
    int64_t base;
  };
  Strides strides(const std::vector<int64_t> &logical) const;

  bool operator==(const PhysicalLayout &other) const {
    return permutation == other.permutation && tiles == other.tiles &&
           halos == other.halos;
  }
  bool operator!=(const PhysicalLayout &other) const {
    return !(*this == other);
  }
};

} // namespace atc

#endif // ATC_SUPPORT_PHYSICALLAYOUT_H
