// Inserts the flags and barriers that blocks need.
// SPDX-License-Identifier: Apache-2.0
#include "SynchronizationPlan.h"
#include "atc/Codegen/Npu/Passes.h"

namespace mlir::atc::npu {
#define GEN_PASS_DEF_INSERTSYNCHRONIZATIONPASS
#include "atc/Codegen/Npu/Passes.h.inc"
} // namespace mlir::atc::npu

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

namespace {

/// Writes a plan into the IR. Flag ids are unique in the kernel.
class SynchronizationWriter {
public:
  SynchronizationWriter(MLIRContext *context, unsigned eventIds)
      : builder(context), eventIds(eventIds) {}

  void write(const BlockPlan &plan);

  unsigned numFlags = 0, numBarriers = 0;

private:
  void writeForward(const BlockPlan &plan, const FlagEdge &edge,
                    unsigned firstId);
  void writeCarried(const BlockPlan &plan, const FlagEdge &edge,
                    unsigned firstId);
  /// Flag `firstId` of the edge's slot, as a value at the insertion point.
  Value createId(Location loc, const FlagEdge &edge, unsigned firstId);
  Value createConstant(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  void insertBarrier(Operation *before, hw::Pipe pipe);

  OpBuilder builder;
  unsigned eventIds;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> nextId;
};

void SynchronizationWriter::insertBarrier(Operation *before, hw::Pipe pipe) {
  builder.setInsertionPoint(before);
  BarrierOp::create(builder, before->getLoc(), pipe);
  ++numBarriers;
}

Value SynchronizationWriter::createId(Location loc, const FlagEdge &edge,
                                      unsigned firstId) {
  if (!edge.slot)
    return createConstant(loc, firstId);
  if (firstId == 0)
    return edge.slot;
  return arith::AddIOp::create(builder, loc, edge.slot,
                               createConstant(loc, firstId),
                               arith::IntegerOverflowFlags::nsw);
}

void SynchronizationWriter::writeForward(const BlockPlan &plan,
                                         const FlagEdge &edge,
                                         unsigned firstId) {
  Operation *source = plan.items[edge.source], *sink = plan.items[edge.sink];
  builder.setInsertionPointAfter(source);
  SetFlagOp::create(builder, source->getLoc(), edge.from, edge.to,
                    createId(source->getLoc(), edge, firstId));
  builder.setInsertionPoint(sink);
  WaitFlagOp::create(builder, sink->getLoc(), edge.from, edge.to,
                     createId(sink->getLoc(), edge, firstId));
}

void SynchronizationWriter::writeCarried(const BlockPlan &plan,
                                         const FlagEdge &edge,
                                         unsigned firstId) {
  writeForward(plan, edge, firstId);
  // All flags are set whenever the loop begins and when it ends: they may as
  // well stay set between two runs of the loop.
  Operation *outermost = plan.loop;
  while (auto parent = dyn_cast<scf::ForOp>(outermost->getParentOp()))
    outermost = parent;
  Location loc = outermost->getLoc();
  for (int64_t i = 0; i < edge.slots; ++i) {
    builder.setInsertionPoint(outermost);
    SetFlagOp::create(builder, loc, edge.from, edge.to,
                      createConstant(loc, firstId + i));
    builder.setInsertionPointAfter(outermost);
    WaitFlagOp::create(builder, loc, edge.from, edge.to,
                       createConstant(loc, firstId + i));
  }
}

void SynchronizationWriter::write(const BlockPlan &plan) {
  for (const auto &[item, pipe] : plan.barriers)
    insertBarrier(plan.items[item], pipe);
  for (const FlagEdge &edge : plan.edges) {
    unsigned &next = nextId[{static_cast<unsigned>(edge.from),
                             static_cast<unsigned>(edge.to)}];
    if (next + edge.slots > eventIds) {
      insertBarrier(plan.items[edge.sink], hw::Pipe::All);
      continue;
    }
    unsigned firstId = next;
    next += edge.slots;
    numFlags += edge.slots;
    if (edge.carried)
      writeCarried(plan, edge, firstId);
    else
      writeForward(plan, edge, firstId);
  }
}

struct InsertSynchronization
    : public mlir::atc::npu::impl::InsertSynchronizationPassBase<
          InsertSynchronization> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const hw::DeviceRecord *record = hw::findDevice(std::string_view(device));
    if (!record) {
      function.emitError("unknown device '") << device << "'";
      return signalPassFailure();
    }
    if (function.isExternal())
      return;
    SynchronizationPlanner planner;
    if (failed(planner.plan(function.getBody())))
      return signalPassFailure();
    SynchronizationWriter writer(&getContext(), record->eventIds);
    for (const std::unique_ptr<BlockPlan> &plan : planner.getPlans())
      writer.write(*plan);
    numFlags += writer.numFlags;
    numBarriers += writer.numBarriers;
  }
};

} // namespace
