// The templates of reductions and of cumulative sums.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_REDUCE_H
#define ATC_CODEGEN_CPU_REDUCE_H

#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// Regions around one reduction (sum, mean, product, maximum, minimum, position
/// of the extremum) along any dims: prologue, combination, epilogue on one
/// element per row. The order of additions is fixed by shape and layout.
const Template &reduceTemplate();

/// Regions around one cumulative sum.
const Template &scanTemplate();

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_REDUCE_H
