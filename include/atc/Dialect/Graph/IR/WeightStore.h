// Where the bytes of large constants stand while a model is compiled.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_WEIGHTSTORE_H
#define ATC_DIALECT_GRAPH_IR_WEIGHTSTORE_H

#include "atc/Support/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

namespace mlir::atc::graph {

/// Bytes of one constant: a range of one source of a WeightStore. What
/// `graph.weight_data` holds.
struct WeightRange {
  uint32_t source;
  /// In bytes; not aligned to anything.
  uint64_t offset;
  uint64_t length;
};

/// The sources of a model's large constants: mapped files, and buffers for what
/// no file holds in its final form. IR refers to them by index and never copies
/// them, so a model's weights cost page cache instead of memory.
///
/// Elements lie row-major and little-endian, booleans as one byte, types below
/// eight bits packed with the first element in the low bits. Data may be
/// unaligned: read it with memcpy.
///
/// Reading is safe from many threads as long as no one adds a source.
class WeightStore {
public:
  WeightStore() = default;
  WeightStore(WeightStore &&) = default;
  WeightStore &operator=(WeightStore &&) = default;

  /// Adds a source and returns its index. The store owns files and buffers;
  /// borrowed bytes must outlive it.
  uint32_t addFile(::atc::MappedFile file);
  uint32_t addBuffer(std::vector<char> bytes);
  uint32_t addBorrowed(llvm::ArrayRef<char> bytes);

  uint32_t getNumSources() const {
    return static_cast<uint32_t>(sources.size());
  }
  /// All bytes of a source.
  llvm::ArrayRef<char> getSource(uint32_t source) const;

  /// The bytes of a range; nullopt if it does not lie inside its source.
  std::optional<llvm::ArrayRef<char>> getBytes(const WeightRange &range) const;

private:
  using Source =
      std::variant<::atc::MappedFile, std::vector<char>, llvm::ArrayRef<char>>;
  /// A deque, so that adding does not move the sources.
  std::deque<Source> sources;
};

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_WEIGHTSTORE_H
