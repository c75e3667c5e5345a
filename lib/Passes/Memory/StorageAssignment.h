// Gives every tensor of a function a place in some storage.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_MEMORY_STORAGEASSIGNMENT_H
#define ATC_LIB_PASSES_MEMORY_STORAGEASSIGNMENT_H

#include "Place.h"
#include "atc/Dialect/Graph/IR/SizeAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::atc {

/// Bytes that tensors share: by lifetime inside the arena, or because one is a
/// part of another.
struct Storage {
  plan::Space space = plan::Space::Arena;
  SizeExpr bytes = 0;
  /// Of an input or output.
  int64_t port = -1;
  /// A weight's symbol or a constant's value.
  Attribute constant;
  /// The tensor that the storage was made for; its halo is zeroed before the
  /// first write.
  Place ownerPlace;
  SizedTensor owner;
};

/// Decides, for a function of launches and ops that rename elements, which
/// tensors share memory:
///
/// - a returned tensor is computed in its output's memory;
/// - the operands of a concat are computed in slices of its result;
/// - a result overwrites an operand that nobody needs any more, where the
///   kernel's configuration allows it;
/// - reshapes, transposes and slices are other views of their operand.
///
/// What cannot be had that way is a copy: a tensor whose place is not the one
/// that its consumer or its definition implies. Places are decided backwards,
/// because where a tensor should lie is known by its readers.
///
/// Sizes may be open: then offsets, strides and bytes are expressions of input
/// dims, and memory is shared where that is right for all sizes.
class StorageAssignment {
public:
  /// `symbols` is that of the function's module and outlives the object.
  StorageAssignment(func::FuncOp function, const SymbolTable &symbols);

  LogicalResult run();

  /// The function of an outlined kernel, from a launch of it.
  func::FuncOp getKernelFunction(graph::LaunchOp launch) const;
  graph::SizeContext &getSizeContext() { return sizes.getContext(); }
  /// A tensor of the function with its sizes.
  SizedTensor getTensor(Value value) const;

  const Place &getPlace(Value value) const {
    return places.find(value)->second;
  }
  ArrayRef<Storage> getStorages() const { return storages; }
  /// An own storage for one more tensor.
  FailureOr<Place> addStorage(const SizedTensor &tensor, Location loc,
                              plan::Space space = plan::Space::Arena);
  /// The storage of the output that result `index` of the function leaves by.
  Place getOutputPlace(unsigned index) const;
  /// The slice of the concat's result that holds operand `index`.
  std::optional<Place> getSlot(graph::ConcatOp concat, const Place &result,
                               unsigned index) const;
  /// Where the result of a reshape, transpose or slice lies if its operand
  /// lies at `operand`; nullopt where elements would have to move.
  std::optional<Place> deriveView(Operation *op, const Place &operand) const;

private:
  static constexpr unsigned never = ~0u;

  /// Whether the op is a copy wherever its operand lies as its layout says.
  bool isCopied(Operation *op) const;

  Value getRoot(Value value) const;
  void numberUses();
  LogicalResult checkTypes();
  LogicalResult addPorts();
  LogicalResult assignBackwards(Operation *op);
  LogicalResult assignForwards(Operation *op);
  void shareWithOperands(graph::LaunchOp launch);
  bool mayOverwrite(graph::LaunchOp launch, unsigned result, unsigned operand);
  bool needsOwnStrides(OpOperand &use, const Place &place) const;
  bool writesOwnStrides(OpResult result, const Place &place) const;
  bool readersFollow(Value value, const Place &place) const;
  bool tryPlace(Value value, Place place, unsigned overwriter);

  func::FuncOp function;
  const SymbolTable &symbols;
  graph::SizeAnalysis sizes;
  SmallVector<Storage, 0> storages;
  SmallVector<unsigned> outputStorages;
  DenseMap<Value, Place> places;
  DenseMap<Operation *, unsigned> order;
  /// By root: the last op that reads the tensor or a view of it.
  DenseMap<Value, unsigned> lastUse;
  /// By value: the op that overwrites its place; `never` or absent if none
  /// does.
  DenseMap<Value, unsigned> overwrittenAt;
};

/// Reshapes, transposes and slices.
bool isViewOp(Operation *op);

/// Ops that compute sizes and what is checked of them, not tensors.
bool isScalarOp(Operation *op);

/// Whether an operand's elements are read; not those of a reshape's shape,
/// which the result's sizes tell.
bool readsElements(OpOperand &use);

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_MEMORY_STORAGEASSIGNMENT_H
