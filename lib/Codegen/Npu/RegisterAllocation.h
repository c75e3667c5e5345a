// Scalar registers for the index values of a kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_REGISTERALLOCATION_H
#define ATC_LIB_CODEGEN_NPU_REGISTERALLOCATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::atc::npu {

/// Registers of values. Constants that fit an immediate have none, nor have
/// buffers of the core; a loop's result shares the register of its iteration
/// argument.
class RegisterAllocation {
public:
  /// Linear scan over the ops in program order. Fails with a diagnostic if more
  /// values live at once than the core has registers; the last two registers
  /// are left for the emitter.
  static FailureOr<RegisterAllocation> compute(func::FuncOp function);

  bool hasRegister(Value value) const { return registers.contains(value); }
  unsigned getRegister(Value value) const { return registers.at(value); }
  static unsigned getScratch(unsigned number);

private:
  llvm::DenseMap<Value, unsigned> registers;
};

/// The constant that `value` is, if it fits an immediate.
std::optional<int32_t> getImmediate(Value value);

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_REGISTERALLOCATION_H
