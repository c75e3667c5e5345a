// What locations say of the source model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_SOURCENAMES_H
#define ATC_LIB_DRIVER_SOURCENAMES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace mlir::atc {

/// A node of the source model.
struct SourceNode {
  StringRef name;
  /// Empty where the location does not say.
  StringRef opType;
  /// 0 where the location does not say.
  int64_t opset = 0;
};

/// The nodes that a location names, each once, in order. Fused locations are
/// looked into.
SmallVector<SourceNode> getSourceNodes(Location loc);

/// The names joined by '+'.
std::string joinSourceNames(Location loc);

/// For a diagnostic: "node 'conv1' (Conv, opset 13)"; empty without names. At
/// most three nodes are listed.
std::string describeSource(Location loc);

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_SOURCENAMES_H
