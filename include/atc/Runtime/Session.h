// One execution context of a loaded model.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_SESSION_H
#define ATC_RUNTIME_SESSION_H

#include "atc/Runtime/LoadedModel.h"
#include "atc/Runtime/Profile.h"
#include "atc/Runtime/TensorRef.h"

#include <functional>
#include <memory>

namespace atc {

enum class DeviceKind : uint8_t { Cpu = 0, Simulator = 1 };

struct SessionOptions {
  DeviceKind device = DeviceKind::Cpu;
  /// The caller's thread among them; 0: one per processor of this process.
  unsigned threads = 0;
  /// Simulator: look for races and reads of uninitialized memory too.
  bool strictSimulation = false;
};

/// In bytes, as atc_memory_info.
struct SessionMemoryInfo {
  uint64_t weights = 0;
  bool weightsAreResident = false;
  uint64_t arena = 0;
  uint64_t arenaLowerBound = 0;
  uint64_t variables = 0;
  uint64_t ports = 0;
  uint64_t scratch = 0;
};

/// Receives a tensor of the source model: its name, the nodes that wrote it,
/// and its values in row-major order.
using DumpFunction = std::function<void(
    const std::string &name, const std::string &source, const TensorRef &)>;

/// Owns arena and variables. Not to be used by two threads at a time. The calls
/// mean what those of atc_runtime.h mean; indices must be in range.
class Session {
public:
  static Expected<std::unique_ptr<Session>>
  create(std::shared_ptr<const LoadedModel> model,
         const SessionOptions &options = {});
  ~Session();

  const LoadedModel &model() const;

  Status setInput(size_t index, const void *data, uint64_t bytes,
                  const int64_t *sizes, size_t rank);
  Status bindInput(size_t index, const void *data, uint64_t bytes,
                   const int64_t *sizes, size_t rank);
  /// The tensor lives until the input's shape changes.
  Expected<const TensorRef *> inputBuffer(size_t index, const int64_t *sizes,
                                          size_t rank);
  Status bindOutput(size_t index, void *data, uint64_t capacity);

  Status run();
  /// The result of the last run, or InvalidArgument if there is none.
  Expected<const TensorRef *> output(size_t index) const;

  void resetVariables();
  SessionMemoryInfo memoryInfo() const;

  void setProfiling(bool enable);
  const Profile &profile() const;
  void setDump(DumpFunction function);

private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace atc

#endif // ATC_RUNTIME_SESSION_H
