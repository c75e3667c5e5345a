// Moves kernels into modules of their own, equal ones once.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Dialect/Graph/IR/KernelSizes.h"
#include "atc/Dialect/Graph/IR/Saturation.h"
#include "atc/Dialect/Plan/IR/KernelStrides.h"
#include "atc/Passes/Kernel/Passes.h"
#include "atc/Target/Services.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::atc {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "atc/Passes/Kernel/Passes.h.inc"
} // namespace mlir::atc

using namespace mlir;
using namespace mlir::atc;

namespace {

/// The op that a kernel is named after in profiles: the first that is more than
/// elementwise, else the last of all.
StringRef anchorName(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator())
    if (!isa<graph::ScalarBodyInterface, graph::ConstantOp>(op))
      return op.getName().stripDialect();
  return body.getTerminator()->getPrevNode()->getName().stripDialect();
}

/// Whether tensors of the function share memory by parts.
bool hasParts(func::FuncOp function) {
  return llvm::any_of(function.getOps(), [](Operation &op) {
    return isa<graph::ConcatOp, graph::SliceOp>(op);
  });
}

class KernelOutliner {
public:
  /// `target` is only asked where tensors share memory by parts.
  KernelOutliner(ModuleOp module, const Target *target)
      : module(module), target(target), symbols(module),
        builder(module.getContext()) {}

  LogicalResult outline(graph::KernelOp kernel) {
    if (!kernel.getConfigAttr())
      return kernel.emitOpError("has no configuration; run select first");
    OwningOpRef<ModuleOp> candidate = build(kernel);
    std::string text = print(*candidate);
    auto [entry, isNew] = known.try_emplace(text, StringAttr());
    if (isNew) {
      entry->second = addKernel(std::move(candidate), kernel);
      ++numKernels;
    }
    builder.setInsertionPoint(kernel);
    auto launch = graph::LaunchOp::create(builder, kernel.getLoc(),
                                          kernel.getResultTypes(),
                                          FlatSymbolRefAttr::get(entry->second),
                                          kernel.getArgs(), kernel.getDims());
    kernel.replaceAllUsesWith(launch.getResults());
    kernel.erase();
    ++numLaunches;
    return success();
  }

  unsigned numKernels = 0, numLaunches = 0;

private:
  /// A module with one function of the kernel's body. Its name is neutral, so
  /// that equal kernels print equally.
  OwningOpRef<ModuleOp> build(graph::KernelOp kernel) {
    OwningOpRef<ModuleOp> nested = ModuleOp::create(kernel.getLoc(), "kernel");
    builder.setInsertionPointToEnd(nested->getBody());
    Block &body = kernel.getBody().front();
    auto type = builder.getFunctionType(body.getArgumentTypes(),
                                        kernel.getResultTypes());
    auto function =
        func::FuncOp::create(builder, kernel.getLoc(), "kernel", type);
    function->setAttr("graph.config", kernel.getConfigAttr());
    if (ArrayAttr shapes = kernel.getShapesAttr())
      function->setAttr(graph::shapesAttrName, shapes);
    SmallVector<Operation *> ops = llvm::map_to_vector(
        body.without_terminator(), [](Operation &op) { return &op; });
    if (target && !target->kernelFollowsPitch(ops))
      requireOwnStrides(function);
    // On the module, where they outlive the lowering of the function.
    (*nested)->setAttr("graph.anchor",
                       builder.getStringAttr(anchorName(kernel)));
    (*nested)->setAttr("graph.template",
                       kernel.getConfigAttr().getTemplateName());
    auto caller = kernel->getParentOfType<func::FuncOp>();
    if (Attribute saturates = caller->getAttr(graph::saturatesFloat16AttrName))
      (*nested)->setAttr(graph::saturatesFloat16AttrName, saturates);
    IRMapping mapping;
    kernel.getBody().cloneInto(&function.getBody(), mapping);
    Operation *yield = function.front().getTerminator();
    builder.setInsertionPoint(yield);
    func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
    yield->erase();
    return nested;
  }

  static void requireOwnStrides(func::FuncOp function) {
    auto unit = UnitAttr::get(function.getContext());
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (isa<RankedTensorType>(function.getArgumentTypes()[i]))
        function.setArgAttr(i, plan::exactAttrName, unit);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.setResultAttr(i, plan::exactAttrName, unit);
  }

  static std::string print(ModuleOp nested) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    nested->print(stream, OpPrintingFlags().useLocalScope());
    return text;
  }

  StringAttr addKernel(OwningOpRef<ModuleOp> nested, graph::KernelOp kernel) {
    std::string name = llvm::formatv(
        "{0}_{1}", kernel.getConfigAttr().getTemplateName().getValue(),
        numKernels);
    auto function = *nested->getOps<func::FuncOp>().begin();
    function.setName(name);
    nested->setName(name);
    // Kernels stand before the functions that launch them.
    return symbols.insert(nested.release(), module.getBody()->begin());
  }

  ModuleOp module;
  const Target *target;
  SymbolTable symbols;
  OpBuilder builder;
  llvm::StringMap<StringAttr> known;
};

struct OutlineKernels
    : mlir::atc::impl::OutlineKernelsPassBase<OutlineKernels> {
  using Base::Base;

  void runOnOperation() override {
    const Target *target = nullptr;
    if (llvm::any_of(getOperation().getOps<func::FuncOp>(), hasParts)) {
      target = Services::getTarget(getOperation());
      if (!target)
        return signalPassFailure();
    }
    KernelOutliner outliner(getOperation(), target);
    for (func::FuncOp function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      for (graph::KernelOp kernel :
           llvm::make_early_inc_range(function.getOps<graph::KernelOp>()))
        if (failed(outliner.outline(kernel)))
          return signalPassFailure();
    numKernels += outliner.numKernels;
    numLaunches += outliner.numLaunches;
  }
};

} // namespace
