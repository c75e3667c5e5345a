// The function of one launch of a kernel, in terms of memrefs.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_KERNELLAUNCH_H
#define ATC_CODEGEN_CPU_KERNELLAUNCH_H

#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Codegen/Cpu/TensorView.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::atc::cpu {

/// One launch that a template fills with code:
///
///   func.func @kernel_0(%x: memref<?xf32>, %y: memref<?xf32>, // operands,
///                                                 // results, workspaces
///                       %n: index,                // the kernel's dims
///                       %scratch: memref<?xi8>,
///                       %begin: index, %end: index)
///       attributes {atc.launch}
///
/// The kernel's ABI function is made from it later; that pass also gives
/// buffers `noalias` and moves a buffer's start in front of its halo.
struct KernelLaunch {
  func::FuncOp function;
  /// One view per operand, result and workspace (a workspace is bytes).
  SmallVector<TensorView> operands, results;
  SmallVector<Value> workspaces;
  SmallVector<Value> dims;
  Value scratch;
  /// The tiles to compute.
  Value begin, end;
  /// Computes values of the kernel's tensors; the operands' views are set. Its
  /// builder inserts at the end of the function.
  std::unique_ptr<OpBuilder> builder;
  std::unique_ptr<RegionEmitter> region;

  /// Makes the function of launch `number` next to `kernel`. Its name is that
  /// of the kernel, with ".<number>" after the first.
  static KernelLaunch create(func::FuncOp kernel, unsigned number,
                             const CpuDescription &cpu);

  /// Makes `for tile = begin to end` and sets the insertion point inside.
  scf::ForOp createTileLoop();

  /// A part of the scratch memory as a buffer of `count` elements of a storage
  /// type, `byteOffset` bytes behind its start (a multiple of 64).
  Value scratchBuffer(int64_t byteOffset, int64_t count, Type elementType);
  /// The same of a workspace.
  Value workspaceBuffer(unsigned number, int64_t count, Type elementType);

  /// Ends the function.
  void finish();
};

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_KERNELLAUNCH_H
