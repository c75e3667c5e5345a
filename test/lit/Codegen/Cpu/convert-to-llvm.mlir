// RUN: atc-opt %s -atc-cpu-convert-to-llvm | FileCheck %s --enable-var-scope

// bf16 moves as an integer: LLVM would call functions to move a scalar of it.
// CHECK-LABEL: llvm.func @brain
// CHECK-SAME: vector<8xi16>
// CHECK-NOT: bf16
// CHECK: %[[ONE:.+]] = llvm.mlir.constant(16256 : i16) : i16
// CHECK: llvm.insertelement %[[ONE]]
func.func @brain(%x: vector<8xbf16>) -> vector<8xbf16> {
  %one = arith.constant 1.0 : bf16
  %y = vector.insert %one, %x [3] : bf16 into vector<8xbf16>
  return %y : vector<8xbf16>
}
