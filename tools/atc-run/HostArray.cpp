// Sizes and texts of arrays.
// SPDX-License-Identifier: Apache-2.0
#include "HostArray.h"

#include "atc/Support/CheckedMath.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace atc::run {

std::string shapeText(const std::vector<int64_t> &shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Expected<uint64_t> arrayBytes(ElementType type,
                              const std::vector<int64_t> &shape) {
  std::optional<int64_t> count = checkedProduct(shape);
  std::optional<int64_t> bytes =
      count ? elementBytes(type, *count) : std::nullopt;
  static constexpr int64_t limit = int64_t(1) << 40;
  if (!bytes || *bytes > limit)
    return Status::error(ErrorCode::MalformedArray,
                         "the shape " + shapeText(shape) + " of " +
                             std::string(elementTypeInfo(type).text) +
                             " is not usable");
  return static_cast<uint64_t>(*bytes);
}

} // namespace atc::run
