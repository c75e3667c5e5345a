// Which bytes of which buffers an instruction op touches.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_BUFFERACCESS_H
#define ATC_LIB_CODEGEN_NPU_BUFFERACCESS_H

#include "atc/Dialect/Npu/IR/Npu.h"

namespace mlir::atc::npu {

/// A read or write of a buffer of the core, by what lib/Isa declares.
struct BufferAccess {
  Operation *op;
  ::atc::isa::Pipe pipe;
  bool isWrite;
  AllocOp buffer;
  /// Null for the first slot.
  Value slot;
  /// Bytes inside the slot that contain all that are touched; the whole slot
  /// where offset or fields are not constant.
  int64_t begin, end;
};

/// The accesses of an instruction to buffers of the core. Global memory is left
/// out.
SmallVector<BufferAccess> getBufferAccesses(InstructionOpInterface op);

/// Whether two accesses may touch a byte in common, at one turn of the loops
/// around them.
bool mayOverlap(const BufferAccess &a, const BufferAccess &b);

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_BUFFERACCESS_H
