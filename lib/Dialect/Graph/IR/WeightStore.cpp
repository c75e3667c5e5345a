// Where the bytes of large constants stand while a model is compiled.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/WeightStore.h"

#include "atc/Support/CheckedMath.h"
#include <cassert>

namespace mlir::atc::graph {

uint32_t WeightStore::addFile(::atc::MappedFile file) {
  sources.emplace_back(std::move(file));
  return getNumSources() - 1;
}

uint32_t WeightStore::addBuffer(std::vector<char> bytes) {
  sources.emplace_back(std::move(bytes));
  return getNumSources() - 1;
}

uint32_t WeightStore::addBorrowed(llvm::ArrayRef<char> bytes) {
  sources.emplace_back(bytes);
  return getNumSources() - 1;
}

llvm::ArrayRef<char> WeightStore::getSource(uint32_t source) const {
  assert(source < sources.size() && "no such source");
  const Source &entry = sources[source];
  if (auto *file = std::get_if<::atc::MappedFile>(&entry))
    return {reinterpret_cast<const char *>(file->data()),
            static_cast<size_t>(file->size())};
  if (auto *buffer = std::get_if<std::vector<char>>(&entry))
    return *buffer;
  return std::get<llvm::ArrayRef<char>>(entry);
}

std::optional<llvm::ArrayRef<char>>
WeightStore::getBytes(const WeightRange &range) const {
  if (range.source >= sources.size())
    return std::nullopt;
  llvm::ArrayRef<char> source = getSource(range.source);
  if (!::atc::isRangeInside(range.offset, range.length, source.size()))
    return std::nullopt;
  return source.slice(range.offset, range.length);
}

} // namespace mlir::atc::graph
