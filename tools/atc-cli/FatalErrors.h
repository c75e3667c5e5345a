// The last resort: what cannot be returned as an error still gets a code.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_CLI_FATALERRORS_H
#define ATC_TOOLS_ATC_CLI_FATALERRORS_H

#include <string>

namespace atc::cli {

/// From now on LLVM's fatal errors, failed allocations and fatal signals end
/// the program with E19999, ATC's failure line and exit code 255. The message
/// says in which phase, at which kernel and of which model; what the thread
/// worked on is written as a reproducer.
void installFatalErrorHandlers();

/// What the handlers will name. The texts are copied and cut to a fixed size,
/// since a handler may not allocate.
void setCurrentModel(const std::string &path);
void setCurrentPhase(const std::string &phase);
/// Where the handlers write a reproducer; empty: nowhere.
void setReproducerPath(const std::string &path);

} // namespace atc::cli

#endif // ATC_TOOLS_ATC_CLI_FATALERRORS_H
