// Evaluation of small constants: what shape arithmetic needs.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_FOLDING_H
#define ATC_DIALECT_GRAPH_IR_FOLDING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"

namespace mlir::atc::graph {

/// Largest number of elements that folding computes. Larger constants are
/// recipes, evaluated by compiled code.
inline constexpr int64_t foldLimit = 64;

/// The attribute as numbers or booleans that folding may compute with: a splat
/// of any size or at most `foldLimit` elements. Null otherwise.
DenseElementsAttr getFoldable(Attribute attribute);

/// Folds an elementwise op: identities, and its value where all operands are
/// small constants.
OpFoldResult foldElementwise(Operation *op, ArrayRef<Attribute> operands);

/// Folds an op whose result element at an index is the source element at
/// `sourceIndex(index)`, a row-major position. Splats fold at any size. Null
/// where the result has a dynamic dim or the source is not foldable.
Attribute
foldMovement(Attribute source, Type resultType,
             function_ref<int64_t(ArrayRef<int64_t> index)> sourceIndex);

/// Row-major strides of a static shape.
SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape);

/// Calls `visit` for every index of a static shape, last dim fastest.
void forEachIndex(ArrayRef<int64_t> shape,
                  function_ref<void(ArrayRef<int64_t> index)> visit);

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_FOLDING_H
