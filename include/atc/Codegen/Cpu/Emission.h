// Machine code from kernel modules in the LLVM dialect.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_EMISSION_H
#define ATC_CODEGEN_CPU_EMISSION_H

#include "atc/Target/CpuDescription.h"
#include "atc/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <mutex>

namespace mlir::atc::cpu {

/// A relocatable ELF file.
using ObjectFile = SmallVector<char, 0>;

/// Adds what translation of the LLVM dialect to LLVM IR needs.
void registerTranslations(DialectRegistry &registry);

/// Compiles kernel modules, each in an LLVM context of its own and on the
/// threads of the MLIR context, and links them to one image. An entry is made
/// of each public function. The bytes depend on the modules and the CPU alone.
/// Fails with a diagnostic at the kernel.
FailureOr<CodeImage> emitCode(ArrayRef<ModuleOp> kernels,
                              const CpuDescription &cpu);

/// Compiles one kernel module. No call of a library function remains.
FailureOr<ObjectFile> emitObject(ModuleOp kernel, const CpuDescription &cpu);

/// The kernel's assembly, for people and for tests.
FailureOr<std::string> emitAssembly(ModuleOp kernel, const CpuDescription &cpu);

/// Links objects to a shared object that needs no loader: without undefined
/// symbols, relocations, thread-local or writable data. `entries` receives the
/// virtual address of each exported function. Calls wait for each other.
llvm::Error linkImage(ArrayRef<ObjectFile> objects, std::vector<char> &image,
                      llvm::StringMap<uint64_t> &entries);

/// Checks what linkImage promises, and reads the exported functions.
llvm::Error checkImage(ArrayRef<char> image,
                       llvm::StringMap<uint64_t> &entries);

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_EMISSION_H
