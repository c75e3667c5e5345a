// The passes that turn an outlined kernel into a program for a core.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_NPU_PASSES_TD
#define ATC_CODEGEN_NPU_PASSES_TD

include "mlir/Pass/PassBase.td"

// All of them work on one kernel module, so that kernels are compiled in
// parallel. They stand here in the order in which they run.

def LowerKernelsPass : Pass<"atc-npu-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Build a kernel's instructions from its template";
  let description = [{
    Replaces each function that carries a `graph.config` by one function per
    launch: buffers in global memory, tiles divided among blocks, and
    instructions of the npu dialect inside loops. Nothing is synchronized and no
    buffer has an address yet.
  }];
  let options = [
    Option<"device", "device", "std::string", "\"TinyNpu\"",
           "the device record to generate code for">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect", "::mlir::atc::npu::NpuDialect"
  ];
}

def InsertSynchronizationPass
    : Pass<"atc-npu-insert-synchronization", "::mlir::func::FuncOp"> {
  let summary = "Set and await flags where pipes depend on each other";
  let description = [{
    Pipes run on their own. Where an instruction needs what one of another pipe
    did, or overwrites what another one still reads, the bytes that both touch
    tell (lib/Isa): a flag is set behind the first and awaited before the second.
    In a loop the order also holds from one iteration to the next: the flag of a
    buffer that is free again is set before the loop, awaited and set in each
    iteration, and awaited once more behind the loop. A buffer of several slots
    has one flag per slot, so that one pipe runs ahead of the other by as many
    turns.

    A flag that another one implies is left out. Within a pipe, a barrier stands
    between a write and the next use of its result. Where the flags of a pair of
    pipes do not suffice, a barrier of all pipes takes their place.

    ```mlir
    scf.for %i = %c0 to %n step %c1 {
      npu.copy_gm_to_ub dst %ub, ...
      npu.vunary relu f16 dst %result, src %ub, ...
    }
    ```

    becomes

    ```mlir
    npu.set_flag v mte2 id %c0
    scf.for %i = %c0 to %n step %c1 {
      npu.wait_flag v mte2 id %c0
      npu.copy_gm_to_ub dst %ub, ...
      npu.set_flag mte2 v id %c0
      npu.wait_flag mte2 v id %c0
      npu.vunary relu f16 dst %result, src %ub, ...
      npu.set_flag v mte2 id %c0
    }
    npu.wait_flag v mte2 id %c0
    ```

    A launch does not read global memory that it writes.
  }];
  let options = [
    Option<"device", "device", "std::string", "\"TinyNpu\"",
           "the device whose flags to use">
  ];
  let statistics = [
    Statistic<"numFlags", "flags", "Number of flags in use">,
    Statistic<"numBarriers", "barriers", "Number of barriers inserted">
  ];
  let dependentDialects = ["::mlir::atc::npu::NpuDialect"];
}

def PlanAddressesPass
    : Pass<"atc-npu-plan-addresses", "::mlir::func::FuncOp"> {
  let summary = "Place buffers in the memories of the core";
  let description = [{
    Gives every `npu.alloc` its address and replaces `npu.address` on it by
    arithmetic. Buffers live as long as the kernel: they follow each other in
    the order of their alignment and of the program. Fails where a memory is too
    small.
  }];
  let options = [
    Option<"device", "device", "std::string", "\"TinyNpu\"",
           "the device whose memories to use">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // ATC_CODEGEN_NPU_PASSES_TD
