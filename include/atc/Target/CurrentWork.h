// What each thread works on, for the last resort when the compiler breaks.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TARGET_CURRENTWORK_H
#define ATC_TARGET_CURRENTWORK_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::atc {

/// A note of what a thread works on. Whatever it refers to outlives it.
struct CurrentWork {
  /// The kernel's symbol; empty where the whole model is worked on.
  StringRef kernel;
  /// The work's input as it was at the beginning, which nobody changes while
  /// the note stands; null if there is none to show.
  Operation *input = nullptr;
  /// The passes that are run on `input`, as text; empty where none are.
  StringRef pipeline;
};

/// The note of the calling thread.
const CurrentWork &getCurrentWork();
void setCurrentWork(const CurrentWork &work);

/// Sets the thread's note for a scope.
class CurrentWorkScope {
public:
  explicit CurrentWorkScope(const CurrentWork &work)
      : previous(getCurrentWork()) {
    setCurrentWork(work);
  }
  ~CurrentWorkScope() { setCurrentWork(previous); }
  CurrentWorkScope(const CurrentWorkScope &) = delete;
  CurrentWorkScope &operator=(const CurrentWorkScope &) = delete;

private:
  CurrentWork previous;
};

} // namespace mlir::atc

#endif // ATC_TARGET_CURRENTWORK_H
