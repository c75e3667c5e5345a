// Names of the functions that a kernel's context brings.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_CODEGEN_CPU_KERNELIMPORTS_H
#define ATC_CODEGEN_CPU_KERNELIMPORTS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::atc::cpu {

/// A function of the import table (KernelAbi.h) is declared in a kernel's
/// module under its name there with this in front.
inline constexpr llvm::StringLiteral importPrefix = "atc_import_";

/// Called with the number of a fault alone; the context, its first argument, is
/// added when the launch gets its signature.
inline constexpr llvm::StringLiteral faultImportName = "report_fault";

} // namespace mlir::atc::cpu

#endif // ATC_CODEGEN_CPU_KERNELIMPORTS_H
