// Strides that the plan gives to the operands and results of a kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DIALECT_PLAN_IR_KERNELSTRIDES_H
#define ATC_DIALECT_PLAN_IR_KERNELSTRIDES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::atc::plan {

/// Attribute of an argument or result of an outlined kernel's function: the
/// strides, in elements, of a tensor that lies inside a larger one (a slice, or
/// an operand of a concat). Order of dims and halo are still those of the
/// type's layout; only the distances differ.
inline constexpr StringLiteral stridesAttrName = "plan.strides";

/// Unit attribute of an argument or result that only accepts the strides of its
/// type's layout.
inline constexpr StringLiteral exactAttrName = "plan.exact";

/// The strides that the plan gave to a tensor; empty for those of its layout.
ArrayRef<int64_t> getGivenArgumentStrides(FunctionOpInterface kernel,
                                          unsigned index);
ArrayRef<int64_t> getGivenResultStrides(FunctionOpInterface kernel,
                                        unsigned index);

/// Strides of each dim of a strided tensor: those that the plan gave, else
/// those of the type's layout. Static shapes.
SmallVector<int64_t> getArgumentStrides(FunctionOpInterface kernel,
                                        unsigned index);
SmallVector<int64_t> getResultStrides(FunctionOpInterface kernel,
                                      unsigned index);

} // namespace mlir::atc::plan

#endif // ATC_DIALECT_PLAN_IR_KERNELSTRIDES_H
