// Kernels for operands and results with other strides than their layouts'.
// SPDX-License-Identifier: Apache-2.0
#include "KernelClones.h"
#include "atc/Dialect/Plan/IR/KernelStrides.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::atc;

/// A key for uniquing: the kernel's name and all strides, units for null.
static Attribute makeKey(FlatSymbolRefAttr kernel,
                         ArrayRef<DenseI64ArrayAttr> arguments,
                         ArrayRef<DenseI64ArrayAttr> results) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> parts{kernel};
  for (ArrayRef<DenseI64ArrayAttr> group : {arguments, results})
    for (DenseI64ArrayAttr strides : group)
      parts.push_back(strides ? Attribute(strides)
                              : Attribute(UnitAttr::get(context)));
  return ArrayAttr::get(context, parts);
}

FlatSymbolRefAttr KernelClones::get(FlatSymbolRefAttr kernel,
                                    ArrayRef<DenseI64ArrayAttr> arguments,
                                    ArrayRef<DenseI64ArrayAttr> results) {
  auto isNull = [](DenseI64ArrayAttr strides) { return !strides; };
  if (llvm::all_of(arguments, isNull) && llvm::all_of(results, isNull))
    return kernel;
  FlatSymbolRefAttr &entry = clones[makeKey(kernel, arguments, results)];
  if (entry)
    return entry;

  originals.insert(kernel.getAttr());
  auto original = symbols.lookup<ModuleOp>(kernel.getAttr());
  ModuleOp clone = original.clone();
  auto function = clone.lookupSymbol<func::FuncOp>(kernel.getAttr());
  for (auto [index, strides] : llvm::enumerate(arguments))
    if (strides)
      function.setArgAttr(index, plan::stridesAttrName, strides);
  for (auto [index, strides] : llvm::enumerate(results))
    if (strides)
      function.setResultAttr(index, plan::stridesAttrName, strides);
  clone.setName((kernel.getValue() + "_pitched").str());
  StringAttr name = symbols.insert(clone, Block::iterator(original));
  function.setName(name.getValue());
  return entry = FlatSymbolRefAttr::get(name);
}

void KernelClones::eraseUnused(ArrayRef<plan::ProgramOp> programs) {
  DenseSet<StringAttr> launched;
  for (plan::ProgramOp program : programs)
    program->walk([&](plan::LaunchOp launch) {
      launched.insert(launch.getKernelAttr().getAttr());
    });
  for (StringAttr name : originals)
    if (!launched.contains(name))
      symbols.erase(symbols.lookup(name));
}
