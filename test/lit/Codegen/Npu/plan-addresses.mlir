// RUN: atc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(atc-npu-plan-addresses),canonicalize)' | FileCheck %s --enable-var-scope

// Buffers of one memory follow each other, each slot at the memory's alignment;
// memories are counted apart.
// CHECK-LABEL: func.func @place
// CHECK-DAG: npu.alloc at 0 : memref<40xi8, #npu.space<ub>>
// CHECK-DAG: npu.alloc slots 2 at 64 : memref<100xi8, #npu.space<ub>>
// CHECK-DAG: npu.alloc at 0 : memref<512xi8, #npu.space<l0a>>
// CHECK-DAG: %[[SECOND:.+]] = arith.constant 192
// CHECK: npu.vdup f16 dst %[[SECOND]]
func.func @place() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = npu.alloc : memref<40xi8, #npu.space<ub>>
  %b = npu.alloc slots 2 : memref<100xi8, #npu.space<ub>>
  %c = npu.alloc : memref<512xi8, #npu.space<l0a>>
  %p = npu.address %b slot %c1 offset %c0 : memref<100xi8, #npu.space<ub>>
  npu.vdup f16 dst %p, scalar %c0, lanes %c8, repeats %c1, dst_block %c1, dst_repeat %c0
  return
}

// -----

func.func @too_small() {
  %a = npu.alloc slots 2 : memref<4096xi8, #npu.space<l0a>>
  // expected-error @+1 {{does not fit: l0a of TinyNpu has 8192 bytes, buffers up to this one need 8704}}
  %b = npu.alloc : memref<512xi8, #npu.space<l0a>>
  return
}
