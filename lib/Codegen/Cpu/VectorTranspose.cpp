// Transposes a square of vectors in registers.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/VectorTranspose.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

SmallVector<Value> mlir::atc::cpu::transposeVectors(OpBuilder &builder,
                                                    Location loc,
                                                    ArrayRef<Value> rows) {
  int64_t count = rows.size();
  SmallVector<Value> current(rows);
  for (int64_t block = count / 2; block >= 1; block /= 2) {
    SmallVector<Value> next(count);
    for (int64_t row = 0; row < count; ++row) {
      if (row & block)
        continue;
      // The upper row keeps its blocks at even positions and takes those of the
      // lower row in place of the others; the lower row the other way round.
      SmallVector<int64_t> upper, lower;
      for (int64_t lane = 0; lane < count; ++lane) {
        bool isEven = (lane & block) == 0;
        upper.push_back(isEven ? lane : count + lane - block);
        lower.push_back(isEven ? lane + block : count + lane);
      }
      Value first = current[row], second = current[row + block];
      next[row] = vector::ShuffleOp::create(builder, loc, first, second, upper);
      next[row + block] =
          vector::ShuffleOp::create(builder, loc, first, second, lower);
    }
    current = std::move(next);
  }
  return current;
}
