// Types that code moves and converts, but does not compute with.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_NARROWTYPES_H
#define ATC_CODEGEN_CPU_NARROWTYPES_H

#include "mlir/IR/Builders.h"

namespace mlir::atc::cpu {

/// Whether a type is a float of at most 8 bits with a sign bit. A buffer holds
/// its bits.
bool isNarrowFloat(Type elementType);
/// Whether several elements share a byte of a buffer, the first in its lowest
/// bits.
bool isPacked(Type elementType);
/// Either of them: values of such a type are only moved, chosen and converted.
bool isNarrow(Type elementType);

// Both work on scalars and on vectors, and return the new value.

/// To f32, exact.
Value expandFromNarrow(OpBuilder &builder, Location loc, Value value);
/// From f32 to nearest even. What is too large becomes infinity, or NaN where
/// the type has no infinity, or the largest number where it has neither; NaN
/// stays NaN where the type has it, else becomes zero.
Value expandToNarrow(OpBuilder &builder, Location loc, Value value,
                     FloatType type);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_NARROWTYPES_H
