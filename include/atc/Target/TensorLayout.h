// Layouts on tensor types, and how they pass through ops that rename elements.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TARGET_TENSORLAYOUT_H
#define ATC_TARGET_TENSORLAYOUT_H

#include "atc/Support/PhysicalLayout.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace mlir::atc {

/// The layout of a tensor type: its encoding, or row-major without one.
::atc::PhysicalLayout getLayout(RankedTensorType type);

/// The same tensor in another layout; row-major is stored as no encoding.
RankedTensorType withLayout(RankedTensorType type,
                            const ::atc::PhysicalLayout &layout);

/// The dim that has stride one, or nullopt for tiled layouts and scalars.
std::optional<unsigned> innermostDim(const ::atc::PhysicalLayout &layout);

/// `layout` without its halos.
::atc::PhysicalLayout withoutHalo(const ::atc::PhysicalLayout &layout);

/// Row-major order, but with `dim` moved to the end.
::atc::PhysicalLayout layoutWithInnermost(unsigned rank, unsigned dim);

/// The layout in which a transposed tensor lies if no element moves.
/// `permutation` is the op's: result dim i is operand dim permutation[i].
std::optional<::atc::PhysicalLayout>
layoutThroughTranspose(const ::atc::PhysicalLayout &operand,
                       ArrayRef<int64_t> permutation);

/// The layout of a transpose's operand, given that of its result.
std::optional<::atc::PhysicalLayout>
layoutBeforeTranspose(const ::atc::PhysicalLayout &result,
                      ArrayRef<int64_t> permutation);

/// The layout in which a reshaped tensor lies if no element moves; nullopt
/// where none describes it. Dims that merge must be adjacent in memory and in
/// logical order; a dim with a halo must survive as it is. Static shapes.
std::optional<::atc::PhysicalLayout>
layoutThroughReshape(const ::atc::PhysicalLayout &operand,
                     ArrayRef<int64_t> operandShape,
                     ArrayRef<int64_t> resultShape);

} // namespace mlir::atc

#endif // ATC_TARGET_TENSORLAYOUT_H
