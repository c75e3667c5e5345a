// When the buffers of a program live.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_MEMORY_LIFETIMES_H
#define ATC_LIB_PASSES_MEMORY_LIFETIMES_H

#include "atc/Dialect/Plan/IR/Plan.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::atc {

/// Positions in a program, both inclusive.
struct Lifetime {
  unsigned firstUse;
  unsigned lastUse;

  bool overlaps(const Lifetime &other) const {
    return firstUse <= other.lastUse && other.firstUse <= lastUse;
  }
};

/// The lifetime of each arena buffer that an instruction touches, in program
/// order of the buffers. A buffer from outside a loop that is touched inside
/// lives from the loop's begin to its end: what one iteration left may be read
/// by the next.
llvm::MapVector<plan::ArenaOp, Lifetime>
computeLifetimes(plan::ProgramOp program);

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_MEMORY_LIFETIMES_H
