// RUN: atc-opt %s -split-input-file -verify-diagnostics -atc-cpu-kernel-abi | FileCheck %s --enable-var-scope

// The launch gets the runtime's signature; buffers that overlap no other are
// `noalias`, and a buffer with a halo starts in front of it.

// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %[[CONTEXT:[^:]+]]: !llvm.ptr, %[[BUFFERS:[^:]+]]: !llvm.ptr,
// CHECK-SAME: %[[SCALARS:[^:]+]]: !llvm.ptr, %[[SCRATCH:[^:]+]]: !llvm.ptr,
// CHECK-SAME: %[[BEGIN:[^:]+]]: i64, %[[END:[^:]+]]: i64)
// CHECK: llvm.getelementptr inbounds %[[BUFFERS]][0]
// CHECK: llvm.getelementptr inbounds %[[BUFFERS]][1]
// CHECK: llvm.getelementptr inbounds %[[SCALARS]][0]
// CHECK: call @scale.body(%[[CONTEXT]]

// CHECK-LABEL: func.func private @scale.body(
// CHECK-SAME: %{{[^:]+}}: !llvm.ptr, %[[X:[^:]+]]: !llvm.ptr {llvm.noalias},
// CHECK-SAME: %[[Y:[^:]+]]: !llvm.ptr, %{{[^:]+}}: i64, %{{[^:]+}}: !llvm.ptr,
// CHECK: %[[BACK:.+]] = llvm.mlir.constant(-8 : i64)
// CHECK: llvm.getelementptr %[[X]][%[[BACK]]]
func.func @scale(%x: memref<?xf32>, %y: memref<?xf32>, %n: index,
                 %scratch: memref<?xi8>, %begin: index, %end: index)
    attributes {buffer_bases = array<i64: 2, 0>, shared_buffers = array<i64: 1>} {
  %v = memref.load %x[%n] : memref<?xf32>
  memref.store %v, %y[%n] : memref<?xf32>
  return
}

// -----

// A call of an imported function goes through the context's table.

// CHECK-LABEL: func.func private @sine.body(%{{[^:]+}}: !llvm.ptr
// CHECK-NOT: call @atc_import_sinf
// CHECK: llvm.call %{{.+}}(%{{.+}}) : !llvm.ptr, (f32) -> f32
func.func private @atc_import_sinf(f32) -> f32
func.func @sine(%x: memref<?xf32>, %scratch: memref<?xi8>, %begin: index,
                %end: index) attributes {buffer_bases = array<i64: 0>} {
  %v = memref.load %x[%begin] : memref<?xf32>
  %w = func.call @atc_import_sinf(%v) : (f32) -> f32
  memref.store %w, %x[%begin] : memref<?xf32>
  return
}

// -----

// A fault is reported with the context, so that it belongs to the launch.

// CHECK-LABEL: func.func private @checked.body(
// CHECK-SAME: %[[CONTEXT:[^:]+]]: !llvm.ptr
// CHECK: %[[CODE:.+]] = arith.constant 0 : i32
// CHECK: llvm.call %{{.+}}(%[[CONTEXT]], %[[CODE]]) : !llvm.ptr, (!llvm.ptr, i32) -> ()
func.func private @atc_import_report_fault(i32)
func.func @checked(%x: memref<?xf32>, %scratch: memref<?xi8>, %begin: index,
                   %end: index) attributes {buffer_bases = array<i64: 0>} {
  %code = arith.constant 0 : i32
  func.call @atc_import_report_fault(%code) : (i32) -> ()
  return
}

// -----

// The table is closed.

func.func private @atc_import_nothing(f32) -> f32
func.func @unknown(%x: memref<?xf32>, %scratch: memref<?xi8>, %begin: index,
                   %end: index) attributes {buffer_bases = array<i64: 0>} {
  %v = memref.load %x[%begin] : memref<?xf32>
  // expected-error @+1 {{calls 'nothing', which the context lacks}}
  %w = func.call @atc_import_nothing(%v) : (f32) -> f32
  memref.store %w, %x[%begin] : memref<?xf32>
  return
}
