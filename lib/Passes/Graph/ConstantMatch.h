// Questions about constants that several rewrites ask.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_PASSES_GRAPH_CONSTANTMATCH_H
#define ATC_LIB_PASSES_GRAPH_CONSTANTMATCH_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::atc {

/// Whether `value` is a constant, or computed from constants by few ops (which
/// a recipe will hold).
bool isConstantValue(Value value);

/// The one number that a float constant holds in all its elements.
std::optional<double> getSplatFloat(Value value);

/// Whether `value` has one element.
bool isScalarLike(Value value);

/// Whether `value`, broadcast against a tensor of `rank` dims, varies along
/// `dim` alone (or along nothing).
bool variesOnlyAlong(Value value, int64_t rank, int64_t dim);

} // namespace mlir::atc

#endif // ATC_LIB_PASSES_GRAPH_CONSTANTMATCH_H
