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

// -----

// Addresses in global memory are known when the kernel is called.
// CHECK-LABEL: func.func @global
// CHECK: %[[SOURCE:.+]] = npu.address %arg0
// CHECK: npu.copy_gm_to_ub dst %{{.+}}, src %[[SOURCE]]
func.func @global(%in: memref<?xi8, #npu.space<gm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %buffer = npu.alloc : memref<64xi8, #npu.space<ub>>
  %ub = npu.address %buffer offset %c0 : memref<64xi8, #npu.space<ub>>
  %src = npu.address %in offset %c64 : memref<?xi8, #npu.space<gm>>
  npu.copy_gm_to_ub dst %ub, src %src, rows %c1, row_bytes %c64, dst_stride %c0, src_stride %c0
  return
}
