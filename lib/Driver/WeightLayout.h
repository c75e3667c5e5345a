// Where constants lie in the weights partition.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_WEIGHTLAYOUT_H
#define ATC_LIB_DRIVER_WEIGHTLAYOUT_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/WeightStore.h"
#include "atc/Dialect/Plan/IR/Plan.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::atc {

/// One range of the partition.
struct WeightEntry {
  /// What it holds: the symbol of a weight_data or recipe, or an ElementsAttr.
  Attribute constant;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// Offsets of all constants of a program, 64-byte aligned, in the order of the
/// program. Constants that are equal without being computed share an entry:
/// equal bytes of sources, equal values, and recipes of equal text over equal
/// sources.
class WeightLayout {
public:
  static constexpr uint64_t alignment = 64;

  /// `weights` may be null where the program names no weight_data.
  static FailureOr<WeightLayout> create(plan::ProgramOp program,
                                        const graph::WeightStore *weights);

  ArrayRef<WeightEntry> getEntries() const { return entries; }
  uint64_t getOffset(Attribute constant) const {
    return entries[indexOf.lookup(constant)].offset;
  }
  /// Nullopt for a constant that the program does not use.
  std::optional<WeightEntry> lookup(Attribute constant) const {
    auto it = indexOf.find(constant);
    return it == indexOf.end() ? std::nullopt
                               : std::optional(entries[it->second]);
  }
  uint64_t getTotalBytes() const { return totalBytes; }

private:
  SmallVector<WeightEntry> entries;
  DenseMap<Attribute, unsigned> indexOf;
  uint64_t totalBytes = 0;
};

/// The bytes of a constant's value: row-major, little-endian, a byte per
/// boolean, packed below eight bits.
std::vector<char> getElementBytes(ElementsAttr value);

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_WEIGHTLAYOUT_H
