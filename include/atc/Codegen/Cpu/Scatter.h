// The template of scattered updates.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_SCATTER_H
#define ATC_CODEGEN_CPU_SCATTER_H

#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// Regions around one graph.scatter_elements or graph.scatter_nd, with
/// pointwise ops before it. The first launch copies the tensor; the second, of
/// one tile, writes the updates in their order, so that the last of several to
/// one place wins and sums do not depend on the number of threads. An index
/// outside of the tensor is taken as the nearest inside.
const Template &scatterTemplate();

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_SCATTER_H
