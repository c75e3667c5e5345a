// Ops as they stand in kernels, where sizes stand beside them.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_KERNEL_KERNELFORM_H
#define ATC_LIB_PASSES_KERNEL_KERNELFORM_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::atc {

/// Whether operands of the op only tell the sizes of its result, which a kernel
/// knows without them.
bool changesInKernel(Operation *op);

/// Whether the operand is one of these.
bool tellsSizes(OpOperand &use);

/// The op as it stands in a kernel: without the operands that tell sizes. Its
/// results are mapped.
Operation *cloneForKernel(OpBuilder &builder, Operation *op,
                          IRMapping &mapping);

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_KERNEL_KERNELFORM_H
