// The name that a misspelled one was probably meant to be.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SUPPORT_NEARESTNAME_H
#define ATC_SUPPORT_NEARESTNAME_H

#include <string>
#include <string_view>
#include <vector>

namespace atc {

/// The first of the candidates that the fewest edits lead to, where an edit is
/// to add, drop or replace a letter or to swap neighbours (optimal string
/// alignment). Empty if more than a third of the name would have to change.
std::string nearestName(std::string_view name,
                        const std::vector<std::string> &candidates);

/// "; did you mean 'NAME'?", or nothing where no candidate is near.
std::string didYouMean(std::string_view name,
                       const std::vector<std::string> &candidates);

} // namespace atc

#endif // ATC_SUPPORT_NEARESTNAME_H
