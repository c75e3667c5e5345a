// A program of a core from a function of npu, scf and arith ops.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_PROGRAMEMITTER_H
#define ATC_LIB_CODEGEN_NPU_PROGRAMEMITTER_H

#include "atc/Isa/Encoding.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::atc::npu {

/// The instructions of a launch whose buffers have addresses. Buffers in global
/// memory and sizes are loaded from the argument block, in the order of the
/// function's arguments. Fails with a diagnostic at an op that has no
/// instruction.
FailureOr<std::vector<::atc::isa::Instruction>>
emitProgram(func::FuncOp function);

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_PROGRAMEMITTER_H
