// A kernel region around one anchor op: what stands before it, what follows.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_ANCHOREDKERNEL_H
#define ATC_CODEGEN_CPU_ANCHOREDKERNEL_H

#include "atc/Codegen/Cpu/KernelLaunch.h"
#include "atc/Dialect/Graph/IR/Graph.h"

namespace mlir::atc::cpu {

/// A region with exactly one op that is not pointwise, the anchor; every result
/// of the region follows from the anchor's result element by element.
struct AnchoredKernel {
  Operation *anchor = nullptr;
  Block *block = nullptr;

  /// Matches a region whose anchor is `anchorName`; `reason` tells why a
  /// region with such an op does not have the form.
  static std::optional<AnchoredKernel> match(Block &block, StringRef anchorName,
                                             std::string &reason);
  template <typename OpT>
  static std::optional<AnchoredKernel> match(Block &block,
                                             std::string &reason) {
    return match(block, OpT::getOperationName(), reason);
  }

  OperandRange yielded() const { return block->getTerminator()->getOperands(); }
  /// The number of the region's argument that `tensor` is.
  std::optional<unsigned> argumentNumber(Value tensor) const;
};

/// The view of an anchor's operand: an argument's, or what transposes,
/// reshapes, slices and expands of one make of it where strides can say so.
std::optional<TensorView> resolveView(KernelLaunch &launch, Value tensor);

/// The same before there is a launch, from types alone: no view where
/// resolveView will find none. With dynamic shapes only the innermost stride is
/// told, others read as 0.
std::optional<TensorView> describeView(Value tensor);

/// Stores what a kernel yields as its anchor's result comes into being.
class AnchoredStore {
public:
  AnchoredStore(KernelLaunch &launch, const AnchoredKernel &kernel)
      : launch(launch), kernel(kernel) {}

  /// `elements` (of the compute type) are those of the anchor's result at
  /// `point`.
  void store(const VectorPoint &point, Value elements);

  /// Brings cache lines closer: those that the elements at `point` will go to
  /// and those of operands of the same shape. Regions that move elements are
  /// left alone.
  void prefetch(ArrayRef<OpFoldResult> point);

  /// Fails if any store did; the diagnostic is already emitted.
  LogicalResult result() const { return success(!hasFailed); }

private:
  KernelLaunch &launch;
  const AnchoredKernel &kernel;
  bool hasFailed = false;
};

/// The size of a dim as an expression of the kernel's dims; fails where the
/// kernel does not tell.
FailureOr<AffineExpr> sizeExpression(Value tensor, unsigned dim);

/// Whether a region operand is computed at compile time, so that its layout is
/// free: a weight or a constant.
bool isConstantOperand(graph::KernelOp kernel, unsigned operand);

/// Tells the shape of a static operand in the kernel's `shapes`, if it has
/// them: after the operand was exchanged.
void tellOperandShape(graph::KernelOp kernel, unsigned operand);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_ANCHOREDKERNEL_H
