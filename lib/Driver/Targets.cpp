// Names of targets as users give them.
// SPDX-License-Identifier: Apache-2.0
#include "Targets.h"
#include "atc/Driver/Registration.h"
#include "atc/Target/CpuDescription.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::atc;

/// Stands for a level of the machine that compiles.
static constexpr StringLiteral hostName = "CPU";

std::string mlir::atc::resolveTargetName(StringRef name) {
  if (name != hostName)
    return name.str();
  const CpuDescription *host = hostCpu();
  return host ? host->name.str() : std::string();
}

std::vector<std::string> mlir::atc::listTargetNames() {
  std::vector<std::string> names;
  if (hostCpu())
    names.push_back(hostName.str());
  for (const std::shared_ptr<const Target> &target : createTargets())
    names.push_back(target->getName().str());
  return names;
}

::atc::Diagnostic mlir::atc::makeUnknownTarget(StringRef name) {
  if (name == hostName)
    return {::atc::ErrorCode::UnknownTarget,
            "no CPU level of this build runs on this machine; known: " +
                llvm::join(listTargetNames(), ", "),
            {},
            {}};
  return {::atc::ErrorCode::UnknownTarget,
          "--soc_version=" + name.str() +
              " is unknown; known: " + llvm::join(listTargetNames(), ", "),
          {},
          {}};
}
