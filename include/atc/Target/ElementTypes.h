// Between the element types of files and those of tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TARGET_ELEMENTTYPES_H
#define ATC_TARGET_ELEMENTTYPES_H

#include "atc/Support/ElementType.h"
#include "mlir/IR/Types.h"
#include <optional>

namespace mlir::atc {

/// The type of a tensor's elements: booleans are i1, signed integers signless,
/// strings `!graph.string`.
Type getElementType(MLIRContext *context, ::atc::ElementType type);

/// The other way; nullopt for types that no file holds.
std::optional<::atc::ElementType> getElementType(Type type);

} // namespace mlir::atc

#endif // ATC_TARGET_ELEMENTTYPES_H
