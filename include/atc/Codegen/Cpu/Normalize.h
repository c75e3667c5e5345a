// The template of softmax and normalizations.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_NORMALIZE_H
#define ATC_CODEGEN_CPU_NORMALIZE_H

#include "atc/Codegen/Cpu/Template.h"

namespace mlir::atc::cpu {

/// Regions around softmax, log_softmax, layer_norm, rms_norm, instance_norm or
/// group_norm: several passes over a row, which stays in the nearest cache,
/// with prologue and epilogue.
const Template &rowTemplate();

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_NORMALIZE_H
