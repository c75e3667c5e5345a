// Builds the tables of a plan.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_PLANTRANSLATOR_H
#define ATC_LIB_DRIVER_PLANTRANSLATOR_H

#include "PlanScalars.h"
#include "PlanTranslation.h"
#include "atc/Dialect/Plan/IR/Plan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::atc {

/// Builds the tables of a plan while it walks the program in order.
class PlanTranslator {
public:
  PlanTranslator(plan::ProgramOp program, const WeightLayout &weights,
                 ArrayRef<CodeImage> images)
      : program(program), weights(weights), images(images),
        scalars(plan.registerCount) {}

  LogicalResult translate();

  ::atc::Plan plan;

private:
  LogicalResult translateBlock(Block &block);
  LogicalResult translateOp(Operation *op);

  // Buffers and views.
  LogicalResult addBuffer(Operation *op, Value result,
                          ::atc::PlanBuffer buffer);
  /// `port` is a plan.input or plan.output, whose open dims are `sizes`; its
  /// port is appended to `ports`.
  template <typename PortOp>
  LogicalResult addPort(PortOp port, ArrayRef<::atc::PlanInt> sizes,
                        ::atc::BufferSpace space,
                        std::vector<::atc::PlanPort> &ports);
  /// The registers of an input's open dims, in order. Each has one plan.dim.
  FailureOr<SmallVector<::atc::PlanInt>> getOpenDims(plan::InputOp port);
  /// The product, computed before the body.
  ::atc::PlanInt multiply(::atc::PlanInt lhs, ::atc::PlanInt rhs);
  LogicalResult addInput(plan::InputOp port);
  LogicalResult addOutput(plan::OutputOp port);
  LogicalResult addConstant(Operation *op, Value result, Attribute constant);
  LogicalResult addArena(plan::ArenaOp arena);
  LogicalResult addVariable(plan::VariableOp variable);
  FailureOr<uint32_t> addView(Operation *op, uint32_t buffer,
                              plan::ViewType type, ::atc::PlanInt offset,
                              std::vector<::atc::PlanView::Dim> dims);
  LogicalResult addView(plan::ViewOp view);
  uint32_t addLayout(graph::LayoutAttr layout);

  // Instructions.
  void append(Operation *op, ::atc::PlanOperation operation);
  /// The view's index; extends the life of its buffer to the next instruction.
  uint32_t useView(Value view);
  void useBuffer(uint32_t buffer);
  /// Operands of `op`. Views that it writes are named after its last node.
  std::vector<::atc::PlanOperand> getOperands(Operation *op, ValueRange views,
                                              ArrayRef<int32_t> accesses);
  std::vector<::atc::PlanInt> getScalars(ValueRange values);
  LogicalResult addLaunch(plan::LaunchOp launch);
  FailureOr<uint32_t> getKernel(plan::LaunchOp launch);
  LogicalResult addHostCall(plan::HostCallOp call);
  LogicalResult addScalar(Operation *op);
  LogicalResult addIf(scf::IfOp ifOp);
  LogicalResult addWhile(scf::WhileOp whileOp);
  /// Sets registers at once, as if all sources were read first.
  void moveScalars(Operation *op, ValueRange sources, ValueRange targets);

  plan::ProgramOp program;
  const WeightLayout &weights;
  ArrayRef<CodeImage> images;
  PlanScalars scalars;
  DenseMap<Value, uint32_t> buffers, views;
  DenseMap<Attribute, uint32_t> layouts, kernels, hostOps, symbols;
  /// The first instruction of each loop that is open, and how many buffers
  /// existed before it.
  struct OpenLoop {
    uint32_t begin;
    size_t bufferCount;
  };
  SmallVector<OpenLoop> loops;
  llvm::BitVector isUsed;
};

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_PLANTRANSLATOR_H
