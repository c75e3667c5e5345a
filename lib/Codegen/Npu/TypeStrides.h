// Distances between elements by the layout in a type.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_CODEGEN_NPU_TYPESTRIDES_H
#define ATC_LIB_CODEGEN_NPU_TYPESTRIDES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::atc::npu {

/// Elements between neighbours along each dim of a tensor of static shape, by
/// the layout of its type. The plan may widen them later. A tiled layout has no
/// such distances; those of row-major order stand for it.
SmallVector<int64_t> getTypeStrides(Value tensor);

/// Whether the tensor's layout has tiles.
bool isTiled(Value tensor);

} // namespace mlir::atc::npu

#endif // ATC_LIB_CODEGEN_NPU_TYPESTRIDES_H
