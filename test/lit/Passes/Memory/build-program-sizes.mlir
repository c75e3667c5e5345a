// RUN: atc-opt %s --split-input-file --atc-build-program --atc-place-buffers | FileCheck %s

// Views follow open sizes: merged and split dims, a permutation, a part.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[X:.+]] = plan.input 0
// CHECK: %[[N:.+]] = plan.dim %[[X]][0]
// CHECK: %[[ROWS:.+]] = arith.muli %[[N]], %c12
// CHECK: plan.view %[[X]][0] sizes(%[[N]]) : !plan.buffer<input> -> !plan.view<64x?x12xf32, [1, 768, 64]>
// CHECK: plan.copy
// CHECK: plan.view %[[X]][0] sizes(%[[ROWS]]) : !plan.buffer<input> -> !plan.view<?x64xf32>
// CHECK: plan.copy
// CHECK: plan.view %[[X]][1024] sizes(%[[N]]) : !plan.buffer<input> -> !plan.view<?x4x64xf32, [768, 128, 1]>
// CHECK: plan.copy
module {
  func.func @main(%x: tensor<?x12x64xf32>) -> (tensor<?x64xf32>, tensor<64x?x12xf32>, tensor<?x4x64xf32>) {
    %0 = graph.reshape %x : (tensor<?x12x64xf32>) -> tensor<?x64xf32>
    %1 = graph.transpose %x [2, 0, 1] : (tensor<?x12x64xf32>) -> tensor<64x?x12xf32>
    %2 = graph.slice %x starts [0, 4, 0] limits [9223372036854775807, 12, 64] steps [1, 2, 1] : (tensor<?x12x64xf32>) -> tensor<?x4x64xf32>
    return %0, %1, %2 : tensor<?x64xf32>, tensor<64x?x12xf32>, tensor<?x4x64xf32>
  }
}

// -----

// A part that may be empty begins inside its tensor all the same.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[X:.+]] = plan.input 0
// CHECK: %[[N:.+]] = plan.dim %[[X]][0]
// CHECK: %[[START:.+]] = arith.minsi %[[N]], %c7
// CHECK: %[[OFFSET:.+]] = arith.muli %[[START]], %c12
// CHECK: plan.view %[[X]][%[[OFFSET]]]
module {
  func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %0 = graph.slice %x starts [7, 0] limits [9223372036854775807, 3] steps [1, 1] : (tensor<?x3xf32>) -> tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
}

// -----

// Checks that depend on sizes run before the first kernel; sizes that a tensor
// holds are stored element by element, also into a slice of a concat.
// CHECK-LABEL: plan.program @main.plan
// CHECK: %[[X:.+]] = plan.input 0
// CHECK: %[[W:.+]] = plan.input 1
// CHECK: %[[M:.+]] = plan.dim %[[X]][0] "" from
// CHECK: %[[N:.+]] = plan.dim %[[W]][0] "" from
// CHECK: %[[SAME:.+]] = arith.cmpi eq, %[[M]], %[[N]]
// CHECK: plan.check %[[SAME]], "sizes differ"
// CHECK: %[[Y:.+]] = plan.output 0 "output0" : !plan.view<3xi64>
// CHECK: %[[VIEW:.+]] = plan.view %[[Y]][8] : !plan.buffer<output> -> !plan.view<2xi64>
// CHECK: plan.store_scalar %[[M]], %[[VIEW]][%{{.+}}]
// CHECK: plan.store_scalar %[[N]], %[[VIEW]][%{{.+}}]
module {
  func.func @main(%x: tensor<?xf32>, %w: tensor<?xf32>) -> tensor<3xi64> {
    %m = graph.dim %x axis 0 : (tensor<?xf32>) -> index
    %n = graph.dim %w axis 0 : (tensor<?xf32>) -> index
    %same = arith.cmpi eq, %m, %n : index
    cf.assert %same, "sizes differ"
    %c = graph.constant dense<1> : tensor<1xi64>
    %0 = graph.pack_sizes %m, %n : tensor<2xi64>
    %1 = graph.concat %c, %0 axis 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    return %1 : tensor<3xi64>
  }
}

// -----

// Sizes that only a reshape asks for are not stored.
// CHECK-LABEL: plan.program @main.plan
// CHECK-NOT: plan.store_scalar
// CHECK: plan.copy
module {
  func.func @main(%x: tensor<?x6xf32>) -> tensor<?x2x3xf32> {
    %n = graph.dim %x axis 0 : (tensor<?x6xf32>) -> index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %shape = graph.pack_sizes %n, %two, %three : tensor<3xi64>
    %0 = graph.reshape %x shape %shape : (tensor<?x6xf32>, tensor<3xi64>) -> tensor<?x2x3xf32>
    return %0 : tensor<?x2x3xf32>
  }
}
