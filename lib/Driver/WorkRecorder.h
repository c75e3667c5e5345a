// Keeps the input of every kernel that is being lowered.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_DRIVER_WORKRECORDER_H
#define ATC_LIB_DRIVER_WORKRECORDER_H

#include "atc/Target/CurrentWork.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include <mutex>

namespace mlir::atc {

/// Notes, during one run of a pass manager on a model's module, what each
/// thread works on (CurrentWork). Passes on nested modules, the kernels, are
/// noted with a copy of the kernel from before its first pass, in a module like
/// the model's: a small part of what lowering it takes, and no more copies
/// exist than threads. MLIR's own reproducers copy the whole module, and see
/// neither a kernel's name nor crashes on the threads of a pool.
class WorkRecorder {
public:
  /// `manager` has all its passes. `keepsModule`: whether the passes work on
  /// the model's module itself, so that its copy is the input to keep.
  WorkRecorder(PassManager &manager, ModuleOp module, bool keepsModule);

  /// What the first pass that failed worked on.
  CurrentWork getFailedWork() const { return failed.value_or(CurrentWork()); }

private:
  class Instrumentation;

  /// A pass begins on `op`, on this thread.
  void enter(Operation *op);
  /// A pass failed on `op`.
  void fail(Operation *op);
  /// A nested pipeline ended, on this thread.
  void leave(bool wasKernel);
  CurrentWork getWork(ModuleOp kernel);

  ModuleOp module;
  std::string pipeline;
  OwningOpRef<ModuleOp> moduleInput;
  std::mutex mutex;
  /// Kernels in work, as they came; and the thread that each belongs to.
  DenseMap<Operation *, OwningOpRef<ModuleOp>> inputs;
  DenseMap<uint64_t, Operation *> owned;
  std::optional<CurrentWork> failed;
  OwningOpRef<ModuleOp> failedInput;
};

} // namespace mlir::atc

#endif // ATC_LIB_DRIVER_WORKRECORDER_H
