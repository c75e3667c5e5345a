// The name that a misspelled one was probably meant to be.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Support/NearestName.h"

#include <algorithm>

namespace atc {

static size_t countEdits(std::string_view from, std::string_view to) {
  std::vector<std::vector<size_t>> edits(from.size() + 1,
                                         std::vector<size_t>(to.size() + 1));
  for (size_t i = 0; i <= from.size(); ++i)
    for (size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        edits[i][j] = i + j;
        continue;
      }
      size_t change = edits[i - 1][j - 1] + (from[i - 1] != to[j - 1]);
      edits[i][j] =
          std::min({change, edits[i - 1][j] + 1, edits[i][j - 1] + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] &&
          from[i - 2] == to[j - 1])
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  return edits[from.size()][to.size()];
}

std::string nearestName(std::string_view name,
                        const std::vector<std::string> &candidates) {
  // Names come from users; nobody misspells one that long.
  static constexpr size_t maxName = 256;
  if (name.size() > maxName)
    return {};
  std::string nearest;
  size_t fewest = std::max<size_t>(name.size() / 3, 1) + 1;
  for (const std::string &candidate : candidates)
    if (candidate.size() <= maxName)
      if (size_t edits = countEdits(name, candidate); edits < fewest) {
        fewest = edits;
        nearest = candidate;
      }
  return nearest;
}

std::string didYouMean(std::string_view name,
                       const std::vector<std::string> &candidates) {
  std::string nearest = nearestName(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

} // namespace atc
