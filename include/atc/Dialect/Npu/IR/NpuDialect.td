// The npu dialect: how a core of the NPU computes.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_NPU_IR_NPUDIALECT_TD
#define ATC_DIALECT_NPU_IR_NPUDIALECT_TD

include "mlir/IR/OpBase.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::mlir::atc::npu";
  let summary = "Instructions of the NPU on named memories";
  let description = [{
    An op of this dialect is an instruction of lib/Isa: it has the instruction's
    modifiers and operands, by the same names. What the scalar unit does between
    them are ops of `arith` and `scf` on `index` values; code emission gives
    these registers and branches.

    A kernel is a function whose arguments are buffers in global memory, then
    sizes. `npu.alloc` makes a buffer in a memory of the core, of one or more
    slots that loops use in turn; `npu.address` is the only way from a buffer to
    an operand of an instruction, so that passes see who touches what.

    Templates build kernels without addresses and without synchronization. Two
    passes complete them: `atc-npu-insert-synchronization` sets and awaits flags
    where one pipe needs what another one did, `atc-npu-plan-addresses` places
    buffers.

    ```mlir
    func.func @copy(%in: memref<?xi8, #npu.space<gm>>,
                    %out: memref<?xi8, #npu.space<gm>>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %buffer = npu.alloc : memref<64xi8, #npu.space<ub>>
      %ub = npu.address %buffer offset %c0 : memref<64xi8, #npu.space<ub>>
      %src = npu.address %in offset %c0 : memref<?xi8, #npu.space<gm>>
      %dst = npu.address %out offset %c0 : memref<?xi8, #npu.space<gm>>
      npu.copy_gm_to_ub dst %ub, src %src, rows %c1, row_bytes %c64,
          dst_stride %c0, src_stride %c0
      npu.set_flag mte2 mte3 id %c0
      npu.wait_flag mte2 mte3 id %c0
      npu.copy_ub_to_gm dst %dst, src %ub, rows %c1, row_bytes %c64,
          dst_stride %c0, src_stride %c0
      return
    }
    ```
  }];

  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
  private:
    void registerAttributes();
    // Each family adds its ops in its own translation unit.
    void registerInstructionOps();
    void registerMemoryOps();

  public:
  }];
}

#endif // ATC_DIALECT_NPU_IR_NPUDIALECT_TD
