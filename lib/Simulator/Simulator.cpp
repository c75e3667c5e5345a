// Launches: arguments, blocks on cores, the report.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Simulator/Simulator.h"
#include "Core.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

namespace atc::sim {

using namespace isa;

namespace {
constexpr uint32_t maxBlocks = 65535;
constexpr uint64_t maxBufferBytes = uint64_t(1) << 39;
} // namespace

std::string_view faultKindName(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
    return "access out of bounds";
  case FaultKind::Misaligned:
    return "misaligned field";
  case FaultKind::FieldLimit:
    return "field out of limits";
  case FaultKind::DivideByZero:
    return "division by zero";
  case FaultKind::NoEnd:
    return "no end";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::FlagId:
    return "flag id out of range";
  case FaultKind::CycleLimit:
    return "cycle limit";
  case FaultKind::Race:
    return "race";
  case FaultKind::UninitializedRead:
    return "read of bytes never written";
  case FaultKind::UndeclaredAccess:
    return "access outside of declared regions";
  case FaultKind::VectorOverlap:
    return "overlap of vector operands";
  case FaultKind::DoubleSet:
    return "flag set twice";
  case FaultKind::LeftoverFlag:
    return "flag left over";
  }
  return "";
}

struct Simulator::State {
  Image image;
  const DeviceRecord *device;
  SimulatorOptions options;

  Status checkArguments(uint32_t kernel, uint32_t blocks,
                        const std::vector<BufferBinding> &buffers,
                        const std::vector<int64_t> &scalars) const;
  Report launch(uint32_t kernel, uint32_t blocks,
                const std::vector<BufferBinding> &buffers,
                const std::vector<int64_t> &scalars) const;
  /// Vector cores that a block of a kernel uses.
  uint32_t subBlockCount(const KernelImage &kernel) const {
    return kernel.codes.size() > 1 ? device->vectorCores / device->cubeCores
                                   : 1;
  }
  /// Cores that blocks of a kernel spread over.
  uint32_t coreCount(const KernelImage &kernel) const {
    return kernel.codes.size() > 1 ? device->cubeCores
                                   : device->coreCount(kernel.codes[0].core);
  }
};

Simulator::Simulator(std::unique_ptr<State> state) : state(std::move(state)) {}
Simulator::Simulator(Simulator &&) noexcept = default;
Simulator &Simulator::operator=(Simulator &&) noexcept = default;
Simulator::~Simulator() = default;

Expected<Simulator> Simulator::create(const uint8_t *image, uint64_t size,
                                      SimulatorOptions options) {
  try {
    Expected<Image> parsed = parseImage(image, size);
    if (!parsed)
      return parsed.status();
    auto state = std::make_unique<State>();
    state->image = std::move(*parsed);
    state->device = findDevice(state->image.device);
    state->options = options;
    return Simulator(std::move(state));
  } catch (const std::bad_alloc &) {
    return Status::error(ErrorCode::OutOfMemory, "no memory for the NPU image");
  }
}

const Image &Simulator::image() const { return state->image; }
const DeviceRecord &Simulator::device() const { return *state->device; }

std::optional<uint32_t> Simulator::findKernel(uint64_t entryOffset) const {
  const std::vector<KernelImage> &kernels = state->image.kernels;
  for (size_t i = 0; i < kernels.size(); ++i)
    if (kernels[i].entryOffset == entryOffset)
      return static_cast<uint32_t>(i);
  return std::nullopt;
}

uint32_t Simulator::blockCount(uint32_t kernel, uint64_t tiles) const {
  if (kernel >= state->image.kernels.size())
    return 1;
  uint64_t cores = state->coreCount(state->image.kernels[kernel]);
  return static_cast<uint32_t>(std::max<uint64_t>(1, std::min(cores, tiles)));
}

Status
Simulator::State::checkArguments(uint32_t kernel, uint32_t blocks,
                                 const std::vector<BufferBinding> &buffers,
                                 const std::vector<int64_t> &scalars) const {
  auto error = [](std::string message) {
    return Status::error(ErrorCode::InvalidArgument, std::move(message));
  };
  if (kernel >= image.kernels.size())
    return error(
        fmt::format("NPU kernel {} of {}", kernel, image.kernels.size()));
  const KernelImage &callee = image.kernels[kernel];
  if (blocks == 0 || blocks > maxBlocks)
    return error(fmt::format("a launch of {} blocks", blocks));
  if (buffers.size() != callee.bufferCount ||
      scalars.size() != callee.scalarCount)
    return error(fmt::format(
        "NPU kernel '{}' takes {} buffers and {} scalars, got {} and {}",
        callee.name, callee.bufferCount, callee.scalarCount, buffers.size(),
        scalars.size()));
  for (const BufferBinding &buffer : buffers)
    if ((!buffer.data && buffer.bytes) || buffer.bytes > maxBufferBytes)
      return error(fmt::format("a buffer of {} bytes at {}", buffer.bytes,
                               static_cast<const void *>(buffer.data)));
  return Status::success();
}

Report Simulator::State::launch(uint32_t kernel, uint32_t blocks,
                                const std::vector<BufferBinding> &buffers,
                                const std::vector<int64_t> &scalars) const {
  const KernelImage &callee = image.kernels[kernel];
  Report report;
  FaultLog faults(report, options.maxFaults);
  GlobalMemory global(buffers);
  CacheModel cache(global);
  std::optional<GlobalShadow> shadow;
  if (options.strict)
    shadow.emplace(global);
  std::vector<int64_t> arguments;
  for (size_t i = 0; i < buffers.size(); ++i)
    arguments.push_back(global.addressOf(i));
  arguments.insert(arguments.end(), scalars.begin(), scalars.end());

  uint32_t cores = coreCount(callee);
  LaunchState launch{*device,
                     options,
                     global,
                     cache,
                     shadow ? &*shadow : nullptr,
                     arguments,
                     blocks,
                     std::min(blocks, cores),
                     report,
                     faults};
  // Blocks go to cores in turn, to the one that is free first.
  std::vector<uint64_t> freeAt(cores, 0);
  uint32_t run = 0;
  for (uint32_t block = 0; block < blocks; ++block) {
    uint64_t cycles = 0;
    for (const KernelCode &code : callee.codes) {
      uint32_t parts =
          code.core == CoreType::Vector ? subBlockCount(callee) : 1;
      for (uint32_t part = 0; part < parts; ++part) {
        Core core(launch, code.program, {block, part, code.core, run++});
        cycles = std::max(cycles, core.run());
        if (core.hasFailed())
          return report;
      }
    }
    *std::min_element(freeAt.begin(), freeAt.end()) += cycles;
  }
  report.cycles =
      device->timing.launch + *std::max_element(freeAt.begin(), freeAt.end());
  return report;
}

Expected<Report> Simulator::launch(uint32_t kernel, uint32_t blocks,
                                   const std::vector<BufferBinding> &buffers,
                                   const std::vector<int64_t> &scalars) {
  Status status = state->checkArguments(kernel, blocks, buffers, scalars);
  if (!status)
    return status;
  try {
    return state->launch(kernel, blocks, buffers, scalars);
  } catch (const std::bad_alloc &) {
    return Status::error(ErrorCode::OutOfMemory,
                         "no memory to simulate the launch");
  }
}

} // namespace atc::sim
