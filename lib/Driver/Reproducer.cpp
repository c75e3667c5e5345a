// What to report when the compiler breaks: the kernel, and IR to replay.
// SPDX-License-Identifier: Apache-2.0
#include "Reproducer.h"
#include "atc/Driver/Reproducer.h"
#include "atc/Support/AtomicFile.h"
#include "atc/Target/CurrentWork.h"
#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace mlir::atc;

static std::string printReproducer(const CurrentWork &work) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // The verifier would wait for the threads of a context that is in trouble.
  OpPrintingFlags flags = getPublishableFlags();
  AsmState state(work.input, flags.assumeVerified());
  // The section that atc-opt --run-reproducer reads.
  if (!work.pipeline.empty())
    state.attachResourcePrinter(
        "mlir_reproducer", [&](Operation *, AsmResourceBuilder &builder) {
          builder.buildString("pipeline", work.pipeline);
          builder.buildBool("disable_threading", true);
          builder.buildBool("verify_each", true);
        });
  work.input->print(stream, state);
  stream << '\n';
  return text;
}

OpPrintingFlags mlir::atc::getPublishableFlags() {
  static constexpr int64_t maxElements = 8;
  return OpPrintingFlags().elideLargeElementsAttrs(maxElements);
}

namespace atc {

std::string_view currentKernel() { return getCurrentWork().kernel; }

bool hasReproducer() { return getCurrentWork().input != nullptr; }

Status writeReproducer(const std::string &path) {
  if (!hasReproducer())
    return Status::error(ErrorCode::Internal, "nothing is compiled");
  return writeFileAtomically(path, printReproducer(getCurrentWork()),
                             AtomicFile::Durability::Cached);
}

} // namespace atc
