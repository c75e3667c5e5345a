// RUN: atc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(atc-npu-insert-synchronization))' | FileCheck %s --enable-var-scope

// In straight code one flag goes from the pipe that writes to the one that
// reads.
// CHECK-LABEL: func.func @straight
// CHECK: npu.copy_gm_to_ub
// CHECK-NEXT: %[[ID:.+]] = arith.constant 0
// CHECK-NEXT: npu.set_flag mte2 mte3 id %[[ID]]
// CHECK: npu.wait_flag mte2 mte3
// CHECK-NEXT: npu.copy_ub_to_gm
// CHECK-NOT: flag
// CHECK: return
func.func @straight(%in: memref<?xi8, #npu.space<gm>>, %out: memref<?xi8, #npu.space<gm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %buffer = npu.alloc : memref<64xi8, #npu.space<ub>>
  %ub = npu.address %buffer offset %c0 : memref<64xi8, #npu.space<ub>>
  %src = npu.address %in offset %c0 : memref<?xi8, #npu.space<gm>>
  %dst = npu.address %out offset %c0 : memref<?xi8, #npu.space<gm>>
  npu.copy_gm_to_ub dst %ub, src %src, rows %c1, row_bytes %c64, dst_stride %c0, src_stride %c0
  npu.copy_ub_to_gm dst %dst, src %ub, rows %c1, row_bytes %c64, dst_stride %c0, src_stride %c0
  return
}

// -----

// In a loop the buffer must be free again: that flag is set before the loop and
// awaited behind it. Two slots have two flags, named by the slot.
// CHECK-LABEL: func.func @loop
// CHECK: npu.alloc
// CHECK-NEXT: %[[FIRST:.+]] = arith.constant 0
// CHECK-NEXT: npu.set_flag mte3 mte2 id %[[FIRST]]
// CHECK-NEXT: %[[SECOND:.+]] = arith.constant 1
// CHECK-NEXT: npu.set_flag mte3 mte2 id %[[SECOND]]
// CHECK: scf.for %[[I:.+]] =
// CHECK: %[[SLOT:.+]] = arith.remui %[[I]]
// CHECK: npu.wait_flag mte3 mte2 id %[[SLOT]]
// CHECK-NEXT: npu.copy_gm_to_ub
// CHECK-NEXT: npu.set_flag mte2 mte3 id %[[SLOT]]
// CHECK-NEXT: npu.wait_flag mte2 mte3 id %[[SLOT]]
// CHECK-NEXT: npu.copy_ub_to_gm
// CHECK-NEXT: npu.set_flag mte3 mte2 id %[[SLOT]]
// CHECK: }
// CHECK-COUNT-2: npu.wait_flag mte3 mte2
// CHECK-NOT: npu.wait_flag
// CHECK: return
func.func @loop(%in: memref<?xi8, #npu.space<gm>>, %out: memref<?xi8, #npu.space<gm>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %buffer = npu.alloc slots 2 : memref<64xi8, #npu.space<ub>>
  scf.for %i = %c0 to %n step %c1 {
    %slot = arith.remui %i, %c2 : index
    %offset = arith.muli %i, %c64 : index
    %ub = npu.address %buffer slot %slot offset %c0 : memref<64xi8, #npu.space<ub>>
    %src = npu.address %in offset %offset : memref<?xi8, #npu.space<gm>>
    %dst = npu.address %out offset %offset : memref<?xi8, #npu.space<gm>>
    npu.copy_gm_to_ub dst %ub, src %src, rows %c1, row_bytes %c64, dst_stride %c0, src_stride %c0
    npu.copy_ub_to_gm dst %dst, src %ub, rows %c1, row_bytes %c64, dst_stride %c0, src_stride %c0
  }
  return
}

// -----

// Within a pipe a barrier stands between a result and its use, but not between
// a use and the next write, nor between instructions that share no byte.
// CHECK-LABEL: func.func @one_pipe
// CHECK: npu.vdup
// CHECK-NEXT: npu.vdup
// CHECK-NEXT: npu.barrier v
// CHECK-NEXT: npu.vunary relu
// CHECK-NEXT: npu.vdup
// CHECK-NOT: npu.barrier
// CHECK-NOT: flag
// CHECK: return
func.func @one_pipe() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %a = npu.alloc : memref<512xi8, #npu.space<ub>>
  %b = npu.alloc : memref<256xi8, #npu.space<ub>>
  %low = npu.address %a offset %c0 : memref<512xi8, #npu.space<ub>>
  %high = npu.address %a offset %c256 : memref<512xi8, #npu.space<ub>>
  %result = npu.address %b offset %c0 : memref<256xi8, #npu.space<ub>>
  npu.vdup f16 dst %low, scalar %c0, lanes %c128, repeats %c1, dst_block %c1, dst_repeat %c8
  npu.vdup f16 dst %high, scalar %c0, lanes %c128, repeats %c1, dst_block %c1, dst_repeat %c8
  npu.vunary relu f16 dst %result, src %low, lanes %c128, repeats %c1, dst_block %c1,
      src_block %c1, dst_repeat %c8, src_repeat %c8
  npu.vdup f16 dst %low, scalar %c0, lanes %c128, repeats %c1, dst_block %c1, dst_repeat %c8
  return
}

// -----

// The flag behind the second load says that the first has come, too.
// CHECK-LABEL: func.func @implied
// CHECK: npu.copy_gm_to_ub
// CHECK-NOT: npu.set_flag
// CHECK: npu.copy_gm_to_ub
// CHECK: npu.set_flag mte2 v
// CHECK: npu.wait_flag mte2 v
// CHECK-NEXT: npu.vbinary
// CHECK-NOT: npu.wait_flag
// CHECK: return
func.func @implied(%in: memref<?xi8, #npu.space<gm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %a = npu.alloc : memref<256xi8, #npu.space<ub>>
  %b = npu.alloc : memref<256xi8, #npu.space<ub>>
  %c = npu.alloc : memref<256xi8, #npu.space<ub>>
  %left = npu.address %a offset %c0 : memref<256xi8, #npu.space<ub>>
  %right = npu.address %b offset %c0 : memref<256xi8, #npu.space<ub>>
  %sum = npu.address %c offset %c0 : memref<256xi8, #npu.space<ub>>
  %src = npu.address %in offset %c0 : memref<?xi8, #npu.space<gm>>
  npu.copy_gm_to_ub dst %left, src %src, rows %c1, row_bytes %c256, dst_stride %c0, src_stride %c0
  npu.copy_gm_to_ub dst %right, src %src, rows %c1, row_bytes %c256, dst_stride %c0, src_stride %c0
  npu.vbinary add f16 dst %sum, src0 %left, src1 %right, lanes %c128, repeats %c1,
      dst_block %c1, src0_block %c1, src1_block %c1, dst_repeat %c8, src0_repeat %c8,
      src1_repeat %c8
  return
}

// -----

// Instructions of two pipes on different buffers wait for nothing.
// CHECK-LABEL: func.func @independent
// CHECK-NOT: flag
// CHECK-NOT: npu.barrier
// CHECK: return
func.func @independent(%in: memref<?xi8, #npu.space<gm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %a = npu.alloc : memref<256xi8, #npu.space<ub>>
  %b = npu.alloc : memref<256xi8, #npu.space<ub>>
  %loaded = npu.address %a offset %c0 : memref<256xi8, #npu.space<ub>>
  %filled = npu.address %b offset %c0 : memref<256xi8, #npu.space<ub>>
  %src = npu.address %in offset %c0 : memref<?xi8, #npu.space<gm>>
  npu.copy_gm_to_ub dst %loaded, src %src, rows %c1, row_bytes %c256, dst_stride %c0, src_stride %c0
  npu.vdup f16 dst %filled, scalar %c0, lanes %c128, repeats %c1, dst_block %c1, dst_repeat %c8
  return
}

// -----

// Nine slots need nine flags, one more than a pair of pipes has: a barrier of
// all pipes takes their place.
// CHECK-LABEL: func.func @too_many_slots
// CHECK: npu.copy_gm_to_ub
// CHECK-NOT: flag
// CHECK: npu.barrier all
// CHECK-NEXT: npu.copy_ub_to_gm
// CHECK-NOT: flag
// CHECK: return
func.func @too_many_slots(%in: memref<?xi8, #npu.space<gm>>, %out: memref<?xi8, #npu.space<gm>>, %slot: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %buffer = npu.alloc slots 9 : memref<64xi8, #npu.space<ub>>
  %ub = npu.address %buffer slot %slot offset %c0 : memref<64xi8, #npu.space<ub>>
  %src = npu.address %in offset %c0 : memref<?xi8, #npu.space<gm>>
  %dst = npu.address %out offset %c0 : memref<?xi8, #npu.space<gm>>
  npu.copy_gm_to_ub dst %ub, src %src, rows %c1, row_bytes %c64, dst_stride %c0, src_stride %c0
  npu.copy_ub_to_gm dst %dst, src %ub, rows %c1, row_bytes %c64, dst_stride %c0, src_stride %c0
  return
}

// -----

func.func @while(%condition: i1) {
  // expected-error @+1 {{is control flow that cannot be synchronized}}
  scf.while : () -> () {
    scf.condition(%condition)
  } do {
    scf.yield
  }
  return
}
