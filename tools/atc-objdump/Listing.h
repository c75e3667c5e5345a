// Listings of the code in an offline model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_OBJDUMP_LISTING_H
#define ATC_TOOLS_ATC_OBJDUMP_LISTING_H

#include "atc/Isa/Image.h"
#include "atc/Model/OfflineModel.h"

#include <string>

namespace atc::objdump {

struct ListingOptions {
  /// Only kernels of this name; all if empty.
  std::string kernel;
  /// Names and sizes without instructions.
  bool summary = false;
};

/// The kernels of one ELF image of a CPU model: where their launches begin,
/// and how many bytes lie up to the next one.
Expected<std::string> listCpuKernels(const Plan &plan, size_t image,
                                     ByteRange elf,
                                     const ListingOptions &options);

/// The programs of an NPU image. With a plan, kernels are shown by the names
/// and operators that it gives them.
std::string listNpuKernels(const isa::Image &image, const Plan *plan,
                           const ListingOptions &options);

} // namespace atc::objdump

#endif // ATC_TOOLS_ATC_OBJDUMP_LISTING_H
