// The function of one launch of a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Npu/KernelLaunch.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static func::FuncOp createFunction(func::FuncOp kernel, hw::CoreType core) {
  OpBuilder builder(kernel);
  MLIRContext *context = builder.getContext();
  SmallVector<Type> types(
      kernel.getNumArguments() + kernel.getNumResults(),
      getBufferType(context, hw::Space::GM, ShapedType::kDynamic));
  auto function =
      func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                           builder.getFunctionType(types, {}));
  function->setAttr(coreAttrName,
                    builder.getStringAttr(hw::coreTypeName(core)));
  function.addEntryBlock();
  return function;
}

KernelLaunch::KernelLaunch(func::FuncOp kernel, hw::CoreType core)
    : loc(kernel.getLoc()), function(createFunction(kernel, core)),
      builder(OpBuilder::atBlockEnd(&function.front())), index(builder, loc) {}

scf::ForOp KernelLaunch::createTileLoop(int64_t tiles) {
  // Block b of B computes tiles [b * T / B, (b + 1) * T / B).
  Value block = ReadSpecialOp::create(builder, loc, builder.getIndexType(),
                                      hw::SpecialRegister::BlockIndex);
  Value blocks = ReadSpecialOp::create(builder, loc, builder.getIndexType(),
                                       hw::SpecialRegister::BlockCount);
  OpFoldResult begin = index.div(index.mul(block, tiles), blocks);
  OpFoldResult end =
      index.div(index.mul(index.add(block, 1), tiles), OpFoldResult(blocks));
  auto loop = scf::ForOp::create(builder, loc, index.value(begin),
                                 index.value(end), index.value(1));
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

scf::ForOp KernelLaunch::createLoop(OpFoldResult count) {
  auto loop = scf::ForOp::create(builder, loc, index.value(0),
                                 index.value(count), index.value(1));
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

void KernelLaunch::finish() { func::ReturnOp::create(builder, loc); }

Value KernelLaunch::allocate(hw::Space space, int64_t bytes, int64_t slots) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  return AllocOp::create(builder, loc,
                         getBufferType(builder.getContext(), space, bytes),
                         slots, std::nullopt);
}

Value KernelLaunch::address(Value buffer, OpFoldResult offset, Value slot) {
  return AddressOp::create(builder, loc, buffer, slot, index.value(offset));
}
