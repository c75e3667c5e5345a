// A group of elementwise ops as loops over rows of elements.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_VECTORPROBLEM_H
#define ATC_LIB_CODEGEN_NPU_VECTORPROBLEM_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Isa/Device.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::atc::npu {

/// A tensor in global memory: an operand that the region reads, or a value that
/// it yields.
struct VectorTensor {
  Value value;
  ::atc::isa::DataType type;
  /// Elements between neighbours along each loop; 0 where it broadcasts.
  SmallVector<int64_t> strides;

  int64_t elementBytes() const { return byteSize(type); }
};

/// Loops over the elements of the result. `run` elements follow each other in
/// every tensor; `rows` such runs are one loop, and the rest are `outer` loops,
/// slowest first. `strides` of tensors are in this order: outer loops, rows.
struct VectorProblem {
  /// In order; without constants and without ops that only move elements.
  SmallVector<Operation *> ops;
  SmallVector<VectorTensor> inputs, outputs;
  SmallVector<int64_t> outer;
  int64_t rows = 1, run = 1;
  /// What values are computed in: f32, or f16 where one op alone rounds.
  ::atc::isa::DataType computeType = ::atc::isa::DataType::F32;

  /// The distances of the dims of a block argument, and of a yielded value by
  /// its number.
  using ArgumentStrides = llvm::function_ref<SmallVector<int64_t>(Value)>;
  using ResultStrides = llvm::function_ref<SmallVector<int64_t>(unsigned)>;
  /// Analyzes a region of elementwise ops, casts and layout changes.
  static std::optional<VectorProblem> analyze(Block &block,
                                              ArgumentStrides argumentStrides,
                                              ResultStrides resultStrides,
                                              std::string &reason);
};

/// Which temporary, each one tile of the compute type, holds which value. A
/// temporary is free for another value behind the last use.
struct TemporaryPlan {
  llvm::DenseMap<Value, unsigned> temporaryOf;
  /// Where a value is rounded before it is widened again.
  llvm::DenseMap<Operation *, unsigned> roundingOf;
  /// What an op needs while it runs besides its operands and its result.
  llvm::DenseMap<Operation *, SmallVector<unsigned, 3>> scratchOf;
  unsigned count = 0;

  explicit TemporaryPlan(const VectorProblem &problem);
};

/// Whether a cast's result is used on inside the region, so that it must be
/// rounded there.
bool roundsInside(Operation *op, ::atc::isa::DataType computeType);

/// Whether the vector unit computes `op`; `reason` tells why not.
bool isVectorOp(Operation *op, std::string &reason);

/// What `value` is a renaming of: layout changes move no element between
/// logical indices.
Value lookThroughLayouts(Value value);

/// The number that all elements of a constant inside a kernel have.
std::optional<APFloat> getSplat(Value value);

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_VECTORPROBLEM_H
