// The table of host operators.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/HostOps.h"

#include "HostOps/Cast.h"

#include <algorithm>
#include <iterator>

namespace atc {

/// Sorted by name.
static constexpr HostOp hostOps[] = {
    {"cast", castOnHost},
};

const HostOp *findHostOp(std::string_view name) {
  const HostOp *found = std::lower_bound(
      std::begin(hostOps), std::end(hostOps), name,
      [](const HostOp &op, std::string_view text) { return op.name < text; });
  return found != std::end(hostOps) && found->name == name ? found : nullptr;
}

} // namespace atc
