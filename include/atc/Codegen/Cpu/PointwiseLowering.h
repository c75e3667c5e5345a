// The code of pointwise kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_POINTWISELOWERING_H
#define ATC_CODEGEN_CPU_POINTWISELOWERING_H

#include "atc/Codegen/Cpu/PointwisePlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::atc::cpu {

/// Makes the launch of a kernel as its configuration says.
LogicalResult lowerPointwise(func::FuncOp kernel, const PointwiseNest &nest,
                             const CpuDescription &cpu);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_POINTWISELOWERING_H
