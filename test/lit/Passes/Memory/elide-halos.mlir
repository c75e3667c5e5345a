// RUN: atc-opt %s --atc-elide-halos | FileCheck %s

module @k {
  func.func @k() {
    return
  }
}

// Nobody else uses these bytes, and a session begins with zeros.
// CHECK-LABEL: plan.program @alone
// CHECK-NOT: plan.zero_halo
// CHECK: plan.launch
plan.program @alone arena 320 {
  %a = plan.arena fixed 144 at 0
  %b = plan.arena fixed 144 at 192
  %v = plan.view %a[28] : !plan.buffer<arena> -> !plan.view<4x4xf32, [6, 1]>
  %w = plan.view %b[0] : !plan.buffer<arena> -> !plan.view<36xf32>
  plan.zero_halo %v low [1, 1] high [1, 1] : !plan.view<4x4xf32, [6, 1]>
  plan.launch @k[0] (write %v : !plan.view<4x4xf32, [6, 1]>, write %w : !plan.view<36xf32>) tiles 1 scratch 0
}

// Two tensors with the same halo at the same place only write what lies inside.
// CHECK-LABEL: plan.program @same
// CHECK-NOT: plan.zero_halo
// CHECK: plan.launch
plan.program @same arena 192 {
  %a = plan.arena fixed 144 at 0
  %b = plan.arena fixed 144 at 0
  %v = plan.view %a[28] : !plan.buffer<arena> -> !plan.view<4x4xf32, [6, 1]>
  %w = plan.view %b[28] : !plan.buffer<arena> -> !plan.view<4x4xf32, [6, 1]>
  plan.zero_halo %v low [1, 1] high [1, 1] : !plan.view<4x4xf32, [6, 1]>
  plan.launch @k[0] (write %v : !plan.view<4x4xf32, [6, 1]>) tiles 1 scratch 0
  plan.zero_halo %w low [1, 1] high [1, 1] : !plan.view<4x4xf32, [6, 1]>
  plan.launch @k[0] (write %w : !plan.view<4x4xf32, [6, 1]>) tiles 1 scratch 0
}

// Another buffer lies in these bytes at another time: the halo is zeroed again.
// CHECK-LABEL: plan.program @shared
// CHECK: plan.zero_halo
plan.program @shared arena 192 {
  %a = plan.arena fixed 144 at 0
  %b = plan.arena fixed 64 at 64
  %v = plan.view %a[28] : !plan.buffer<arena> -> !plan.view<4x4xf32, [6, 1]>
  %w = plan.view %b[0] : !plan.buffer<arena> -> !plan.view<16xf32>
  plan.zero_halo %v low [1, 1] high [1, 1] : !plan.view<4x4xf32, [6, 1]>
  plan.launch @k[0] (write %v : !plan.view<4x4xf32, [6, 1]>) tiles 1 scratch 0
  plan.launch @k[0] (write %w : !plan.view<16xf32>) tiles 1 scratch 0
}
