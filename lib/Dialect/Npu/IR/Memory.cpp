// Buffers and their addresses.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Npu/IR/Npu.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

#define GET_OP_CLASSES
#include "atc/Dialect/Npu/IR/Memory.cpp.inc"

void NpuDialect::registerMemoryOps() {
  addOperations<
#define GET_OP_LIST
#include "atc/Dialect/Npu/IR/Memory.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// alloc
//===----------------------------------------------------------------------===//

hw::Space AllocOp::getSpace() { return npu::getSpace(getBuffer()); }

int64_t AllocOp::getSlotBytes() {
  return llvm::alignTo(getBuffer().getType().getDimSize(0),
                       getSpaceAlignment(getSpace()));
}

LogicalResult AllocOp::verify() {
  if (getSpace() == hw::Space::GM) // alloc-C1
    return emitOpError("expects a space of the core, got gm");
  MemRefType type = getBuffer().getType();
  if (type.isDynamicDim(0) || type.getDimSize(0) <= 0) // alloc-C2
    return emitOpError("expects a static, positive size, got ") << type;
  if (getSlots() < 1) // alloc-C3
    return emitOpError("expects at least one slot, got ") << getSlots();
  return success();
}

//===----------------------------------------------------------------------===//
// address
//===----------------------------------------------------------------------===//

void AddressOp::build(OpBuilder &builder, OperationState &state, Value buffer,
                      Value slot, Value offset) {
  build(builder, state, builder.getIndexType(), buffer, slot, offset);
}

LogicalResult AddressOp::verify() {
  if (getSlot() && npu::getSpace(getBuffer()) == hw::Space::GM) // address-C1
    return emitOpError("expects no slot of a buffer in gm");
  return success();
}
