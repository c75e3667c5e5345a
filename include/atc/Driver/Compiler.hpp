// The C++ interface of OpenATC's compiler: a header over atc_compiler.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DRIVER_COMPILER_HPP
#define ATC_DRIVER_COMPILER_HPP

#include "atc/Driver/atc_compiler.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace atc::compiler {

/// A failed compilation: the number of its first error and the text of all.
class Error : public std::runtime_error {
public:
  explicit Error(atc_compile_status status)
      : std::runtime_error(atc_compiler_last_error()), number(status) {}
  atc_compile_status status() const { return number; }

private:
  atc_compile_status number;
};

/// What a compilation does; see atc_compile_options.
struct Options {
  std::string target = "CPU";
  std::vector<std::pair<std::string, std::vector<int64_t>>> inputShapes;
  std::vector<std::string> outputs;
  atc_precision precision = ATC_PRECISION_DEFAULT;
  std::string modelName;
  unsigned threads = 0;
};

namespace detail {

/// Options in the form of the C interface, which refer to those of C++.
class Arguments {
public:
  explicit Arguments(const Options &from) {
    for (const auto &[name, dims] : from.inputShapes)
      shapes.push_back({name.c_str(), dims.size(), dims.data()});
    for (const std::string &output : from.outputs)
      outputs.push_back(output.c_str());
    atc_compile_options_init(&options);
    options.target = from.target.c_str();
    options.input_shapes = shapes.data();
    options.input_shape_count = shapes.size();
    options.outputs = outputs.data();
    options.output_count = outputs.size();
    options.precision = from.precision;
    options.model_name = from.modelName.c_str();
    options.threads = from.threads;
  }
  const atc_compile_options *get() const { return &options; }

private:
  std::vector<atc_input_shape> shapes;
  std::vector<const char *> outputs;
  atc_compile_options options;
};

inline void check(atc_compile_status status) {
  if (status != 0)
    throw Error(status);
}

} // namespace detail

/// Compiles an ONNX file to a file, which appears whole or not at all. Throws
/// Error.
inline void compileFile(const std::string &modelPath,
                        const std::string &outputPath,
                        const Options &options = {}) {
  detail::Arguments arguments(options);
  detail::check(
      atc_compile_file(modelPath.c_str(), arguments.get(), outputPath.c_str()));
}

/// Compiles an ONNX model in memory to the bytes of an offline model. Throws
/// Error.
inline std::vector<uint8_t> compile(const void *model, size_t size,
                                    const Options &options = {}) {
  detail::Arguments arguments(options);
  atc_compiled *compiled = nullptr;
  detail::check(atc_compile_memory(model, size, arguments.get(), &compiled));
  const auto *data = static_cast<const uint8_t *>(atc_compiled_data(compiled));
  std::vector<uint8_t> bytes(data, data + atc_compiled_size(compiled));
  atc_compiled_free(compiled);
  return bytes;
}

} // namespace atc::compiler

#endif // ATC_DRIVER_COMPILER_HPP
