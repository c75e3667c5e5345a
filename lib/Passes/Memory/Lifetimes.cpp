// When the buffers of a program live.
// SPDX-License-Identifier: Apache-2.0
#include "Lifetimes.h"

using namespace mlir;
using namespace mlir::atc;

namespace {

/// Positions of an op and of the end of its regions.
struct Span {
  unsigned begin;
  unsigned end;
};

/// Numbers the ops of a program in the order of its text.
DenseMap<Operation *, Span> numberOps(plan::ProgramOp program) {
  DenseMap<Operation *, Span> spans;
  unsigned next = 0;
  program->walk<WalkOrder::PreOrder>([&](Operation *op) {
    spans[op] = {next, next};
    ++next;
  });
  // An op ends where the last one inside it does; inner ops come first.
  program->walk<WalkOrder::PostOrder>([&](Operation *op) {
    Operation *parent = op->getParentOp();
    if (op != program)
      spans[parent].end = std::max(spans[parent].end, spans[op].end);
  });
  return spans;
}

} // namespace

llvm::MapVector<plan::ArenaOp, Lifetime>
mlir::atc::computeLifetimes(plan::ProgramOp program) {
  DenseMap<Operation *, Span> spans = numberOps(program);
  llvm::MapVector<plan::ArenaOp, Lifetime> lifetimes;
  auto touch = [&](plan::ArenaOp arena, Operation *user) {
    Span span = spans.lookup(user);
    for (Operation *outer = user->getParentOp(); !outer->isAncestor(arena);
         outer = outer->getParentOp())
      if (isa<LoopLikeOpInterface>(outer))
        span = spans.lookup(outer);
    auto [it, isNew] = lifetimes.insert({arena, {span.begin, span.end}});
    if (isNew)
      return;
    it->second.firstUse = std::min(it->second.firstUse, span.begin);
    it->second.lastUse = std::max(it->second.lastUse, span.end);
  };
  program.walk([&](plan::ArenaOp arena) {
    for (Operation *view : arena->getUsers()) {
      if (!isa<plan::ViewOp>(view)) {
        touch(arena, view);
        continue;
      }
      for (Operation *user : view->getUsers())
        touch(arena, user);
    }
  });
  return lifetimes;
}
