// The templates of the NPU, one accessor each.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_TEMPLATES_H
#define ATC_LIB_CODEGEN_NPU_TEMPLATES_H

#include "atc/Codegen/Npu/Template.h"

namespace mlir::atc::npu {

const Template *getCubeTemplate();
const Template *getVectorTemplate();

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_TEMPLATES_H
