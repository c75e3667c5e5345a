// Builds the instructions of a group of elementwise ops.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_VECTORLOWERING_H
#define ATC_LIB_CODEGEN_NPU_VECTORLOWERING_H

#include "VectorTiling.h"
#include "atc/Codegen/Npu/KernelLaunch.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::atc::npu {

/// Fills a launch:
///
///   for each tile of this block
///     rows of all operands: global memory -> UB
///     one instruction after the other on the whole tile
///     rows of all results: UB -> global memory
class VectorLowering {
public:
  VectorLowering(KernelLaunch &launch, const VectorProblem &problem,
                 const VectorTiling &tiling);

  /// `inputs` are the numbers of the operands' buffers; results follow behind
  /// `firstOutput`.
  void build(ArrayRef<unsigned> inputs, unsigned firstOutput);

private:
  /// A value in UB: a tile, or one block that stands for a whole tile.
  struct Place {
    Value buffer;
    Value slot;
    ::atc::isa::DataType type;
    bool isScalar = false;
  };

  void prepareConstants();
  void clear(Value buffer, int64_t slots, ::atc::isa::DataType type);
  void load(const VectorTensor &tensor, Value source, Value target);
  void store(const VectorTensor &tensor, const Place &source, Value target);
  void convertInputs();
  void compute(Operation *op);
  void finishOutput(const VectorTensor &tensor, unsigned number,
                    unsigned firstOutput);

  Place placeOf(Value value);
  Place temporary(unsigned number) {
    return {temporaries[number], Value(), problem.computeType};
  }
  void computeCast(Operation *op);

  // Instructions on a whole tile.
  void unary(::atc::isa::UnaryFunction function, const Place &dst,
             const Place &src);
  void binary(::atc::isa::BinaryFunction function, const Place &dst,
              const Place &a, const Place &b);
  void scalar(::atc::isa::ScalarFunction function, const Place &dst,
              const Place &src, double number);
  void cast(const Place &dst, const Place &src);

  // Functions that are several instructions. `scratch` are three tiles; `src`
  // may be the first of them.
  void sigmoid(const Place &dst, const Place &src);
  void tanh(const Place &dst, const Place &src, ArrayRef<Place> scratch);
  void erf(const Place &dst, const Place &src, ArrayRef<Place> scratch);
  void gelu(const Place &dst, const Place &src, ArrayRef<Place> scratch,
            bool usesTanh);
  void polynomial(const Place &dst, const Place &x, ArrayRef<double> terms);
  struct OddRational;
  void oddRational(const Place &dst, const Place &src, ArrayRef<Place> scratch,
                   const OddRational &function);
  /// Calls body(first element, repeats) for runs of at most 255 repeats.
  void forEachRun(int64_t lanes,
                  llvm::function_ref<void(int64_t, int64_t)> body);
  Value address(const Place &place, int64_t element);
  /// Blocks from one repeat of `lanes` lanes to the next.
  static int64_t repeatStride(const Place &place, int64_t lanes);
  /// The bits of a number in a type.
  static int64_t bitsOf(double number, ::atc::isa::DataType type);

  KernelLaunch &launch;
  IndexBuilder &index;
  const VectorProblem &problem;
  const VectorTiling &tiling;

  Value slot;
  OpFoldResult tileRows, tileRun;
  /// First element of the tile along outer loops, rows and run.
  SmallVector<OpFoldResult> tileOuter;
  OpFoldResult firstRow, firstElement;
  SmallVector<Value> inputBuffers, outputBuffers, temporaries;
  TemporaryPlan temporaryPlan;
  llvm::DenseMap<Value, Place> places;
  llvm::DenseMap<Value, Place> constants;
};

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_VECTORLOWERING_H
