// The function of one launch of a kernel, in terms of memrefs.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_KERNELLAUNCH_H
#define ATC_CODEGEN_CPU_KERNELLAUNCH_H

#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Codegen/Cpu/TensorView.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::atc::cpu {

/// Attribute of an outlined kernel: its configuration. Sizes of dynamic shapes
/// stand in others (atc/Dialect/Graph/IR/KernelSizes.h).
inline constexpr StringLiteral configAttrName = "graph.config";

/// Attribute of a launch's function: for each buffer the number of elements in
/// front of logical element 0 (its halo).
inline constexpr StringLiteral bufferBasesAttrName = "buffer_bases";
/// The buffers that may overlap others, by number; absent if none.
inline constexpr StringLiteral sharedBuffersAttrName = "shared_buffers";

/// One launch that a template fills with code:
///
///   func.func @kernel_0(%x: memref<?xf32>, %y: memref<?xf32>, // operands,
///                                                 // results, workspaces
///                       %n: index,                // the kernel's dims
///                       %scratch: memref<?xi8>,
///                       %begin: index, %end: index)
///       attributes {buffer_bases = array<i64: 0, 0>}
///
/// A buffer begins at its first physical element, in front of the halo. The
/// kernel's ABI function is made from it by the pass atc-cpu-kernel-abi, which
/// also gives `noalias` to buffers that are not shared.
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
