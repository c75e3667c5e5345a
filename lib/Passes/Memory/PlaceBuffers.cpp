// Gives arena buffers their offsets.
// SPDX-License-Identifier: Apache-2.0
#include "Lifetimes.h"
#include "atc/Passes/Memory/Passes.h"
#include "atc/Support/ArenaPlanner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::atc {
#define GEN_PASS_DEF_PLACEBUFFERSPASS
#include "atc/Passes/Memory/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

namespace {

/// Buffers whose bytes nobody touches take no room, and sizes that nobody needs
/// are not computed.
void dropUnused(plan::ProgramOp program) {
  SmallVector<Operation *> unused;
  program.walk([&](Operation *op) {
    if (isa<plan::ViewOp, plan::ArenaOp>(op) ||
        isa<arith::ArithDialect>(op->getDialect()))
      unused.push_back(op);
  });
  for (Operation *op : llvm::reverse(unused))
    if (op->use_empty())
      op->erase();
}

LogicalResult placeBuffers(plan::ProgramOp program) {
  dropUnused(program);
  llvm::MapVector<plan::ArenaOp, Lifetime> lifetimes =
      computeLifetimes(program);
  SmallVector<plan::ArenaOp> arenas;
  std::vector<::atc::ArenaBuffer> buffers;
  for (auto &[arena, lifetime] : lifetimes) {
    if (arena.getPlacement() != plan::Placement::Fixed)
      continue;
    ::atc::ArenaBuffer buffer;
    buffer.size = arena.getStaticBytes();
    buffer.firstUse = lifetime.firstUse;
    buffer.lastUse = lifetime.lastUse;
    buffers.push_back(buffer);
    arenas.push_back(arena);
  }
  ::atc::Expected<::atc::ArenaPlan> plan = ::atc::planArena(buffers);
  if (!plan.ok())
    return program.emitError(plan.getDiagnostic().message);

  Builder builder(program.getContext());
  for (auto [arena, offset] : llvm::zip_equal(arenas, plan->offsets))
    arena.setOffsetAttr(builder.getI64IntegerAttr(offset));
  program.setArenaBytesAttr(builder.getI64IntegerAttr(plan->peak));
  program.setLowerBoundAttr(builder.getI64IntegerAttr(plan->lowerBound));
  remark::analysis(program.getLoc(),
                   remark::RemarkOpts::name("arena").category("plan"))
      << llvm::formatv("arena of {0} bytes for {1} buffers, at least {2} are "
                       "live at one time",
                       plan->peak, buffers.size(), plan->lowerBound)
             .str();
  return success();
}

struct PlaceBuffers : mlir::atc::impl::PlaceBuffersPassBase<PlaceBuffers> {
  using Base::Base;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<plan::ProgramOp>())
      if (failed(placeBuffers(program)))
        return signalPassFailure();
  }
};

} // namespace
