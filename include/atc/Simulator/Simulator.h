// Runs NPU kernel images: what they compute, whether they may, how long.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_SIMULATOR_SIMULATOR_H
#define ATC_SIMULATOR_SIMULATOR_H

#include "atc/Isa/Image.h"
#include "atc/Support/Diagnostic.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atc::sim {

struct SimulatorOptions {
  /// Looks for races, reads of bytes that nothing wrote, leftover flags and
  /// accesses that the instruction table does not declare. Everything that
  /// protects the host is checked in any case.
  bool strict = false;
  /// Faults kept in a report; more are counted only.
  unsigned maxFaults = 32;
  /// A launch that takes longer is stopped: guards against endless loops.
  uint64_t maxCycles = uint64_t(1) << 30;
};

/// What a kernel did wrong.
enum class FaultKind : uint8_t {
  // End the block.
  OutOfBounds,
  Misaligned,
  FieldLimit,
  DivideByZero,
  NoEnd,
  Deadlock,
  FlagId,
  CycleLimit,
  // Found in strict mode; the block goes on.
  Race,
  UninitializedRead,
  UndeclaredAccess,
  VectorOverlap,
  DoubleSet,
  LeftoverFlag,
};
std::string_view faultKindName(FaultKind kind);

/// One finding, with the instruction that it was found at.
struct Fault {
  FaultKind kind;
  uint32_t block = 0;
  isa::CoreType core = isa::CoreType::Fused;
  /// Index of the instruction in its program, and, of a race, of the earlier
  /// party and its block.
  uint32_t instruction = 0;
  uint32_t otherInstruction = 0;
  uint32_t otherBlock = 0;
  /// Instructions, spaces, addresses, as a sentence without full stop.
  std::string message;
};

/// What a launch did.
struct Report {
  /// From the host's call to the end of the last block, at `device` clock.
  uint64_t cycles = 0;
  /// Cycles that each pipe was occupied, over all blocks.
  std::array<uint64_t, isa::pipeCount> busy{};
  /// Executed instructions, over all blocks.
  uint64_t instructions = 0;
  /// Bytes moved from and to global memory.
  uint64_t gmReadBytes = 0, gmWriteBytes = 0;
  std::vector<Fault> faults;
  /// Faults found, kept or not.
  uint64_t faultCount = 0;

  bool clean() const { return faultCount == 0; }
};

/// A buffer argument: host memory that stands for global memory.
struct BufferBinding {
  void *data = nullptr;
  uint64_t bytes = 0;
  /// The kernel may read bytes that it has not written itself.
  bool initialized = true;
  /// The kernel may write.
  bool writable = true;
};

/// A device with a loaded image. One launch at a time; separate simulators may
/// run on separate threads. Images may be hostile: no program can reach host
/// memory outside its bindings, run for ever or crash.
class Simulator {
public:
  /// Parses and checks an image; fails as isa::parseImage does.
  static Expected<Simulator> create(const uint8_t *image, uint64_t size,
                                    SimulatorOptions options = {});

  Simulator(Simulator &&) noexcept;
  Simulator &operator=(Simulator &&) noexcept;
  ~Simulator();

  const isa::Image &image() const;
  const isa::DeviceRecord &device() const;
  /// Index of the kernel that the plan names by its entry offset.
  std::optional<uint32_t> findKernel(uint64_t entryOffset) const;
  /// Blocks that a launch of `tiles` tiles best uses: no more than cores.
  uint32_t blockCount(uint32_t kernel, uint64_t tiles) const;

  /// Runs `blocks` blocks of a kernel to their ends. Bindings may overlap in
  /// host memory. Fails with InvalidArgument if kernel, counts or bindings do
  /// not fit; what the program does wrong stands in the report.
  Expected<Report> launch(uint32_t kernel, uint32_t blocks,
                          const std::vector<BufferBinding> &buffers,
                          const std::vector<int64_t> &scalars);

private:
  struct State;
  explicit Simulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace atc::sim

#endif // ATC_SIMULATOR_SIMULATOR_H
