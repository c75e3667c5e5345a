// What --image says behind the file.
// SPDX-License-Identifier: Apache-2.0
#include "Image.h"
#include "ValueList.h"

#include "atc/Support/NearestName.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace atc::run {

static const std::vector<std::string> &imageKeys() {
  static const std::vector<std::string> keys = {
      "size", "fit", "channels", "layout", "mean", "std", "scale"};
  return keys;
}

static bool isImageKey(std::string_view text) {
  return std::find(imageKeys().begin(), imageKeys().end(), text) !=
         imageKeys().end();
}

static Status badOption(std::string_view key, std::string_view value,
                        std::string_view expected) {
  return Status::error(
      ErrorCode::InvalidOptionValue,
      fmt::format("'{}={}' in --image, expects {}", key, value, expected));
}

static Status unknownKey(std::string_view key) {
  return Status::error(ErrorCode::InvalidOptionValue,
                       fmt::format("'{}' in --image is none of {}{}", key,
                                   fmt::join(imageKeys(), ", "),
                                   didYouMean(key, imageKeys())));
}

/// "a" or "a/b/c", numbers of float32.
static bool parseNumbers(std::string_view text, std::vector<double> &values) {
  values.clear();
  for (std::string_view part : splitList(text, '/')) {
    std::string number(part);
    char *end = nullptr;
    values.push_back(std::strtod(number.c_str(), &end));
    if (number.empty() || std::isspace(static_cast<unsigned char>(number[0])) ||
        *end || !std::isfinite(static_cast<float>(values.back())))
      return false;
  }
  return values.size() == 1 || values.size() == 3;
}

static bool parseSize(std::string_view text, ImageOptions &options) {
  static constexpr int64_t maxSize = 65536;
  std::vector<std::string_view> parts = splitList(text, 'x');
  if (parts.size() != 2)
    return false;
  options.height = parseSizeNumber(parts[0]).value_or(0);
  options.width = parseSizeNumber(parts[1]).value_or(0);
  return options.height >= 1 && options.height <= maxSize &&
         options.width >= 1 && options.width <= maxSize;
}

static Status applyNumbers(const std::string &key, std::string_view value,
                           ImageOptions &options) {
  std::vector<double> numbers;
  if (!parseNumbers(value, numbers))
    return badOption(key, value,
                     key == "scale" ? "a number"
                                    : "a number or three with '/' between");
  auto isZero = [](double number) { return static_cast<float>(number) == 0; };
  if (key == "std" && std::any_of(numbers.begin(), numbers.end(), isZero))
    return badOption(key, value, "numbers other than zero");
  if (key == "scale") {
    if (numbers.size() != 1)
      return badOption(key, value, "a number");
    options.scale = numbers[0];
  } else {
    (key == "mean" ? options.mean : options.std) = numbers;
  }
  return Status::success();
}

static Status applyOption(const std::string &key, std::string_view value,
                          ImageOptions &options) {
  using Fit = ImageOptions::Fit;
  using Channels = ImageOptions::Channels;
  using Layout = ImageOptions::Layout;
  if (key == "size")
    return parseSize(value, options)
               ? Status::success()
               : badOption(key, value, "HxW, each from 1 to 65536");
  if (key == "fit") {
    if (value != "stretch" && value != "pad")
      return badOption(key, value, "stretch or pad");
    options.fit = value == "pad" ? Fit::Pad : Fit::Stretch;
  } else if (key == "channels") {
    if (value != "rgb" && value != "bgr" && value != "gray")
      return badOption(key, value, "rgb, bgr or gray");
    options.channels = value == "rgb"   ? Channels::Rgb
                       : value == "bgr" ? Channels::Bgr
                                        : Channels::Gray;
  } else if (key == "layout") {
    if (value != "nchw" && value != "nhwc")
      return badOption(key, value, "nchw or nhwc");
    options.layout = value == "nhwc" ? Layout::Nhwc : Layout::Nchw;
  } else {
    return applyNumbers(key, value, options);
  }
  return Status::success();
}

/// Where the options begin; npos where there are none. A file name may hold
/// commas: options begin behind the first comma that a key follows. What only
/// looks like a key is one, misspelled, unless a file of that name exists.
static size_t findOptions(const std::string &text) {
  size_t looksLikeKey = text.npos;
  for (size_t comma = text.find(','); comma != text.npos;
       comma = text.find(',', comma + 1)) {
    size_t equals = text.find('=', comma);
    std::string_view word = std::string_view(text).substr(
        comma + 1, equals == text.npos ? 0 : equals - comma - 1);
    std::error_code error;
    if (isImageKey(word))
      return looksLikeKey == text.npos ||
                     std::filesystem::exists(text.substr(0, comma), error)
                 ? comma
                 : looksLikeKey;
    bool isWord = !word.empty() &&
                  std::all_of(word.begin(), word.end(), [](unsigned char c) {
                    return std::isalpha(c) || c == '_' || c == '-';
                  });
    if (isWord && looksLikeKey == text.npos)
      looksLikeKey = comma;
  }
  std::error_code error;
  return std::filesystem::exists(text, error) ? text.npos : looksLikeKey;
}

Expected<ImageOptions> parseImageOptions(const std::string &text) {
  ImageOptions options;
  size_t end = findOptions(text);
  options.file = text.substr(0, end);
  if (end == text.npos)
    return options;
  std::set<std::string> seen;
  for (std::string_view part :
       splitList(std::string_view(text).substr(end + 1), ',')) {
    size_t equals = part.find('=');
    std::string key(part.substr(0, equals));
    if (!isImageKey(key))
      return unknownKey(key);
    if (equals == part.npos)
      return Status::error(ErrorCode::InvalidOptionValue,
                           fmt::format("'{}' in --image needs a value", key));
    if (!seen.insert(key).second)
      return Status::error(ErrorCode::InvalidOptionValue,
                           fmt::format("'{}' in --image is given twice", key));
    if (Status status = applyOption(key, part.substr(equals + 1), options);
        !status)
      return status;
  }
  if (options.channels == ImageOptions::Channels::Gray &&
      (options.mean.size() != 1 || options.std.size() != 1))
    return Status::error(ErrorCode::InvalidOptionValue,
                         "'channels=gray' in --image, expects one number for "
                         "mean and std");
  return options;
}

} // namespace atc::run
