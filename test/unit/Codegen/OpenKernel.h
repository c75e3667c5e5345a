// A kernel over open sizes, compared with kernels made for each size.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_CODEGEN_OPENKERNEL_H
#define ATC_TEST_UNIT_CODEGEN_OPENKERNEL_H

#include "TemplateRunner.h"

namespace mlir::atc::test {

/// A region whose types name sizes, e.g. "$ax40x$bxf32": `$a` is the first of
/// the kernel's dims, `$b` the second.
struct OpenKernel {
  std::vector<std::string> operands;
  std::vector<std::string> constants;
  std::string body;
  std::string yielded;
  std::string yieldedType;
  /// Values of operands are whole numbers in [0, bound) where this is not 0:
  /// indices.
  std::vector<int> bounds = {};
};

/// Compiles `kernel` once with open sizes, and runs it at each of `sizes`, in
/// several parts. Expects at each what a kernel made for that size gives,
/// within `tolerance` times the largest element.
void expectSameAsStatic(const OpenKernel &kernel,
                        const std::vector<std::vector<int64_t>> &sizes,
                        double tolerance = 0,
                        const std::string &templateName = "");

} // namespace mlir::atc::test

#endif // ATC_TEST_UNIT_CODEGEN_OPENKERNEL_H
