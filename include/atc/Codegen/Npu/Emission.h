// Kernel images from lowered kernel modules.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_NPU_EMISSION_H
#define ATC_CODEGEN_NPU_EMISSION_H

#include "atc/Isa/Image.h"
#include "atc/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::atc::npu {

/// One image with the launches of all kernel modules, each encoded on a thread
/// of the context. Fails with a diagnostic at the kernel.
FailureOr<CodeImage> emitCode(ArrayRef<ModuleOp> kernels,
                              const ::atc::isa::DeviceRecord &device);

} // namespace mlir::atc::npu

#endif // ATC_CODEGEN_NPU_EMISSION_H
