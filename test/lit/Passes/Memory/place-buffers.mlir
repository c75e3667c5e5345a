// RUN: atc-opt %s --split-input-file --atc-place-buffers | FileCheck %s

module @k {
  func.func @k() {
    return
  }
}

// The first and the third buffer never live at one time: they share an offset.
// A buffer that nobody touches goes.
// CHECK-LABEL: plan.program @chain arena 128 lower_bound 128
// CHECK: plan.arena fixed 64 at [[FIRST:[0-9]+]]
// CHECK: plan.arena fixed 64 at
// CHECK: plan.arena fixed 64 at [[FIRST]]
// CHECK-NOT: plan.arena
plan.program @chain {
  %a = plan.arena fixed 64
  %b = plan.arena fixed 64
  %c = plan.arena fixed 64
  %unused = plan.arena fixed 4096
  %va = plan.view %a[0] : !plan.buffer<arena> -> !plan.view<16xf32>
  %vb = plan.view %b[0] : !plan.buffer<arena> -> !plan.view<16xf32>
  %vc = plan.view %c[0] : !plan.buffer<arena> -> !plan.view<16xf32>
  plan.launch @k[0] (write %va : !plan.view<16xf32>) tiles 1 scratch 0
  plan.launch @k[0] (read %va : !plan.view<16xf32>, write %vb : !plan.view<16xf32>) tiles 1 scratch 0
  plan.launch @k[0] (read %vb : !plan.view<16xf32>, write %vc : !plan.view<16xf32>) tiles 1 scratch 0
}

// -----

module @k {
  func.func @k() {
    return
  }
}

// A buffer from outside a loop lives through it: what one iteration wrote, the
// next may read. One made inside lives for its iteration.
// CHECK-LABEL: plan.program @loop arena 128 lower_bound 128
// CHECK: plan.arena fixed 64 at [[OUTER:[0-9]+]]
// CHECK: plan.arena fixed 64 at [[INNER:[0-9]+]]
// CHECK: plan.arena fixed 64 at [[INNER]]
plan.program @loop {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = plan.arena fixed 64
  %va = plan.view %a[0] : !plan.buffer<arena> -> !plan.view<16xf32>
  %r = scf.while (%i = %c0) : (index) -> index {
    %go = arith.cmpi slt, %i, %c1 : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %b = plan.arena fixed 64
    %c = plan.arena fixed 64
    %vb = plan.view %b[0] : !plan.buffer<arena> -> !plan.view<16xf32>
    %vc = plan.view %c[0] : !plan.buffer<arena> -> !plan.view<16xf32>
    plan.launch @k[0] (read %va : !plan.view<16xf32>, write %vb : !plan.view<16xf32>) tiles 1 scratch 0
    plan.launch @k[0] (read %vb : !plan.view<16xf32>, write %va : !plan.view<16xf32>) tiles 1 scratch 0
    plan.launch @k[0] (write %vc : !plan.view<16xf32>) tiles 1 scratch 0
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
}
