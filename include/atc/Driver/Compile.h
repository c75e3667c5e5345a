// From a model to an offline model, in one call.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_DRIVER_COMPILE_H
#define ATC_DRIVER_COMPILE_H

#include "atc/Support/Diagnostic.h"
#include "atc/Support/ElementType.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atc {

/// The format of a source model, by ATC's number.
enum class Framework : uint8_t { Onnx = 5 };

/// How element types are chosen.
enum class Precision : uint8_t {
  /// What fits the target: Origin on a CPU, ForceFloat16 on an NPU.
  Default,
  /// As the model says.
  Origin,
  /// float32 becomes float16.
  ForceFloat16,
};

/// A model to compile: a file, or bytes that outlive the call. Bytes can not
/// refer to external data.
struct ModelSource {
  std::string path;
  const void *data = nullptr;
  size_t size = 0;

  static ModelSource file(std::string path) { return {std::move(path)}; }
  static ModelSource bytes(const void *data, size_t size) {
    return {{}, data, size};
  }
};

/// What a compilation does. Everything here is in the file's bytes; nothing
/// else is, no path and no time.
struct CompileOptions {
  /// Sizes of an input; -1 keeps the model's.
  struct InputShape {
    std::string name;
    std::vector<int64_t> sizes;
  };
  /// A new element type for an output, or for all where `output` is empty.
  struct OutputType {
    std::string output;
    ElementType type = ElementType::F32;
  };

  Framework framework = Framework::Onnx;
  /// The target's name; "CPU" is the best level that this machine has.
  std::string target;
  std::vector<InputShape> inputShapes;
  /// Where the graph ends: names of values, or `node:index`. Empty: the model's
  /// outputs.
  std::vector<std::string> outputs;
  std::vector<OutputType> outputTypes;
  Precision precision = Precision::Default;
  /// Stored in the file's header, at most 31 bytes.
  std::string modelName;
  /// Checks the IR after each pass and the contract at the end of each phase;
  /// for tests. Not in the file's bytes.
  bool verifyPhases = false;
  /// Threads to compile with; 0: one per processor. Not in the file's bytes.
  unsigned threads = 0;
  /// Where to write IR that reproduces a failure of the compiler itself; empty:
  /// nowhere. Not in the file's bytes.
  std::string reproducerPath;
};

/// Watches a compilation; every function does nothing unless overridden.
/// Called from the compiling thread, except `remark`.
class CompileObserver {
public:
  virtual ~CompileObserver();
  /// A phase begins; it is number `index` of `count`.
  virtual void beginPhase(std::string_view name, unsigned index,
                          unsigned count);
  virtual void endPhase(std::string_view name, double seconds);
  /// Whether remarks are wanted at all; they cost time.
  virtual bool wantsRemarks() const;
  /// What an optimization did or did not do. From any thread, one at a time.
  virtual void remark(std::string_view text);
  /// Facts about the compilation, for a log.
  virtual void note(std::string_view text);
};

/// Why a compilation failed: empty on success. All unsupported operators of a
/// model are one diagnostic.
struct CompileResult {
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;

  bool ok() const { return errors.empty(); }
};

/// Compiles a model to a file, which appears whole or not at all.
CompileResult compileModelToFile(const ModelSource &source,
                                 const CompileOptions &options,
                                 const std::string &outputPath,
                                 CompileObserver *observer = nullptr);

/// Compiles a model to the bytes of an offline model.
CompileResult compileModel(const ModelSource &source,
                           const CompileOptions &options,
                           std::vector<uint8_t> &output,
                           CompileObserver *observer = nullptr);

/// Runs the phases up to `phase` (import, shape, ...) and prints the IR.
CompileResult printPhase(const ModelSource &source,
                         const CompileOptions &options, std::string_view phase,
                         std::string &text,
                         CompileObserver *observer = nullptr);

/// A compilation's phases in order: the names that `printPhase` and observers
/// use.
std::vector<std::string> compilePhases();

/// The passes of each phase for a target, one line per phase.
Expected<std::string> describePasses(const CompileOptions &options);

/// The names that CompileOptions::target takes.
std::vector<std::string> targetNames();

} // namespace atc

#endif // ATC_DRIVER_COMPILE_H
