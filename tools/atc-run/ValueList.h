// Lists and numbers inside the values of options.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_VALUELIST_H
#define ATC_TOOLS_ATC_RUN_VALUELIST_H

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace atc::run {

/// The parts between separators, empty ones too; "" has none.
inline std::vector<std::string_view> splitList(std::string_view text,
                                               char separator) {
  std::vector<std::string_view> parts;
  if (text.empty())
    return parts;
  for (size_t end; (end = text.find(separator)) != text.npos;
       text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

/// A decimal size without sign or blanks; nothing if it does not fit.
inline std::optional<int64_t> parseSizeNumber(std::string_view text) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 ||
      text[0] == '-')
    return std::nullopt;
  return value;
}

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_VALUELIST_H
