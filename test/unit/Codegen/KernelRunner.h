// Compiles kernels from text and runs them in the test's process.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_CODEGEN_KERNELRUNNER_H
#define ATC_TEST_UNIT_CODEGEN_KERNELRUNNER_H

#include "atc/Target/CpuDescription.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <string>

namespace mlir::atc::test {

/// A code image in memory, as the runtime would map it.
class LoadedImage {
public:
  /// Null if the image does not fit the checks of a loader.
  static std::unique_ptr<LoadedImage> load(ArrayRef<char> bytes);
  ~LoadedImage();
  void *at(uint64_t address) const { return memory + address; }

private:
  char *memory = nullptr;
  size_t size = 0;
};

/// Kernels of one module, compiled for the host.
class KernelRunner {
public:
  KernelRunner();

  MLIRContext &getContext() { return context; }

  /// Parses a module and runs the lowering from launches on (functions over
  /// memrefs), or from outlined kernels on. Kernels are the module's nested
  /// modules, or the module itself. Reports to stderr and returns false on an
  /// error.
  bool compileLaunches(StringRef text);
  bool compileKernels(StringRef text);
  bool compile(OwningOpRef<ModuleOp> module, bool fromLaunches);

  /// Runs tiles [begin, end) of a launch.
  void run(StringRef entry, ArrayRef<void *> buffers,
           ArrayRef<int64_t> scalars = {}, int64_t begin = 0, int64_t end = 1,
           size_t scratchBytes = 0);

  /// Whether a kernel reported a fault of its data in any run.
  bool reportedFault() const { return hasFault; }

  ArrayRef<char> getImage() const { return image; }
  std::string disassembly;

private:
  bool hasFault = false;
  MLIRContext context;
  std::vector<char> image;
  llvm::StringMap<uint64_t> entries;
  std::unique_ptr<LoadedImage> loaded;
};

} // namespace mlir::atc::test

#endif // ATC_TEST_UNIT_CODEGEN_KERNELRUNNER_H
