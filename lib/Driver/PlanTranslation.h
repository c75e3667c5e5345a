// From the plan dialect to the structs that the runtime reads.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_PLANTRANSLATION_H
#define ATC_LIB_DRIVER_PLANTRANSLATION_H

#include "WeightLayout.h"
#include "atc/Model/Plan.h"
#include "atc/Target/ElementTypes.h"
#include "atc/Target/Target.h"

namespace mlir::atc {

/// Translates a placed program. `images` holds the code of the program's
/// kernels; image i lies at `imageOffsets[i]` of the code partition. Errors are
/// told at the op.
FailureOr<::atc::Plan> translatePlan(plan::ProgramOp program,
                                     const WeightLayout &weights,
                                     const Target &target,
                                     ArrayRef<CodeImage> images,
                                     ArrayRef<uint64_t> imageOffsets);

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_PLANTRANSLATION_H
