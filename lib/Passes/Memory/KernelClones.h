// Kernels for operands and results with other strides than their layouts'.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_MEMORY_KERNELCLONES_H
#define ATC_LIB_PASSES_MEMORY_KERNELCLONES_H

#include "atc/Dialect/Plan/IR/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::atc {

/// Clones outlined kernels of a module on demand, once per kernel and strides.
class KernelClones {
public:
  /// `symbols` is that of the module and learns of the clones.
  explicit KernelClones(SymbolTable &symbols) : symbols(symbols) {}

  /// The kernel to launch with these strides, one entry per argument and
  /// result; null entries stand for the type's own. All null: the kernel
  /// itself.
  FlatSymbolRefAttr get(FlatSymbolRefAttr kernel,
                        ArrayRef<DenseI64ArrayAttr> arguments,
                        ArrayRef<DenseI64ArrayAttr> results);

  /// Erases kernels that have clones and are not launched themselves.
  void eraseUnused(ArrayRef<plan::ProgramOp> programs);

  unsigned getNumClones() const { return clones.size(); }

private:
  SymbolTable &symbols;
  DenseMap<Attribute, FlatSymbolRefAttr> clones;
  llvm::SetVector<StringAttr> originals;
};

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_MEMORY_KERNELCLONES_H
