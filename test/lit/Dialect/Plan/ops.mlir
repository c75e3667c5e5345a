// Every op keeps its meaning through text and the generic form.
// RUN: atc-opt %s | atc-opt | FileCheck %s
// RUN: atc-opt %s --mlir-print-op-generic | atc-opt | FileCheck %s

module @kernel_0 {
  func.func @kernel_0() {
    return
  }
}
graph.weight_data @w0 : tensor<8x4xf32> source 0 offset 0 length 128

// CHECK-LABEL: plan.program @static arena 4096 lower_bound 2048
plan.program @static arena 4096 lower_bound 2048 {
  // CHECK: %[[X:.+]] = plan.input 0 "x" : !plan.view<1x8xf32>
  // CHECK: %[[Y:.+]] = plan.output 0 "y" : !plan.view<1x4xf32>
  %x = plan.input 0 "x" : !plan.view<1x8xf32>
  %y = plan.output 0 "y" : !plan.view<1x4xf32>
  // CHECK: plan.weight @w0 bytes 128
  // CHECK: plan.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK: plan.variable "cache" : !plan.view<2x4xf32>
  // CHECK: plan.variable "table" initial @w0 : !plan.view<8x4xf32>
  %w = plan.weight @w0 bytes 128
  %c = plan.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %v0 = plan.variable "cache" : !plan.view<2x4xf32>
  %v1 = plan.variable "table" initial @w0 : !plan.view<8x4xf32>
  // CHECK: plan.arena fixed 1152 at 64
  // CHECK: plan.arena fixed 64{{$}}
  %a = plan.arena fixed 1152 at 64
  %b = plan.arena fixed 64
  // CHECK: plan.view %[[X]][0] : !plan.buffer<input> -> !plan.view<1x8xf32>
  // CHECK: plan.view %{{.+}}[224] : !plan.buffer<arena> -> !plan.view<1x8x4x4xf32, [288, 1, 48, 8]>
  // CHECK: plan.view %{{.+}}[0] : !plan.buffer<arena> -> !plan.view<4x4xf32, #graph.layout<perm = [0, 1], tile = {{\[}}[1, 4]]>>
  %0 = plan.view %x[0] : !plan.buffer<input> -> !plan.view<1x8xf32>
  %1 = plan.view %y[0] : !plan.buffer<output> -> !plan.view<1x4xf32>
  %2 = plan.view %a[224] : !plan.buffer<arena> -> !plan.view<1x8x4x4xf32, [288, 1, 48, 8]>
  %3 = plan.view %b[0] : !plan.buffer<arena> -> !plan.view<4x4xf32, #graph.layout<perm = [0, 1], tile = [[1, 4]]>>
  %4 = plan.view %b[0] : !plan.buffer<arena> -> !plan.view<4x4xf32>
  // CHECK: plan.zero_halo %{{.+}} low [0, 0, 1, 1] high [0, 0, 1, 1] : !plan.view<1x8x4x4xf32, [288, 1, 48, 8]>
  plan.zero_halo %2 low [0, 0, 1, 1] high [0, 0, 1, 1] : !plan.view<1x8x4x4xf32, [288, 1, 48, 8]>
  // CHECK: plan.launch @kernel_0[1] (read %{{.+}} : !plan.view<1x8xf32>, update %{{.+}} : !plan.view<1x4xf32>)
  // CHECK-SAME: tiles 42 scratch 4096 flops 64
  plan.launch @kernel_0[1] (read %0 : !plan.view<1x8xf32>, update %1 : !plan.view<1x4xf32>) tiles 42 scratch 4096 flops 64
  // CHECK: plan.copy %{{.+}} to %{{.+}} : !plan.view<4x4xf32>, !plan.view<4x4xf32, #graph.layout
  plan.copy %4 to %3 : !plan.view<4x4xf32>, !plan.view<4x4xf32, #graph.layout<perm = [0, 1], tile = [[1, 4]]>>
  // CHECK: plan.fill %{{.+}} with 0 : !plan.view<4x4xf32>
  plan.fill %4 with 0 : !plan.view<4x4xf32>
}

// CHECK-LABEL: plan.program @dynamic
plan.program @dynamic {
  // CHECK: %[[X:.+]] = plan.input 0 "x" : !plan.view<?x8xi64>
  // CHECK: %[[N:.+]] = plan.dim %[[X]][0] "batch" from 1 to 64 : !plan.buffer<input>
  // CHECK: plan.output 0 "y" sizes(%[[N]]) : !plan.view<?x8xi64>
  %x = plan.input 0 "x" : !plan.view<?x8xi64>
  %n = plan.dim %x[0] "batch" from 1 to 64 : !plan.buffer<input>
  %y = plan.output 0 "y" sizes(%n) : !plan.view<?x8xi64>
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %elements = arith.muli %n, %c8 : index
  %bytes = arith.muli %n, %c64 : index
  // CHECK: plan.arena shape %{{.+}}
  // CHECK: plan.arena data %{{.+}}
  %a = plan.arena shape %bytes
  %d = plan.arena data %bytes
  // CHECK: plan.view %{{.+}}[%{{.+}}] sizes(%[[N]]) strides(%{{.+}}, %{{.+}}) : !plan.buffer<arena> -> !plan.view<?x8xi64, [?, ?]>
  %v = plan.view %a[%c8] sizes(%n) strides(%c8, %elements) : !plan.buffer<arena> -> !plan.view<?x8xi64, [?, ?]>
  %w = plan.view %y[0] sizes(%n) : !plan.buffer<output> -> !plan.view<?x8xi64>
  // CHECK: plan.allocate %{{.+}} : !plan.buffer<arena>
  plan.allocate %d : !plan.buffer<arena>
  // CHECK: plan.load_scalar %{{.+}}[%{{.+}}, %{{.+}}] : !plan.view<?x8xi64, [?, ?]>
  %i = plan.load_scalar %v[%n, %c8] : !plan.view<?x8xi64, [?, ?]>
  // CHECK: plan.store_scalar %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}] : !plan.view<?x8xi64>
  plan.store_scalar %i, %w[%n, %n] : !plan.view<?x8xi64>
  %ok = arith.cmpi sgt, %i, %n : index
  // CHECK: plan.check %{{.+}}, "too many"
  plan.check %ok, "too many"
  // CHECK: plan.host_call "NonZero" (read %{{.+}} : !plan.view<?x8xi64, [?, ?]>) scalars(%{{.+}} : index) parameters {axis = 1 : i64} -> index
  %count = plan.host_call "NonZero" (read %v : !plan.view<?x8xi64, [?, ?]>) scalars(%i : index) parameters {axis = 1 : i64} -> index
  // CHECK: scf.if %{{.+}} -> (index)
  %r = scf.if %ok -> (index) {
    scf.yield %count : index
  } else {
    scf.yield %n : index
  }
  // CHECK: plan.launch @kernel_0[0] (write %{{.+}} : !plan.view<?x8xi64>) scalars(%{{.+}}) tiles %{{.+}} scratch %{{.+}}
  plan.launch @kernel_0[0] (write %w : !plan.view<?x8xi64>) scalars(%r) tiles %n scratch %bytes
  // CHECK: plan.free %{{.+}} : !plan.buffer<arena>
  plan.free %d : !plan.buffer<arena>
}

// Types without a producer yet.
// CHECK-LABEL: func.func private @types(!plan.dyn, !plan.seq, !plan.opt, !plan.str, !plan.buffer<variable>)
func.func private @types(!plan.dyn, !plan.seq, !plan.opt, !plan.str, !plan.buffer<variable>)

// Strides that say what row-major order says are not written.
// CHECK: func.func private @implied(!plan.view<2x3xf32>, !plan.view<2x3xf32, [4, 1]>, !plan.view<f32>)
func.func private @implied(!plan.view<2x3xf32, [3, 1]>, !plan.view<2x3xf32, [4, 1]>, !plan.view<f32>)
