// What the instructions of a program name: ports, sizes, buffers, views.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_MEMORY_PROGRAMMEMORY_H
#define ATC_LIB_PASSES_MEMORY_PROGRAMMEMORY_H

#include "StorageAssignment.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::atc {

/// Makes ports, scalars, buffers and views of the program of a function whose
/// tensors have places. Ports come first, then all scalars; buffers and views
/// are made where they are first needed, equal ones once.
class ProgramMemory {
public:
  /// Inserts with `builder`, which the caller's instructions use too.
  ProgramMemory(func::FuncOp function, StorageAssignment &assignment,
                OpBuilder &builder);

  /// Ports, and the scalars and checks of the function.
  LogicalResult begin();
  void finish(plan::ProgramOp program);

  Value getView(const Place &place, const SizedTensor &tensor) {
    return getView(place, tensor, getViewType(place, tensor));
  }
  /// As getView, for writing: zeroes the storage's halo before its first use.
  Value getWrittenView(const Place &place, const SizedTensor &tensor);

  /// A size as an attribute where it is a number, else as a scalar.
  OpFoldResult getNumber(SizeExpr size) { return sizes.build(size); }
  Value getValue(SizeExpr size) { return sizes.buildValue(size); }

private:
  Value getView(const Place &place, const SizedTensor &tensor,
                plan::ViewType type);
  void createInputs();
  void createDims(plan::InputOp port, unsigned argument);
  void createOutputs();
  LogicalResult cloneScalar(Operation &op);
  Value getBuffer(unsigned storage);
  /// The values of those expressions that are no numbers.
  SmallVector<Value> getOpen(ArrayRef<SizeExpr> expressions);

  func::FuncOp function;
  StorageAssignment &assignment;
  OpBuilder &builder;
  /// Inserts behind the inputs, before all that uses sizes.
  OpBuilder scalarBuilder;
  graph::SizeBuilder sizes;
  /// By argument and axis: the open dims of inputs.
  DenseMap<std::pair<unsigned, unsigned>, Value> dims;
  /// Scalars of the function that were cloned.
  IRMapping scalars;
  DenseMap<unsigned, Value> buffers;
  DenseMap<Attribute, Value> constants;
  /// By storage and type; few differ in offset or operands alone.
  DenseMap<std::pair<unsigned, Type>, SmallVector<plan::ViewOp, 1>> views;
  DenseSet<unsigned> written;
};

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_MEMORY_PROGRAMMEMORY_H
