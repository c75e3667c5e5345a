// Places buffers in the memories of a core.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Npu/Passes.h"

namespace mlir::atc::npu {
#define GEN_PASS_DEF_PLANADDRESSESPASS
#include "atc/Codegen/Npu/Passes.h.inc"
} // namespace mlir::atc::npu

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

/// base + slot * slot size + offset.
static void lowerAddress(AddressOp op, AllocOp alloc) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(builder, loc, lhs, rhs,
                                 arith::IntegerOverflowFlags::nsw);
  };
  Value address = add(op.getOffset(), constant(*alloc.getAddress()));
  if (Value slot = op.getSlot()) {
    Value start = arith::MulIOp::create(builder, loc, slot,
                                        constant(alloc.getSlotBytes()),
                                        arith::IntegerOverflowFlags::nsw);
    address = add(address, start);
  }
  op.replaceAllUsesWith(address);
  op.erase();
}

namespace {

struct PlanAddresses
    : public mlir::atc::npu::impl::PlanAddressesPassBase<PlanAddresses> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const hw::DeviceRecord *record = hw::findDevice(std::string_view(device));
    if (!record) {
      function.emitError("unknown device '") << device << "'";
      return signalPassFailure();
    }
    if (failed(place(function, *record)))
      return signalPassFailure();
    function.walk([](AddressOp op) {
      if (auto alloc = op.getBuffer().getDefiningOp<AllocOp>())
        lowerAddress(op, alloc);
    });
  }

private:
  /// Buffers of one space have one alignment, which all slots keep: they
  /// follow each other without gaps.
  static LogicalResult place(func::FuncOp function,
                             const hw::DeviceRecord &record) {
    std::array<int64_t, hw::spaceCount> used{};
    WalkResult result = function.walk([&](AllocOp alloc) -> WalkResult {
      hw::Space space = alloc.getSpace();
      int64_t &end = used[static_cast<unsigned>(space)];
      int64_t size = alloc.getSlotBytes() * alloc.getSlots();
      alloc.setAddress(end);
      end += size;
      if (static_cast<uint64_t>(end) <= record.bytesOf(space))
        return WalkResult::advance();
      return alloc.emitOpError("does not fit: ")
             << StringRef(hw::spaceName(space)) << " of "
             << StringRef(record.name) << " has " << record.bytesOf(space)
             << " bytes, buffers up to this one need " << end;
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
