// The C interface over compileModel.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Driver/Compile.h"
#include "atc/Driver/atc_compiler.h"
#include <algorithm>
#include <cstring>

using namespace atc;

struct atc_compiled {
  std::vector<uint8_t> bytes;
};

static thread_local std::string lastError, lastWarnings;

const char *atc_compiler_last_error(void) { return lastError.c_str(); }
const char *atc_compiler_last_warnings(void) { return lastWarnings.c_str(); }
const char *atc_compiler_version(void) { return ATC_VERSION; }

const char *atc_compiler_target(size_t index) {
  static const std::vector<std::string> names = targetNames();
  return index < names.size() ? names[index].c_str() : nullptr;
}

static std::string render(const std::vector<Diagnostic> &diagnostics) {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics)
    text += diagnostic.render();
  return text;
}

static atc_compile_status fail(Diagnostic diagnostic) {
  lastError = diagnostic.render();
  return static_cast<atc_compile_status>(diagnostic.code);
}

static atc_compile_status failArgument(std::string reason) {
  return fail({ErrorCode::InvalidArgument, std::move(reason), {}, {}});
}

static atc_compile_status report(const CompileResult &result) {
  lastWarnings = render(result.warnings);
  lastError = render(result.errors);
  return result.ok()
             ? 0
             : static_cast<atc_compile_status>(result.errors.front().code);
}

void atc_compile_options_init(atc_compile_options *options) {
  if (!options)
    return;
  *options = {};
  options->struct_size = sizeof(*options);
  options->target = "CPU";
}

/// The options in the library's form, or why the caller's are not sound.
static Expected<CompileOptions>
convertOptions(const atc_compile_options *given) {
  auto invalid = [](const char *reason) {
    return Status::error(ErrorCode::InvalidArgument, reason);
  };
  if (given && given->struct_size == 0)
    return invalid("the options were not initialized; call "
                   "atc_compile_options_init");
  atc_compile_options options;
  atc_compile_options_init(&options);
  // A caller of an older version knows fewer fields.
  if (given)
    std::memcpy(&options, given, std::min(given->struct_size, sizeof(options)));
  CompileOptions result;
  if (!options.target)
    return invalid("the target is a null pointer");
  result.target = options.target;
  if ((options.input_shape_count && !options.input_shapes) ||
      (options.output_count && !options.outputs))
    return invalid("an array of the options is a null pointer");
  for (size_t i = 0; i < options.input_shape_count; ++i) {
    const atc_input_shape &shape = options.input_shapes[i];
    if (!shape.name || (shape.rank && !shape.dims))
      return invalid("an input's shape has a null pointer");
    result.inputShapes.push_back(
        {shape.name, {shape.dims, shape.dims + shape.rank}});
  }
  for (size_t i = 0; i < options.output_count; ++i) {
    if (!options.outputs[i])
      return invalid("an output's name is a null pointer");
    result.outputs.push_back(options.outputs[i]);
  }
  switch (options.precision) {
  case ATC_PRECISION_DEFAULT:
    result.precision = Precision::Default;
    break;
  case ATC_PRECISION_ORIGIN:
    result.precision = Precision::Origin;
    break;
  case ATC_PRECISION_FLOAT16:
    result.precision = Precision::ForceFloat16;
    break;
  default:
    return invalid("the precision is none of atc_precision");
  }
  // The header keeps 31 bytes.
  if (options.model_name)
    result.modelName = std::string(options.model_name).substr(0, 31);
  result.threads = options.threads;
  return result;
}

atc_compile_status atc_compile_file(const char *model_path,
                                    const atc_compile_options *options,
                                    const char *output_path) {
  lastWarnings.clear();
  if (!model_path || !output_path)
    return failArgument("a path is a null pointer");
  Expected<CompileOptions> converted = convertOptions(options);
  if (!converted)
    return fail(converted.getDiagnostic());
  return report(compileModelToFile(ModelSource::file(model_path), *converted,
                                   output_path));
}

atc_compile_status atc_compile_memory(const void *model, size_t size,
                                      const atc_compile_options *options,
                                      atc_compiled **compiled) {
  lastWarnings.clear();
  if (!model || !compiled)
    return failArgument("the model or the result is a null pointer");
  *compiled = nullptr;
  Expected<CompileOptions> converted = convertOptions(options);
  if (!converted)
    return fail(converted.getDiagnostic());
  std::vector<uint8_t> bytes;
  atc_compile_status status =
      report(compileModel(ModelSource::bytes(model, size), *converted, bytes));
  if (status == 0)
    *compiled = new atc_compiled{std::move(bytes)};
  return status;
}

const void *atc_compiled_data(const atc_compiled *compiled) {
  return compiled ? compiled->bytes.data() : nullptr;
}

size_t atc_compiled_size(const atc_compiled *compiled) {
  return compiled ? compiled->bytes.size() : 0;
}

void atc_compiled_free(atc_compiled *compiled) { delete compiled; }
