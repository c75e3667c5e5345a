// Conversions and integer arithmetic that the processor lacks, spelled out.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_SCALAREXPANSION_H
#define ATC_CODEGEN_CPU_SCALAREXPANSION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::atc::cpu {

// Each works on scalars and on vectors, and returns the new value.

/// bf16 to f32, exact.
Value expandFromBf16(OpBuilder &builder, Location loc, Value value);
/// f32 to bf16, to nearest even; NaN stays a (quiet) NaN.
Value expandToBf16(OpBuilder &builder, Location loc, Value value);
/// f64 to f32, where an inexact result gets an odd last bit. Rounding it
/// further to f16 or bf16 gives the same as rounding the f64 once.
Value expandF64ToOddF32(OpBuilder &builder, Location loc, Value value);

/// divsi, remsi, divui, remui, floordivsi and ceildivsi without traps: x / 0 =
/// 0, x rem 0 = 0, min / -1 = min. Null for other ops.
Value expandIntegerDivision(RewriterBase &rewriter, Operation *op);
/// base^exponent by squaring, modulo 2^width; a negative exponent truncates
/// the quotient (so it is 0 unless the base is 1 or -1).
Value expandIntegerPower(OpBuilder &builder, math::IPowIOp op);
/// Half away from zero.
Value expandRound(OpBuilder &builder, Location loc, Value value);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_SCALAREXPANSION_H
