// Disassembly of NPU images.
// SPDX-License-Identifier: Apache-2.0
#include "Listing.h"

#include "atc/Isa/Assembly.h"

#include <fmt/format.h>

namespace atc::objdump {

/// "conv_relu" and "Conv", or the image's own name where no plan knows it.
static std::string planName(const isa::KernelImage &kernel, const Plan *plan) {
  if (!plan)
    return {};
  for (const PlanKernel &candidate : plan->kernels)
    for (size_t i = 0; i < candidate.launches.size(); ++i)
      for (uint64_t entry : candidate.launches[i].entries)
        if (entry == kernel.entryOffset)
          return fmt::format(" ; {} launch {}, {}", candidate.name, i,
                             candidate.opType);
  return {};
}

std::string listNpuKernels(const isa::Image &image, const Plan *plan,
                           const ListingOptions &options) {
  std::string text = fmt::format("NPU image for {}, {} kernels\n", image.device,
                                 image.kernels.size());
  for (const isa::KernelImage &kernel : image.kernels) {
    if (!options.kernel.empty() && kernel.name != options.kernel)
      continue;
    text += fmt::format("\n{} <0x{:x}>: {} buffers, {} scalars{}\n",
                        kernel.name, kernel.entryOffset, kernel.bufferCount,
                        kernel.scalarCount, planName(kernel, plan));
    for (const isa::KernelCode &code : kernel.codes) {
      uint64_t bytes = 0;
      for (const isa::Instruction &instruction : code.program.instructions)
        bytes += isa::encodedSize(instruction.opcode);
      text += fmt::format("  {} core: {} instructions, {} bytes\n",
                          isa::coreTypeName(code.core),
                          code.program.instructions.size(), bytes);
      if (!options.summary)
        text += isa::printProgram(code.program);
    }
  }
  return text;
}

} // namespace atc::objdump
