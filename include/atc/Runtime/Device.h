// What executes the launches of a session.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_DEVICE_H
#define ATC_RUNTIME_DEVICE_H

#include "atc/Model/Plan.h"
#include "atc/Runtime/Profile.h"

#include <cstdint>
#include <memory>

namespace atc {

class LoadedModel;

/// One launch with all its values.
struct LaunchArguments {
  /// Where operand i may be accessed.
  struct Extent {
    /// From the operand's pointer to the end of its buffer.
    uint64_t bytes;
    Access access;
  };

  uint32_t kernel = 0;
  uint32_t launch = 0;
  /// Addresses of element 0 of each operand.
  void *const *buffers = nullptr;
  const Extent *extents = nullptr;
  uint32_t bufferCount = 0;
  const int64_t *scalars = nullptr;
  uint32_t scalarCount = 0;
  int64_t tileCount = 0;
  uint64_t scratchBytes = 0;
  /// Estimates, 0 where unknown.
  uint64_t flops = 0;
  uint64_t bytes = 0;
};

/// What a device knows about a launch when it is over.
struct LaunchResult {
  /// Threads or cores that worked.
  uint32_t threads = 1;
  /// Cycles of a simulated device's clock, and that clock; 0 on the CPU.
  uint64_t cycles = 0;
  double clockHz = 0;
  /// Of a simulated device, its units.
  std::vector<UnitLoad> units = {};
};

/// Executes kernels. Buffers are host memory: a device with memory of its own
/// would be given one more interface beside this one.
class Device {
public:
  virtual ~Device() = default;

  /// Runs all tiles of a launch and waits for their end.
  virtual Expected<LaunchResult> launch(const LaunchArguments &arguments) = 0;

  /// Provides per-thread scratch ahead of the first launch.
  virtual Status reserveScratch(uint64_t bytesPerThread) = 0;
  /// Bytes of all scratch memory.
  virtual uint64_t scratchBytes() const = 0;
};

/// The CPU that this process runs on. Fails with WrongDevice if the model has
/// no code for it.
Expected<std::unique_ptr<Device>>
createCpuDevice(const std::shared_ptr<const LoadedModel> &model,
                unsigned threads);

/// A simulated NPU. `strict` also looks for races and uninitialized reads.
/// Fails with WrongDevice for a model of another kind.
Expected<std::unique_ptr<Device>>
createSimulatorDevice(const std::shared_ptr<const LoadedModel> &model,
                      bool strict);

} // namespace atc

#endif // ATC_RUNTIME_DEVICE_H
