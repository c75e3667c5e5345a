// Sizes of the tensors of a kernel as expressions of its dims.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_GRAPH_IR_KERNELSIZES_H
#define ATC_DIALECT_GRAPH_IR_KERNELSIZES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::atc::graph {

/// Attribute of the function that a kernel was outlined to: the kernel's
/// `shapes`. Ops in it that have open results say their sizes in
/// GraphDialect::getSizesAttrName(), a map per result.
inline constexpr StringLiteral shapesAttrName = "graph.shapes";

/// The sizes of a tensor inside of a `graph.kernel`, or of the function that it
/// was outlined to, e.g. `()[s0, s1] -> (s0, 12, s1)`: one symbol per dim
/// operand of the kernel, equal expressions are equal sizes. Nullopt where the
/// IR does not tell them.
std::optional<AffineMap> getKernelSizes(Value tensor);

/// The number of dim operands of the kernel that `tensor` is in.
unsigned getKernelDimCount(Value tensor);

/// Whether two tensors of a kernel are known to have the same shape, also at
/// run time.
bool haveSameKernelSizes(Value lhs, Value rhs);

} // namespace mlir::atc::graph

#endif // ATC_DIALECT_GRAPH_IR_KERNELSIZES_H
