// The template of elementwise and movement kernels, packing included.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_POINTWISE_H
#define ATC_CODEGEN_CPU_POINTWISE_H

#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// Regions of ops that compute or move single elements, with one or several
/// results of one shape. Iterates in the order in which the first result lies
/// in memory, a vector at a time, and stores each element once. A tiled result
/// is packed, its padding zero.
const Template &pointwiseTemplate();

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_POINTWISE_H
