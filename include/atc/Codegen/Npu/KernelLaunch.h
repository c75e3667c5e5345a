// The function of one launch of a kernel, and how to fill it.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_NPU_KERNELLAUNCH_H
#define ATC_CODEGEN_NPU_KERNELLAUNCH_H

#include "atc/Codegen/Common/IndexBuilder.h"
#include "atc/Dialect/Npu/IR/Npu.h"
#include "atc/Isa/Device.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::atc::npu {

/// Attribute of a launch's function: the type of core that runs it, by the text
/// of isa::coreTypeName.
inline constexpr StringLiteral coreAttrName = "npu.core";

/// Builds the function of a launch:
///
///   func.func @kernel_0(%x: memref<?xi8, #npu.space<gm>>, // operands
///                       %y: memref<?xi8, #npu.space<gm>>) // results
///       attributes {npu.core = "fused"}
///
/// A buffer begins at its first physical element. Operands of instructions are
/// given as numbers, values or folded expressions.
class KernelLaunch {
public:
  /// Makes the function next to `kernel`, under its name.
  KernelLaunch(func::FuncOp kernel, ::atc::isa::CoreType core);

  OpBuilder &getBuilder() { return builder; }
  IndexBuilder &getIndex() { return index; }
  Location getLoc() const { return loc; }
  /// The buffer of an operand, or of a result behind all operands.
  Value getBuffer(unsigned number) { return function.getArgument(number); }

  /// Makes the loop over this block's part of `tiles` tiles, with the insertion
  /// point inside.
  scf::ForOp createTileLoop(int64_t tiles);
  /// Makes a loop from 0 to `count`, with the insertion point inside.
  scf::ForOp createLoop(OpFoldResult count);
  /// Continues behind a loop.
  void leave(scf::ForOp loop) { builder.setInsertionPointAfter(loop); }
  /// Ends the function.
  void finish();

  /// A buffer of the core.
  Value allocate(::atc::isa::Space space, int64_t bytes, int64_t slots = 1);
  Value address(Value buffer, OpFoldResult offset, Value slot = {});

  /// An instruction: `create<MmadOp>(type, init, dst, a, ...)`.
  template <typename OpT, typename... Args>
  OpT create(Args... args) {
    return OpT::create(builder, loc, toOperand(args)...);
  }

private:
  Value toOperand(OpFoldResult value) { return index.value(value); }
  Value toOperand(Value value) { return value; }
  Value toOperand(int64_t value) { return index.value(value); }
  Value toOperand(int value) { return index.value(int64_t(value)); }
  template <typename T, std::enable_if_t<std::is_enum_v<T>, int> = 0>
  T toOperand(T modifier) {
    return modifier;
  }

  Location loc;
  func::FuncOp function;
  OpBuilder builder;
  IndexBuilder index;
};

} // namespace mlir::atc::npu

#endif // ATC_CODEGEN_NPU_KERNELLAUNCH_H
