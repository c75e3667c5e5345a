// Settles one layout per tensor of a function.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_KERNEL_LAYOUTASSIGNMENT_H
#define ATC_LIB_PASSES_KERNEL_LAYOUTASSIGNMENT_H

#include "atc/Dialect/Graph/IR/FunctionSizes.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::atc {

/// Assigns layouts to all tensors of a function whose kernels have chosen their
/// candidates, and inserts the relayouts that remain.
class LayoutAssignment {
public:
  LayoutAssignment(func::FuncOp function,
                   const DenseMap<Operation *, KernelCandidate> &chosen)
      : function(function), chosen(chosen), sizes(function) {}

  /// Afterwards every operand and result of a kernel has a type that its
  /// candidate accepts; kernels that change layouts hold a `graph.relayout`
  /// and are listed in `relayoutKernels`.
  LogicalResult run();

  SmallVector<graph::KernelOp> relayoutKernels;

private:
  /// What readers of a value would like, in bytes that need not be copied.
  struct Wish {
    ::atc::PhysicalLayout layout;
    double bytes;
  };

  const KernelCandidate &candidateOf(graph::KernelOp kernel) const {
    return chosen.find(kernel)->second;
  }
  /// Constants, and what is computed from them alone, as a target's
  /// `rewriteAnchor` does: a change of their layout becomes a part of their
  /// recipe and costs no time at run time.
  void collectConstants(Operation *op);
  bool isConstant(Value value) const {
    return constants.contains(value.getDefiningOp());
  }
  void addWish(Value value, const ::atc::PhysicalLayout &layout, double bytes);
  void collectWishes(Operation *op);
  void collectKernelWishes(graph::KernelOp kernel);
  void collectReadingWishes(graph::KernelOp kernel, unsigned index);

  ::atc::PhysicalLayout chooseResult(graph::KernelOp kernel, unsigned index);
  void addHalo(Value value, ::atc::PhysicalLayout &layout);
  bool widenHalo(OpOperand &use, const ::atc::PhysicalLayout &layout,
                 MutableArrayRef<::atc::PhysicalLayout::Halo> halos) const;
  void setLayout(Value value, const ::atc::PhysicalLayout &layout);

  LogicalResult assign(Operation *op);
  LogicalResult assignKernel(graph::KernelOp kernel);
  LogicalResult assignView(Operation *op);
  LogicalResult assignParts(Operation *op);
  LogicalResult assignReturn(func::ReturnOp op);

  /// The value in another layout: by a relayout next to its definition, made
  /// once per layout.
  Value relayout(Value value, const ::atc::PhysicalLayout &layout);

  func::FuncOp function;
  const DenseMap<Operation *, KernelCandidate> &chosen;
  graph::FunctionSizes sizes;
  DenseSet<Operation *> constants;
  DenseMap<Value, SmallVector<Wish>> wishes;
  DenseMap<std::pair<Value, Type>, Value> relayouts;
};

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_KERNEL_LAYOUTASSIGNMENT_H
