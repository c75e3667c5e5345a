// Which operands a tensor is made of, seen through its own indices.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_STRIDEDSOURCES_H
#define ATC_CODEGEN_CPU_STRIDEDSOURCES_H

#include "atc/Codegen/Cpu/RegionEmitter.h"
#include "atc/Codegen/Cpu/SizeMath.h"
#include <optional>

namespace mlir::atc::cpu {

/// A tensor with a place in memory that other tensors are computed from: an
/// argument, a reshape of one that moves nothing, or a constant with several
/// values. The element that belongs to index i of the computed tensor is at
/// index map(i), a linear function; its symbols are the kernel's dims.
struct StridedSource {
  Value tensor;
  AffineMap map;
};

/// Finds the sources of tensors that share one index space, looking through
/// elementwise and movement ops. Nullopt if an op chooses its operand's index
/// by data or by comparison, or if a source is used at two different indices.
/// `bound` tensors have values already and are not looked into.
std::optional<SmallVector<StridedSource>>
findStridedSources(ArrayRef<Value> tensors, ArrayRef<Value> bound = {});

/// The same for tensors that are needed at mapped indices of a common space.
std::optional<SmallVector<StridedSource>>
findStridedSources(ArrayRef<StridedSource> tensors, ArrayRef<Value> bound = {});

/// The map of each index of `tensor` to itself, with a symbol per dim of its
/// kernel.
AffineMap getKernelIdentityMap(Value tensor);

/// A linear function of an index: base + sum of strides[d] * i[d], in elements.
/// Each is an expression of the kernel's dims.
struct LinearAccess {
  AffineExpr base;
  SmallVector<AffineExpr> strides;
};

/// The offsets that a source is read at, as a function of the computed tensor's
/// index; nullopt if the source's layout is not strided.
std::optional<LinearAccess> linearAccess(const StridedSource &source);

/// The offsets of a tensor's own elements.
std::optional<LinearAccess> linearAccess(Value tensor);

/// The view of a source in a launch: known for arguments, derived for reshapes
/// and constants.
std::optional<TensorView> sourceView(RegionEmitter &region, Value tensor);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_STRIDEDSOURCES_H
