// Buffers and their addresses.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_NPU_IR_MEMORY_TD
#define ATC_DIALECT_NPU_IR_MEMORY_TD

include "atc/Dialect/Npu/IR/NpuBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Npu_AllocOp : Op<Npu_Dialect, "alloc"> {
  let summary = "a buffer in a memory of the core";
  let description = [{
    The type's size is that of one slot; `slots` of them follow each other, each
    at a multiple of the space's alignment. A loop that alternates between slots
    lets one pipe fill a slot while another one still reads the previous one.

    The buffer lives as long as the kernel. `at` is its byte address, once
    `atc-npu-plan-addresses` has placed it.

    Constraints: (C1) the space belongs to the core; (C2) the size is static and
    positive; (C3) there is at least one slot.

    Example: `%a = npu.alloc slots 2 : memref<4096xi8, #npu.space<l0a>>`
  }];
  let arguments = (ins DefaultValuedProp<I64Prop, "1">:$slots,
                       OptionalProp<I64Prop>:$address);
  let results = (outs Npu_Buffer:$buffer);
  let assemblyFormat = [{
    (`slots` $slots^)? (`at` $address^)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::atc::isa::Space getSpace();
    /// Bytes of one slot, up to the next one.
    int64_t getSlotBytes();
  }];
}

def Npu_AddressOp : Op<Npu_Dialect, "address", [Pure]> {
  let summary = "a byte address inside a buffer";
  let description = [{
    The address of byte `offset` of slot `slot` (0 without one). Instructions
    that use the address touch bytes of this slot only, behind the address.

    Constraint: (C1) only buffers of the core have slots.

    Example: `%p = npu.address %a slot %i offset %o
        : memref<4096xi8, #npu.space<l0a>>`
  }];
  let arguments = (ins Npu_Buffer:$buffer, Optional<Index>:$slot,
                       Index:$offset);
  let results = (outs Index:$address);
  let assemblyFormat = [{
    $buffer (`slot` $slot^)? `offset` $offset attr-dict `:` type($buffer)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer,
                                 "::mlir::Value":$slot,
                                 "::mlir::Value":$offset)>];
  let hasVerifier = 1;
}

#endif // ATC_DIALECT_NPU_IR_MEMORY_TD
