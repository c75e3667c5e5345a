// The bytes that an instruction reads and writes.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_ISA_REGION_H
#define ATC_ISA_REGION_H

#include "atc/Isa/Instruction.h"

#include <vector>

namespace atc::isa {

/// Runs of `bytes` bytes at address + i0 * stride0 + i1 * stride1 + ... for
/// every index below the counts. Unused dims have count 1.
struct Region {
  static constexpr unsigned maxDims = 3;
  struct Dim {
    int64_t count = 1;
    int64_t stride = 0;
  };

  Space space = Space::GM;
  bool isWrite = false;
  int64_t address = 0;
  int64_t bytes = 0;
  std::array<Dim, maxDims> dims{};

  /// One past the last byte, for non-negative strides that do not overflow.
  int64_t end() const {
    int64_t result = address + bytes;
    for (const Dim &dim : dims)
      result += (dim.count - 1) * dim.stride;
    return result;
  }
};

/// Appends the regions of an instruction whose fields are within their limits
/// to `regions`. Exact, save for the reads of load3d: these are whole image
/// rows that enclose the bytes in use. Scalar and synchronization instructions
/// have none.
void appendRegions(const ResolvedInstruction &instruction,
                   std::vector<Region> &regions);

/// Gives the fields of an instruction values with which it touches something
/// behind each of its addresses; modifiers and addresses stay. For asking which
/// operands an instruction reads and writes before its fields are known.
void setSampleFields(ResolvedInstruction &instruction);

/// Lanes of one repeat of a vector instruction: 256 bytes of the widest type.
int64_t lanesPerRepeat(const ResolvedInstruction &instruction);

/// Sizes of the output image of load3d, from its fields; zero or less where
/// the filter does not fit.
struct ImageSize {
  int64_t height, width;
};
ImageSize outputImage(const ResolvedLoad3dL0A &fields);

} // namespace atc::isa

#endif // ATC_ISA_REGION_H
