// Plans flags and barriers from the bytes that instructions touch.
// SPDX-License-Identifier: Apache-2.0
#include "SynchronizationPlan.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static bool isConflict(const BufferAccess &a, const BufferAccess &b) {
  return (a.isWrite || b.isWrite) && mayOverlap(a, b);
}

//===----------------------------------------------------------------------===//
// Blocks and items
//===----------------------------------------------------------------------===//

LogicalResult SynchronizationPlanner::plan(Region &body) {
  return planBlock(body.front(), scf::ForOp());
}

// Recursion follows the nesting of a template's loops, not data.
LogicalResult SynchronizationPlanner::planBlock(Block &block, scf::ForOp loop) {
  for (Operation &op : block) {
    if (op.getNumRegions() == 0)
      continue;
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return op.emitOpError("is control flow that cannot be synchronized");
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (failed(planBlock(nested, dyn_cast<scf::ForOp>(op))))
          return failure();
  }
  auto plan = std::make_unique<BlockPlan>();
  plan->block = &block;
  plan->loop = loop;
  if (failed(collectItems(*plan)))
    return failure();
  addFlagEdges(*plan);
  pruneFlagEdges(*plan);
  addBarriers(*plan);
  planOf[&block] = plan.get();
  plans.push_back(std::move(plan));
  return success();
}

LogicalResult SynchronizationPlanner::collectItems(BlockPlan &plan) {
  for (Operation &op : *plan.block) {
    SmallVector<BufferAccess> accesses;
    if (auto instruction = dyn_cast<InstructionOpInterface>(op))
      accesses = getBufferAccesses(instruction);
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        for (const auto &inner : planOf[&nested]->accesses)
          accesses.append(inner);
    if (accesses.empty())
      continue;
    plan.items.push_back(&op);
    plan.accesses.push_back(std::move(accesses));
  }
  return success();
}

/// The item of a block that holds `op`.
static unsigned itemOf(const BlockPlan &plan, Operation *op) {
  Operation *ancestor = plan.block->findAncestorOpInBlock(*op);
  auto position = llvm::find(plan.items, ancestor);
  return static_cast<unsigned>(position - plan.items.begin());
}

/// The blocks between `item` and `op` inside it, outermost first.
static SmallVector<Block *> blocksBetween(Operation *item, Operation *op) {
  SmallVector<Block *> blocks;
  for (; op != item; op = op->getParentOp())
    blocks.insert(blocks.begin(), op->getBlock());
  return blocks;
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

/// Whether `slot` can be named in `block`, outside of nested regions.
static bool isVisible(Value slot, Block *block) {
  while (block && block != slot.getParentBlock()) {
    Operation *owner = block->getParentOp();
    block = owner ? owner->getBlock() : nullptr;
  }
  return block;
}

bool SynchronizationPlanner::isImpliedInside(Operation *sink,
                                             const BufferAccess &later,
                                             hw::Pipe from) const {
  for (Block *block : blocksBetween(sink, later.op)) {
    const BlockPlan &inner = *planOf.lookup(block);
    unsigned item = itemOf(inner, later.op);
    if (llvm::any_of(inner.edges, [&](const FlagEdge &edge) {
          return !edge.carried && edge.from == from && edge.to == later.pipe &&
                 edge.sink <= item;
        }))
      return true;
  }
  return false;
}

void SynchronizationPlanner::addFlagEdge(BlockPlan &plan,
                                         const BufferAccess &earlier,
                                         const BufferAccess &later,
                                         unsigned source, unsigned sink,
                                         bool carried) {
  if (isImpliedInside(plan.items[sink], later, earlier.pipe))
    return;
  FlagEdge edge{earlier.pipe, later.pipe, source, sink, carried, Value(), 1};
  AllocOp buffer = earlier.buffer;
  int64_t slots = buffer.getSlots();
  if (slots > 1 && earlier.slot && earlier.slot == later.slot &&
      isVisible(earlier.slot, plan.block)) {
    edge.slot = earlier.slot;
    edge.slots = slots;
  }
  if (!llvm::is_contained(plan.edges, edge))
    plan.edges.push_back(edge);
}

void SynchronizationPlanner::addFlagEdges(BlockPlan &plan) {
  unsigned count = plan.items.size();
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = i + 1; j < count; ++j)
      for (const BufferAccess &a : plan.accesses[i])
        for (const BufferAccess &b : plan.accesses[j]) {
          if (a.pipe == b.pipe || !isConflict(a, b))
            continue;
          addFlagEdge(plan, a, b, i, j, /*carried=*/false);
          if (plan.loop)
            addFlagEdge(plan, b, a, j, i, /*carried=*/true);
        }
  // The branches of an scf.if touch a buffer in different turns of the loop. A
  // loop inside an item orders its own turns, also when it is entered again.
  if (!plan.loop)
    return;
  for (unsigned i = 0; i < count; ++i) {
    if (!isa<scf::IfOp>(plan.items[i]))
      continue;
    for (const BufferAccess &a : plan.accesses[i])
      for (const BufferAccess &b : plan.accesses[i])
        if (a.pipe != b.pipe && isConflict(a, b))
          plan.barriers.insert({i, hw::Pipe::All});
  }
}

/// Whether `weaker` holds where `stronger` does.
static bool implies(const FlagEdge &stronger, const FlagEdge &weaker) {
  if (stronger.from != weaker.from || stronger.to != weaker.to)
    return false;
  if (!weaker.carried)
    return !stronger.carried && stronger.source >= weaker.source &&
           stronger.sink <= weaker.sink;
  // A flag of the next turn is set behind everything of this one.
  if (!stronger.carried)
    return stronger.sink <= weaker.sink;
  return stronger.source >= weaker.source && stronger.sink <= weaker.sink &&
         (!stronger.slot || stronger.slot == weaker.slot);
}

void SynchronizationPlanner::pruneFlagEdges(BlockPlan &plan) {
  SmallVector<FlagEdge> kept;
  for (size_t i = 0; i < plan.edges.size(); ++i) {
    const FlagEdge &edge = plan.edges[i];
    bool isImplied = false;
    for (size_t j = 0; j < plan.edges.size(); ++j) {
      const FlagEdge &other = plan.edges[j];
      if (i == j || !implies(other, edge))
        continue;
      // Of two that imply each other, the first stays.
      isImplied |= !implies(edge, other) || j < i;
    }
    // All that a barrier of all pipes orders needs no flag.
    isImplied |= llvm::any_of(plan.barriers, [&](const auto &barrier) {
      unsigned item = barrier.first;
      if (edge.carried)
        return item > edge.source || item <= edge.sink;
      return item > edge.source && item <= edge.sink;
    });
    if (!isImplied)
      kept.push_back(edge);
  }
  plan.edges = std::move(kept);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Products so large that their sums have left the pipeline before the next one
/// needs them; see the simulator.
static bool drainsAccumulators(const BufferAccess &earlier,
                               const BufferAccess &later) {
  auto isLarge = [](Operation *op) {
    auto mmad = dyn_cast<MmadOp>(op);
    if (!mmad)
      return false;
    std::optional<int64_t> m = getConstantIntValue(mmad.getM());
    std::optional<int64_t> n = getConstantIntValue(mmad.getN());
    return m && n && llvm::divideCeil(*m, 16) * llvm::divideCeil(*n, 16) >= 10;
  };
  AllocOp buffer = earlier.buffer;
  return buffer.getSpace() == hw::Space::L0C && isLarge(earlier.op) &&
         isLarge(later.op);
}

bool SynchronizationPlanner::hasBarrierInside(Operation *sink,
                                              const BufferAccess &later) const {
  for (Block *block : blocksBetween(sink, later.op)) {
    const BlockPlan &inner = *planOf.lookup(block);
    unsigned item = itemOf(inner, later.op);
    for (const auto &[position, pipe] : inner.barriers)
      if (pipe == later.pipe && position <= item)
        return true;
  }
  return false;
}

bool SynchronizationPlanner::needsBarrier(const BlockPlan &plan,
                                          const BufferAccess &earlier,
                                          const BufferAccess &later,
                                          unsigned source, unsigned sink,
                                          bool carried) const {
  if (!earlier.isWrite || !mayOverlap(earlier, later) ||
      drainsAccumulators(earlier, later) ||
      hasBarrierInside(plan.items[sink], later))
    return false;
  for (const auto &[item, pipe] : plan.barriers) {
    if (pipe != later.pipe && pipe != hw::Pipe::All)
      continue;
    if (carried ? item > source || item <= sink : item > source && item <= sink)
      return false;
  }
  // The way to another pipe and back orders as well.
  hw::Pipe pipe = later.pipe;
  for (const FlagEdge &away : plan.edges)
    if (!away.carried && !carried && away.from == pipe &&
        away.source >= source && away.sink <= sink &&
        isImpliedInside(plan.items[sink], later, away.to))
      return false;
  for (const FlagEdge &away : plan.edges)
    for (const FlagEdge &back : plan.edges) {
      if (away.from != pipe || back.to != pipe || away.to != back.from ||
          away.source < source || back.source < away.sink || back.sink > sink)
        continue;
      if (away.carried + back.carried > (carried ? 1 : 0))
        continue;
      bool sameSlots = true;
      for (const FlagEdge *edge : {&away, &back})
        if (edge->carried && edge->slot)
          sameSlots &= edge->slot == earlier.slot && edge->slot == later.slot;
      if (sameSlots)
        return false;
    }
  return true;
}

void SynchronizationPlanner::addBarriers(BlockPlan &plan) {
  unsigned count = plan.items.size();
  auto check = [&](unsigned source, unsigned sink, bool carried) {
    for (const BufferAccess &a : plan.accesses[source])
      for (const BufferAccess &b : plan.accesses[sink])
        if (a.pipe == b.pipe && needsBarrier(plan, a, b, source, sink, carried))
          plan.barriers.insert({sink, b.pipe});
  };
  for (unsigned sink = 0; sink < count; ++sink)
    for (unsigned source = 0; source < sink; ++source)
      check(source, sink, /*carried=*/false);
  if (!plan.loop)
    return;
  // Inside a loop, what orders its turns also orders its runs.
  for (unsigned sink = 0; sink < count; ++sink)
    for (unsigned source = sink; source < count; ++source)
      if (source != sink || !isa<scf::ForOp>(plan.items[sink]))
        check(source, sink, /*carried=*/true);
}
