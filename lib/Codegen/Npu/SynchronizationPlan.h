// Where a block needs flags and barriers.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_SYNCHRONIZATIONPLAN_H
#define ATC_LIB_CODEGEN_NPU_SYNCHRONIZATIONPLAN_H

#include "BufferAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <set>

namespace mlir::atc::npu {

/// An order between two pipes: what `from` does up to item `source` comes
/// before what `to` does from item `sink` on. If carried, the sink is that of
/// the next turn of the loop.
struct FlagEdge {
  ::atc::isa::Pipe from, to;
  unsigned source, sink;
  bool carried;
  /// Holds slot by slot, for each value of `slot` below `slots`; for all slots
  /// at once where null.
  Value slot;
  int64_t slots;

  bool operator==(const FlagEdge &other) const {
    return from == other.from && to == other.to && source == other.source &&
           sink == other.sink && carried == other.carried && slot == other.slot;
  }
};

/// The synchronization of one block. Items are the ops of the block that hold
/// instructions, themselves or inside.
struct BlockPlan {
  Block *block = nullptr;
  /// The loop whose body the block is, if it is one.
  scf::ForOp loop;
  SmallVector<Operation *> items;
  SmallVector<FlagEdge> edges;
  /// A barrier of a pipe in front of an item.
  std::set<std::pair<unsigned, ::atc::isa::Pipe>> barriers;
  /// Accesses of each item, nested ones included.
  SmallVector<SmallVector<BufferAccess>> accesses;
};

/// Plans all blocks of a function, inner ones first.
class SynchronizationPlanner {
public:
  /// Fails on control flow other than scf.for and scf.if.
  LogicalResult plan(Region &body);

  /// Inner blocks before outer ones.
  ArrayRef<std::unique_ptr<BlockPlan>> getPlans() const { return plans; }

private:
  LogicalResult planBlock(Block &block, scf::ForOp loop);
  LogicalResult collectItems(BlockPlan &plan);
  void addFlagEdges(BlockPlan &plan);
  void addFlagEdge(BlockPlan &plan, const BufferAccess &earlier,
                   const BufferAccess &later, unsigned source, unsigned sink,
                   bool carried);
  void pruneFlagEdges(BlockPlan &plan);
  void addBarriers(BlockPlan &plan);
  bool needsBarrier(const BlockPlan &plan, const BufferAccess &earlier,
                    const BufferAccess &later, unsigned source, unsigned sink,
                    bool carried) const;

  /// Inside item `sink`, a flag from `from` to the later access's pipe, set
  /// behind everything earlier, is awaited before the access.
  bool isImpliedInside(Operation *sink, const BufferAccess &later,
                       ::atc::isa::Pipe from) const;
  /// A barrier of the access's pipe stands before it inside item `sink`.
  bool hasBarrierInside(Operation *sink, const BufferAccess &later) const;

  std::vector<std::unique_ptr<BlockPlan>> plans;
  llvm::DenseMap<Block *, BlockPlan *> planOf;
};

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_SYNCHRONIZATIONPLAN_H
