// Drops the zeroing of halos that stay zero.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Plan/IR/Plan.h"
#include "atc/Passes/Memory/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::atc {
#define GEN_PASS_DEF_ELIDEHALOSPASS
#include "atc/Passes/Memory/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

namespace {

/// One placed buffer of the arena.
struct Range {
  int64_t begin, end;
  plan::ArenaOp arena;
  /// Its zeroing; null where the buffer has no halo.
  plan::ZeroHaloOp zeroing;
};

/// Whether two buffers have the same bytes and the same halo in them, so that
/// writing the tensor of one leaves the halo of the other alone.
bool isSameHalo(const Range &lhs, const Range &rhs) {
  if (lhs.begin != rhs.begin || lhs.end != rhs.end || !rhs.zeroing)
    return false;
  plan::ZeroHaloOp left = lhs.zeroing, right = rhs.zeroing;
  return left.getView().getType() == right.getView().getType() &&
         left.getLow() == right.getLow() && left.getHigh() == right.getHigh();
}

SmallVector<Range> collectRanges(plan::ProgramOp program) {
  llvm::MapVector<Operation *, Range> ranges;
  program.walk([&](plan::ArenaOp arena) {
    if (arena.getOffset())
      ranges.insert(
          {arena,
           {static_cast<int64_t>(*arena.getOffset()),
            static_cast<int64_t>(*arena.getOffset()) + arena.getStaticBytes(),
            arena,
            {}}});
  });
  program.walk([&](plan::ZeroHaloOp zeroing) {
    auto view = zeroing.getView().getDefiningOp<plan::ViewOp>();
    auto it = ranges.find(view.getBuffer().getDefiningOp());
    if (it != ranges.end())
      it->second.zeroing = zeroing;
  });
  return llvm::map_to_vector(ranges, [](auto &entry) { return entry.second; });
}

unsigned elideHalos(plan::ProgramOp program) {
  SmallVector<Range> ranges = collectRanges(program);
  llvm::sort(ranges, [](const Range &lhs, const Range &rhs) {
    return std::tie(lhs.begin, lhs.end) < std::tie(rhs.begin, rhs.end);
  });
  // Clusters of buffers that touch each other, by one sweep over the arena.
  unsigned numElided = 0;
  for (size_t first = 0; first < ranges.size();) {
    int64_t end = ranges[first].end;
    size_t last = first + 1;
    for (; last < ranges.size() && ranges[last].begin < end; ++last)
      end = std::max(end, ranges[last].end);
    ArrayRef<Range> cluster = ArrayRef(ranges).slice(first, last - first);
    first = last;
    if (!cluster.front().zeroing ||
        !llvm::all_of(cluster, [&](const Range &range) {
          return isSameHalo(cluster.front(), range);
        }))
      continue;
    for (const Range &range : cluster) {
      plan::ZeroHaloOp zeroing = range.zeroing;
      remark::passed(zeroing.getLoc(),
                     remark::RemarkOpts::name("halo").category("plan"))
          << "the halo stays zero between runs";
      zeroing.erase();
      ++numElided;
    }
  }
  return numElided;
}

struct ElideHalos : mlir::atc::impl::ElideHalosPassBase<ElideHalos> {
  using Base::Base;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<plan::ProgramOp>())
      numElided += elideHalos(program);
  }
};

} // namespace
