// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

// Buffers, addresses and instructions of every pipe print as they were written.
// CHECK-LABEL: func.func @product
// CHECK-SAME: memref<?xi8, #npu.space<gm>>
func.func @product(%a: memref<?xi8, #npu.space<gm>>, %c: memref<?xi8, #npu.space<gm>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  // CHECK: npu.read_special block_index
  %block = npu.read_special block_index
  // CHECK: npu.alloc slots 2 : memref<512xi8, #npu.space<l1>>
  %l1 = npu.alloc slots 2 : memref<512xi8, #npu.space<l1>>
  // CHECK: npu.alloc at 1024 : memref<512xi8, #npu.space<l0a>>
  %l0a = npu.alloc at 1024 : memref<512xi8, #npu.space<l0a>>
  %l0c = npu.alloc : memref<1024xi8, #npu.space<l0c>>
  // CHECK: npu.address %{{.+}} slot %{{.+}} offset %{{.+}} : memref<512xi8, #npu.space<l1>>
  %in_l1 = npu.address %l1 slot %c1 offset %c0 : memref<512xi8, #npu.space<l1>>
  // CHECK: npu.address %{{.+}} offset %{{.+}} : memref<?xi8, #npu.space<gm>>
  %src = npu.address %a offset %c0 : memref<?xi8, #npu.space<gm>>
  %dst = npu.address %c offset %c0 : memref<?xi8, #npu.space<gm>>
  %left = npu.address %l0a offset %c0 : memref<512xi8, #npu.space<l0a>>
  %sums = npu.address %l0c offset %c0 : memref<1024xi8, #npu.space<l0c>>
  // CHECK: npu.nd2nz b16 off dst %{{.+}}, src %{{.+}}, matrices %{{.+}}, rows
  npu.nd2nz b16 off dst %in_l1, src %src, matrices %c1, rows %c16, columns %c16,
      src_matrix_stride %c0, src_row_stride %c32, dst_matrix_stride %c0,
      dst_column_stride %c512
  // CHECK: npu.set_flag mte2 mte1 id %{{.+}}
  npu.set_flag mte2 mte1 id %c0
  // CHECK: npu.wait_flag mte2 mte1 id %{{.+}}
  npu.wait_flag mte2 mte1 id %c0
  // CHECK: npu.load2d_l0a off dst %{{.+}}, src %{{.+}}, fractals
  npu.load2d_l0a off dst %left, src %in_l1, fractals %c1, dst_stride %c1, src_stride %c1
  // CHECK: npu.barrier all
  npu.barrier all
  // CHECK: npu.mmad f16 zero dst
  npu.mmad f16 zero dst %sums, a %left, b %c0, bias %c0, m %c16, n %c16, k %c16
  // CHECK: npu.fixpipe_to_gm f32 f16 relu nd dst
  npu.fixpipe_to_gm f32 f16 relu nd dst %dst, src %sums, m %c16, n %c16,
      dst_stride %c32, src_stride %c1024
  return
}
