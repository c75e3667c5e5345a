// How the order of dims in memory carries over from operands to results.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_KERNEL_DIMORDER_H
#define ATC_LIB_PASSES_KERNEL_DIMORDER_H

#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Support/PhysicalLayout.h"
#include <optional>

namespace mlir::atc {

/// The layout in which an op likes to read `use` when it writes its result in
/// `result`: elements that lie side by side there lie side by side here.
/// nullopt where no order does, as for an op that mixes dims, for indices and
/// for the other operands that are not the result's data.
std::optional<::atc::PhysicalLayout>
orderBefore(OpOperand &use, const ::atc::PhysicalLayout &result);

/// The same the other way: the layout that a result likes whose operand `use`
/// lies in `operand`.
std::optional<::atc::PhysicalLayout>
orderBehind(OpOperand &use, const ::atc::PhysicalLayout &operand);

/// The layouts in which a kernel likes to read its tensor arguments when it
/// writes result `index` in `result`, nullopt where that does not matter or is
/// not known.
SmallVector<std::optional<::atc::PhysicalLayout>>
ordersBefore(graph::KernelOp kernel, unsigned index,
             const ::atc::PhysicalLayout &result);

/// The layouts that result `index` of a kernel likes whose tensor arguments lie
/// in `arguments`, each once; nullopt stands for an argument without a say.
SmallVector<::atc::PhysicalLayout>
ordersBehind(graph::KernelOp kernel, unsigned index,
             ArrayRef<std::optional<::atc::PhysicalLayout>> arguments);

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_KERNEL_DIMORDER_H
