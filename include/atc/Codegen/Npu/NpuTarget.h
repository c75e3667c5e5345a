// The NPU as a target of the compiler.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_NPU_NPUTARGET_H
#define ATC_CODEGEN_NPU_NPUTARGET_H

#include "atc/Isa/Device.h"
#include "atc/Target/Target.h"
#include <memory>

namespace mlir::atc::npu {

/// The target that makes code for one device.
std::shared_ptr<const Target>
createNpuTarget(const ::atc::isa::DeviceRecord &device);

/// One target per device record.
SmallVector<std::shared_ptr<const Target>> createNpuTargets();

} // namespace mlir::atc::npu

#endif // ATC_CODEGEN_NPU_NPUTARGET_H
