// The arithmetic that a kernel stands for.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_MEMORY_OPERATIONCOUNT_H
#define ATC_LIB_PASSES_MEMORY_OPERATIONCOUNT_H

#include "atc/Dialect/Graph/IR/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::atc {

/// Operations of an outlined kernel whose dims are `dims`, as its ops define
/// them: a multiply-add counts two, any other function of one element one,
/// movement nothing. A faster method, such as Winograd's, does not change the
/// count.
graph::SizeExpr countOperations(func::FuncOp kernel,
                                ArrayRef<graph::SizeExpr> dims,
                                graph::SizeContext &context);

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_MEMORY_OPERATIONCOUNT_H
