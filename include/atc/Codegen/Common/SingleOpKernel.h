// A kernel of one op, to ask templates about the op.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_COMMON_SINGLEOPKERNEL_H
#define ATC_CODEGEN_COMMON_SINGLEOPKERNEL_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::atc {

/// A kernel with nothing but `op`, outside of any block. Embedded constants
/// (graph::isEmbeddedConstant) come along, as in fusion. The kernel's operands
/// are values of the function that holds `op`; it must not outlive them.
OwningOpRef<graph::KernelOp> createSingleOpKernel(Operation *op);

} // namespace mlir::atc

#endif // ATC_CODEGEN_COMMON_SINGLEOPKERNEL_H
