// Transposes a square of vectors in registers.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_VECTORTRANSPOSE_H
#define ATC_CODEGEN_CPU_VECTORTRANSPOSE_H

#include "mlir/IR/Builders.h"

namespace mlir::atc::cpu {

/// `rows` are n vectors of n lanes, n a power of two; lane j of result i is
/// lane i of row j. Takes log2(n) rounds; each swaps blocks of 1, 2, 4, ...
/// lanes between pairs of rows.
SmallVector<Value> transposeVectors(OpBuilder &builder, Location loc,
                                    ArrayRef<Value> rows);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_VECTORTRANSPOSE_H
