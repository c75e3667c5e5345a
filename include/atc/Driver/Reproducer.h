// What to report when the compiler breaks: the kernel, and IR to replay.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DRIVER_REPRODUCER_H
#define ATC_DRIVER_REPRODUCER_H

#include "atc/Support/Diagnostic.h"

#include <string>
#include <string_view>

namespace atc {

/// The kernel that the calling thread lowers or emits; empty outside of
/// kernels. Takes no lock and no memory, as a handler of signals wants it.
std::string_view currentKernel();

/// Whether there is IR to show for what the calling thread works on.
bool hasReproducer();

/// Writes the input of what the calling thread works on, with the passes that
/// were run on it: `atc-opt --run-reproducer` runs them again. The file appears
/// whole or not at all. Constants of more than a few elements are left out.
/// Takes memory, so that a handler of signals must expect it to fail.
Status writeReproducer(const std::string &path);

} // namespace atc

#endif // ATC_DRIVER_REPRODUCER_H
