// Machine code from kernel modules: compile in parallel, link once.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Codegen/Cpu/Emission.h"
#include "atc/Target/CurrentWork.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;
using namespace mlir::atc;
using namespace mlir::atc::cpu;

void mlir::atc::cpu::registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

FailureOr<CodeImage> mlir::atc::cpu::emitCode(ArrayRef<ModuleOp> kernels,
                                              const CpuDescription &cpu) {
  CodeImage image;
  image.level = cpu.level;
  if (kernels.empty())
    return image;
  ModuleOp first = kernels.front();
  std::vector<ObjectFile> objects(kernels.size());
  auto compile = [&](size_t number) -> LogicalResult {
    ModuleOp kernel = kernels[number];
    CurrentWorkScope work({kernel.getSymName().value_or(""), kernel, {}});
    FailureOr<ObjectFile> object = emitObject(kernel, cpu);
    if (failed(object))
      return failure();
    objects[number] = std::move(*object);
    return success();
  };
  if (failed(failableParallelForEachN(first.getContext(), 0, kernels.size(),
                                      compile)))
    return failure();
  if (llvm::Error error = linkImage(objects, image.bytes, image.entries)) {
    emitError(first.getLoc(), "cannot link kernels: ")
        << llvm::toString(std::move(error));
    return failure();
  }
  return image;
}
