// Which function imports which version of an operator.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_OPTABLE_H
#define ATC_LIB_FRONTEND_ONNX_OPTABLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include <initializer_list>
#include <map>

namespace mlir::atc::onnx {

class NodeBinder;

/// Imports one node: reads it through the binder and gives it its results. A
/// binder that has met an error ignores all further requests, so functions
/// check for it only where they look into a value.
using ImportFunction = void (*)(NodeBinder &);

/// Operator sets that are supported.
inline constexpr int kOldestOpset = 7;

/// The table of operators of the ai.onnx domain. Every version of the standard
/// needs a row of its own: a new version of an operator is refused until
/// someone has read what changed.
class OpTable {
public:
  static const OpTable &get();

  /// Newest operator set of the standard that the table knows.
  static int getNewestOpset();

  /// Adds a row for each version (the operator set that introduced it).
  void on(StringRef op, std::initializer_list<int> versions,
          ImportFunction function);
  /// Adds an operator that never was in the standard but in early files; its
  /// meaning is that of ONNX Runtime.
  void onLegacy(StringRef op, ImportFunction function);

  struct Match {
    /// The operator set that introduced the definition in force; 0 if the
    /// operator is not part of the operator set.
    int version = 0;
    /// Null if this version is not supported.
    ImportFunction function = nullptr;
  };
  Match find(StringRef op, int opset) const;

  /// The versions of the standard, oldest first; empty for unknown operators.
  static ArrayRef<int> getVersions(StringRef op);
  /// Names of all operators of the standard, sorted.
  static ArrayRef<StringRef> getStandardOperators();
  bool supports(StringRef op, int version) const;
  SmallVector<StringRef> getLegacyOperators() const;

private:
  OpTable();

  std::map<std::pair<StringRef, int>, ImportFunction> rows;
  std::map<StringRef, ImportFunction> legacy;
};

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_OPTABLE_H
