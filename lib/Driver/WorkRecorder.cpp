// Keeps the input of every kernel that is being lowered.
// SPDX-License-Identifier: Apache-2.0
#include "WorkRecorder.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::atc;

class WorkRecorder::Instrumentation final : public PassInstrumentation {
public:
  explicit Instrumentation(WorkRecorder &recorder) : recorder(recorder) {}

  void runBeforePass(Pass *, Operation *op) override { recorder.enter(op); }
  void runAfterPassFailed(Pass *, Operation *op) override { recorder.fail(op); }
  void runAfterPipeline(std::optional<OperationName> name,
                        const PipelineParentInfo &) override {
    recorder.leave(name &&
                   name->getStringRef() == ModuleOp::getOperationName());
  }

private:
  WorkRecorder &recorder;
};

WorkRecorder::WorkRecorder(PassManager &manager, ModuleOp module,
                           bool keepsModule)
    : module(module) {
  llvm::raw_string_ostream stream(pipeline);
  manager.printAsTextualPipeline(stream);
  if (keepsModule)
    moduleInput = module.clone();
  manager.addInstrumentation(std::make_unique<Instrumentation>(*this));
}

/// The kernel that `op` is part of; null for the model's own functions.
static ModuleOp getEnclosingKernel(Operation *op, ModuleOp module) {
  while (op && op != module && op->getParentOp() != module)
    op = op->getParentOp();
  return op == module ? ModuleOp() : dyn_cast_or_null<ModuleOp>(op);
}

/// A model that consists of a copy of the kernel.
static OwningOpRef<ModuleOp> wrapKernel(ModuleOp kernel, ModuleOp module) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  (*copy)->setAttrs(module->getAttrDictionary());
  copy->push_back(kernel.clone());
  return copy;
}

CurrentWork WorkRecorder::getWork(ModuleOp kernel) {
  if (!kernel)
    return {{}, moduleInput ? moduleInput->getOperation() : nullptr, pipeline};
  std::lock_guard<std::mutex> lock(mutex);
  auto input = inputs.find(kernel);
  return {kernel.getSymName().value_or(""),
          input == inputs.end() ? nullptr : input->second->getOperation(),
          pipeline};
}

void WorkRecorder::enter(Operation *op) {
  ModuleOp kernel = getEnclosingKernel(op, module);
  // The first pass on a kernel: its input is still what it was.
  if (kernel && kernel == op) {
    std::unique_lock<std::mutex> lock(mutex);
    if (!inputs.contains(kernel)) {
      lock.unlock();
      OwningOpRef<ModuleOp> input = wrapKernel(kernel, module);
      lock.lock();
      inputs[kernel] = std::move(input);
      owned[llvm::get_threadid()] = kernel;
    }
  }
  setCurrentWork(getWork(kernel));
}

void WorkRecorder::fail(Operation *op) {
  ModuleOp kernel = getEnclosingKernel(op, module);
  CurrentWork work = getWork(kernel);
  std::lock_guard<std::mutex> lock(mutex);
  // The passes around the one that failed fail as well.
  if (failed)
    return;
  failed = work;
  if (auto input = inputs.find(kernel); input != inputs.end())
    failedInput = std::move(input->second);
}

void WorkRecorder::leave(bool wasKernel) {
  std::lock_guard<std::mutex> lock(mutex);
  auto kernel = owned.find(llvm::get_threadid());
  // A part of a kernel that another thread works on, or of the model.
  if (kernel == owned.end()) {
    setCurrentWork({});
    return;
  }
  // A part of the thread's kernel: its other passes follow.
  if (!wasKernel)
    return;
  setCurrentWork({});
  inputs.erase(kernel->second);
  owned.erase(kernel);
}
