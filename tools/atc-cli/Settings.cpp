// What one invocation of atc is to do: option values, checked and converted.
// SPDX-License-Identifier: Apache-2.0
#include "Settings.h"
#include "OptionTable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace atc::cli {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = text.find(separator);
    if (end != 0)
      parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return parts;
}

namespace {

/// Linux limits.
constexpr size_t maxPathBytes = 4096;
constexpr size_t maxNameBytes = 255;
constexpr std::string_view suffix = ".om";

Diagnostic invalidValue(std::string_view option, std::string_view value,
                        std::string_view reason) {
  return Diagnostic{ErrorCode::InvalidOptionValue,
                    fmt::format("--{}={}: {}", option, value, reason),
                    {},
                    {}};
}

template <typename Integer>
std::optional<Integer> parseInteger(std::string_view text) {
  Integer value{};
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// Options that ATC has and we do not, with a value that matters.
Status checkNeutralOptions(const OptionValues &values, Settings &settings) {
  for (const auto &[name, value] : values.all()) {
    const OptionInfo *option = findOption(name);
    if (option->support == OptionSupport::Full)
      continue;
    if (option->support == OptionSupport::Ignored) {
      settings.warnings.push_back(
          fmt::format("--{} has no effect: {}", name, option->help));
      continue;
    }
    std::string_view accepted = option->accepted;
    std::vector<std::string> known = split(accepted, '|');
    if (accepted == "*" ||
        std::find(known.begin(), known.end(), value) != known.end())
      continue;
    std::string reason = known.empty() ? "the option is not supported yet"
                                       : fmt::format("supported values: {}",
                                                     fmt::join(known, ", "));
    return invalidValue(name, value, reason);
  }
  return Status::success();
}

Expected<Mode> parseMode(const OptionValues &values) {
  std::string text = values.get("mode");
  for (Mode mode : {Mode::Compile, Mode::Dump, Mode::Show})
    if (text == std::to_string(static_cast<int>(mode)))
      return mode;
  for (std::string_view known : {"3", "5", "7", "30"})
    if (text == known)
      return invalidValue("mode", text,
                          "this mode is not supported yet; supported values: "
                          "0, 1, 6");
  return invalidValue("mode", text, "supported values: 0, 1, 6");
}

Expected<LogLevel> parseLogLevel(const OptionValues &values) {
  std::string text = values.get("log");
  constexpr std::pair<std::string_view, LogLevel> levels[] = {
      {"debug", LogLevel::Debug},
      {"info", LogLevel::Info},
      {"warning", LogLevel::Warning},
      {"error", LogLevel::Error},
      {"null", LogLevel::None}};
  for (auto [name, level] : levels)
    if (text == name)
      return level;
  return invalidValue("log", text,
                      "supported values: debug, info, warning, error, null");
}

Status parseFramework(const OptionValues &values) {
  if (!values.has("framework"))
    return Status::error(ErrorCode::MissingFramework, "--framework is missing");
  std::string text = values.get("framework");
  if (text == "5")
    return Status::success();
  for (std::string_view known : {"0", "1", "3"})
    if (text == known)
      return invalidValue("framework", text,
                          "this framework is not supported yet; supported "
                          "values: 5 (ONNX)");
  return invalidValue("framework", text, "supported values: 5 (ONNX)");
}

Status requireOption(const OptionValues &values, std::string_view name) {
  if (!values.get(name).empty())
    return Status::success();
  return Status::error(ErrorCode::MissingOption,
                       fmt::format("--{} is missing or empty", name));
}

Expected<Precision> parsePrecision(const OptionValues &values) {
  constexpr std::string_view first = "precision_mode",
                             second = "precision_mode_v2";
  if (values.has(first) && values.has(second))
    return Diagnostic{ErrorCode::ConflictingOptions,
                      "--precision_mode and --precision_mode_v2 exclude each "
                      "other",
                      {},
                      {}};
  bool isSecond = values.has(second);
  std::string_view option = isSecond ? second : first;
  std::string text = values.get(option);
  std::string_view origin = isSecond ? "origin" : "must_keep_origin_dtype";
  std::string_view half = isSecond ? "fp16" : "force_fp16";
  if (!values.has(option))
    return Precision::Default;
  if (text == origin)
    return Precision::Origin;
  if (text == half)
    return Precision::ForceFloat16;
  return invalidValue(option, text,
                      fmt::format("supported values: {}, {}", origin, half));
}

/// The path with its suffix, and the name that the model gets from it.
Status setOutput(std::string path, Settings &settings) {
  size_t slash = path.rfind('/');
  std::string name = path.substr(slash == path.npos ? 0 : slash + 1);
  if (name.empty() || name == "." || name == "..")
    return Status::error(ErrorCode::MissingFileName,
                         fmt::format("--output={} names no file", path));
  bool hasSuffix =
      name.size() > suffix.size() &&
      name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
  if (hasSuffix)
    name.resize(name.size() - suffix.size());
  else
    path += suffix;
  if (path.size() >= maxPathBytes || name.size() + suffix.size() > maxNameBytes)
    return Status::error(ErrorCode::PathTooLong,
                         fmt::format("--output has {} bytes", path.size()));
  settings.outputPath = path;
  settings.compile.modelName = name;
  return Status::success();
}

Status setCompileOptions(const OptionValues &values, Settings &settings) {
  CompileOptions &options = settings.compile;
  options.target = values.get("soc_version");
  options.outputs = split(values.get("out_nodes"), ';');
  auto shapes = parseInputShapes(values.get("input_shape"));
  if (!shapes)
    return shapes.status();
  options.inputShapes = *shapes;
  auto types = parseOutputTypes(values.get("output_type"));
  if (!types)
    return types.status();
  options.outputTypes = *types;
  Expected<Precision> precision = parsePrecision(values);
  if (!precision)
    return precision.status();
  options.precision = *precision;
  std::string threads = values.get("threads");
  std::optional<unsigned> count = parseInteger<unsigned>(threads);
  if (!count || *count > 1024)
    return invalidValue("threads", threads, "a number from 0 to 1024");
  options.threads = *count;
  return Status::success();
}

Status setCompile(const OptionValues &values, Settings &settings) {
  if (Status status = parseFramework(values); !status)
    return status;
  Expected<bool> dumpPasses = parseFlag(values, "dump_passes");
  if (!dumpPasses)
    return dumpPasses.status();
  settings.dumpPasses = *dumpPasses;
  Expected<bool> verifyPhases = parseFlag(values, "verify_phases");
  if (!verifyPhases)
    return verifyPhases.status();
  settings.compile.verifyPhases = *verifyPhases;
  settings.stopAfter = values.get("stop_after");
  std::vector<std::string> phases = compilePhases();
  if (!settings.stopAfter.empty() &&
      std::find(phases.begin(), phases.end(), settings.stopAfter) ==
          phases.end())
    return invalidValue(
        "stop_after", settings.stopAfter,
        fmt::format("supported values: {}", fmt::join(phases, ", ")));
  bool writes = settings.stopAfter.empty() && !settings.dumpPasses;
  std::vector<std::string_view> required = {"soc_version"};
  if (!settings.dumpPasses)
    required.insert(required.begin(), "model");
  if (writes)
    required.push_back("output");
  for (std::string_view name : required)
    if (Status status = requireOption(values, name); !status)
      return status;
  settings.modelPath = values.get("model");
  if (writes) {
    if (Status status = setOutput(values.get("output"), settings); !status)
      return status;
  } else {
    settings.outputPath = values.get("output");
  }
  return setCompileOptions(values, settings);
}

Status setDump(const OptionValues &values, Settings &settings) {
  if (Status status = requireOption(values, "json"); !status)
    return status;
  settings.jsonPath = values.get("json");
  settings.offlineModelPath = values.get("om");
  settings.modelPath = values.get("model");
  // In ATC, --om takes source models too, which --framework tells apart.
  if (settings.modelPath.empty() && values.has("framework"))
    std::swap(settings.offlineModelPath, settings.modelPath);
  if (settings.offlineModelPath.empty() && settings.modelPath.empty())
    return requireOption(values, "om");
  if (!settings.offlineModelPath.empty() && !settings.modelPath.empty())
    return Status::error(ErrorCode::ConflictingOptions,
                         "--om and --model exclude each other in mode 1");
  if (!settings.modelPath.empty())
    if (Status status = parseFramework(values); !status)
      return status;
  std::string dumpMode = values.get("dump_mode");
  if (dumpMode != "0" && dumpMode != "1")
    return invalidValue("dump_mode", dumpMode, "supported values: 0, 1");
  settings.dumpShapes = dumpMode == "1";
  return setCompileOptions(values, settings);
}

} // namespace

Expected<std::vector<CompileOptions::InputShape>>
parseInputShapes(std::string_view text) {
  std::vector<CompileOptions::InputShape> shapes;
  for (const std::string &part : split(text, ';')) {
    auto fail = [&](std::string_view reason) {
      return Diagnostic{ErrorCode::InvalidInputShape,
                        fmt::format("--input_shape: '{}': {}", part, reason),
                        {},
                        {}};
    };
    size_t colon = part.rfind(':');
    if (colon == part.npos || colon == 0)
      return fail("expected name:d1,d2,...");
    CompileOptions::InputShape shape;
    shape.name = part.substr(0, colon);
    std::string sizes = part.substr(colon + 1);
    if (("," + sizes + ",").find(",,") != sizes.npos && !sizes.empty())
      return fail("a size is empty");
    for (const std::string &size : split(sizes, ',')) {
      std::optional<int64_t> value = parseInteger<int64_t>(size);
      if (size.find('~') != size.npos)
        return fail("ranges of sizes are not supported yet");
      if (!value || *value < -1)
        return fail(fmt::format("'{}' is not a size", size));
      shape.sizes.push_back(*value);
    }
    for (const CompileOptions::InputShape &other : shapes)
      if (other.name == shape.name)
        return fail("the input is named twice");
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Expected<std::vector<CompileOptions::OutputType>>
parseOutputTypes(std::string_view text) {
  constexpr std::pair<std::string_view, ElementType> names[] = {
      {"FP32", ElementType::F32},   {"FP16", ElementType::F16},
      {"INT8", ElementType::I8},    {"UINT8", ElementType::U8},
      {"INT16", ElementType::I16},  {"UINT16", ElementType::U16},
      {"INT32", ElementType::I32},  {"UINT32", ElementType::U32},
      {"INT64", ElementType::I64},  {"UINT64", ElementType::U64},
      {"DOUBLE", ElementType::F64}, {"BF16", ElementType::BF16}};
  std::vector<CompileOptions::OutputType> types;
  for (const std::string &part : split(text, ';')) {
    size_t colon = part.rfind(':');
    std::string name = part.substr(colon == part.npos ? 0 : colon + 1);
    const auto *known =
        std::find_if(std::begin(names), std::end(names),
                     [&](const auto &entry) { return entry.first == name; });
    if (known == std::end(names))
      return invalidValue("output_type", text,
                          fmt::format("'{}' is not an element type", name));
    if (colon == 0)
      return invalidValue("output_type", text, "a name is empty");
    std::string output = colon == part.npos ? "" : part.substr(0, colon);
    for (const CompileOptions::OutputType &other : types)
      if (!output.empty() && other.output == output)
        return invalidValue("output_type", text,
                            fmt::format("'{}' is named twice", output));
    types.push_back({output, known->second});
  }
  if (types.size() > 1)
    for (const CompileOptions::OutputType &type : types)
      if (type.output.empty())
        return invalidValue("output_type", text,
                            "one type for all outputs, or name:index:TYPE "
                            "for each");
  return types;
}

Expected<Settings> makeSettings(const OptionValues &values) {
  Settings settings;
  Expected<Mode> mode = parseMode(values);
  if (!mode)
    return mode.status();
  settings.mode = *mode;
  Expected<LogLevel> log = parseLogLevel(values);
  if (!log)
    return log.status();
  settings.log = *log;
  if (Status status = checkNeutralOptions(values, settings); !status)
    return status;
  Status status;
  switch (settings.mode) {
  case Mode::Compile: {
    std::string info = values.get("display_model_info");
    if (info != "0" && info != "1")
      return invalidValue("display_model_info", info, "supported values: 0, 1");
    settings.showModelInfo = info == "1";
    status = setCompile(values, settings);
    break;
  }
  case Mode::Dump:
    status = setDump(values, settings);
    break;
  case Mode::Show:
    status = requireOption(values, "om");
    settings.offlineModelPath = values.get("om");
    break;
  }
  if (!status)
    return status;
  return settings;
}

} // namespace atc::cli
