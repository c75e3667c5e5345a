// Launches on the processor: mapped code and the thread pool.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/CpuCode.h"
#include "atc/Runtime/CpuFeatures.h"
#include "atc/Runtime/Device.h"
#include "atc/Runtime/LoadedModel.h"
#include "atc/Runtime/PageMemory.h"
#include "atc/Runtime/ThreadPool.h"

#include "atc/Support/CheckedMath.h"

#include <algorithm>

namespace atc {
namespace {

class CpuDevice final : public Device {
public:
  CpuDevice(CpuCode code, unsigned threads)
      : code(std::move(code)), threads(threads) {}

  Status resolveEntries(const Plan &plan, uint32_t image);

  Expected<LaunchResult> launch(const LaunchArguments &arguments) override;
  Status reserveScratch(uint64_t bytesPerThread) override;
  uint64_t scratchBytes() const override { return scratch.size(); }

private:
  unsigned partsFor(const LaunchArguments &arguments) const;

  CpuCode code;
  unsigned threads;
  /// Of each kernel, its launches' functions.
  std::vector<std::vector<atc_kernel>> entries;
  PageMemory scratch;
  uint64_t scratchPerThread = 0;
};

/// What the threads of one launch share.
struct LaunchTask {
  LaunchContext context;
  atc_kernel kernel;
  const LaunchArguments *arguments;
  uint8_t *scratch;
  uint64_t scratchPerThread;
};

/// First tile of part `part`; 128 bits keep the product exact.
int64_t tileBegin(int64_t tiles, unsigned part, unsigned parts) {
  return static_cast<int64_t>(static_cast<__int128>(tiles) * part / parts);
}

void runPart(void *context, unsigned part, unsigned parts) {
  const auto &task = *static_cast<const LaunchTask *>(context);
  const LaunchArguments &arguments = *task.arguments;
  task.kernel(&task.context, arguments.buffers, arguments.scalars,
              task.scratch ? task.scratch + part * task.scratchPerThread
                           : nullptr,
              tileBegin(arguments.tileCount, part, parts),
              tileBegin(arguments.tileCount, part + 1, parts));
}

Status describeFault(const LaunchContext &context) {
  if (context.has(ATC_KERNEL_FAULT_INDEX))
    return Status::error(ErrorCode::ExecutionFailed,
                         "an index points outside of the dimension that it "
                         "selects from; expects one from -n to n - 1 where the "
                         "dimension has n elements",
                         {}, "Correct the indices in the data.");
  return Status::error(ErrorCode::ExecutionFailed,
                       "the kernel reported a fault that is unknown");
}

} // namespace

Status CpuDevice::resolveEntries(const Plan &plan, uint32_t image) {
  for (const PlanKernel &kernel : plan.kernels) {
    std::vector<atc_kernel> &functions = entries.emplace_back();
    for (const PlanKernel::Launch &launch : kernel.launches) {
      functions.push_back(code.entry(launch.entries[image]));
      if (!functions.back())
        return Status::error(ErrorCode::DamagedOfflineModel,
                             "the entry of kernel '" + kernel.name +
                                 "' is not in its code");
    }
  }
  return Status::success();
}

/// Waking other threads costs about a microsecond: launches that take hardly
/// longer than that stay on the caller's.
unsigned CpuDevice::partsFor(const LaunchArguments &arguments) const {
  int64_t parts = std::min<int64_t>(threads, arguments.tileCount);
  static constexpr uint64_t smallFlops = 40'000, smallBytes = 40'000;
  bool isKnown = arguments.flops != 0 || arguments.bytes != 0;
  if (isKnown && arguments.flops < smallFlops && arguments.bytes < smallBytes)
    parts = std::min<int64_t>(parts, 1);
  return static_cast<unsigned>(parts);
}

Status CpuDevice::reserveScratch(uint64_t bytesPerThread) {
  // Whole cache lines, and no two threads' scratch at the same distance from a
  // page's begin.
  std::optional<uint64_t> stride = checkedAlignTo<uint64_t>(bytesPerThread, 64);
  if (stride)
    stride = checkedAdd<uint64_t>(*stride, 64);
  if (stride && *stride <= scratchPerThread)
    return Status::success();
  std::optional<uint64_t> total =
      stride ? checkedMultiply<uint64_t>(*stride, threads) : std::nullopt;
  if (!total)
    return Status::error(ErrorCode::OutOfMemory,
                         "a kernel asks for " + std::to_string(bytesPerThread) +
                             " bytes of scratch");
  Expected<PageMemory> memory = PageMemory::allocate(*total);
  if (!memory)
    return memory.status();
  scratch = std::move(*memory);
  scratchPerThread = *stride;
  return Status::success();
}

Expected<LaunchResult> CpuDevice::launch(const LaunchArguments &arguments) {
  if (arguments.tileCount == 0)
    return LaunchResult{0, 0, 0};
  if (arguments.scratchBytes != 0)
    if (Status status = reserveScratch(arguments.scratchBytes); !status)
      return status;
  LaunchTask task{{},
                  entries[arguments.kernel][arguments.launch],
                  &arguments,
                  scratch.data(),
                  scratchPerThread};
  unsigned parts = partsFor(arguments);
  ThreadPool::shared().run(parts, runPart, &task);
  if (task.context.hasFaults())
    return describeFault(task.context);
  return LaunchResult{parts, 0, 0};
}

Expected<std::unique_ptr<Device>>
createCpuDevice(const std::shared_ptr<const LoadedModel> &model,
                unsigned threads) {
  const Plan &plan = model->plan();
  if (plan.targetKind != TargetKind::Cpu)
    return Status::error(ErrorCode::WrongDevice,
                         "the model is for " + plan.targetName +
                             ", which this machine does not have");
  if (Status status = ThreadPool::shared().reserve(threads); !status)
    return status;
  if (plan.kernels.empty())
    return std::unique_ptr<Device>();
  Expected<uint32_t> image = selectCodeImage(plan);
  if (!image)
    return image.getDiagnostic();
  const PlanCodeImage &range = plan.codeImages[*image];
  ByteRange code{model->file().code().data + range.offset, range.bytes};
  Expected<CpuCode> mapped =
      CpuCode::load(code, {model->file().descriptor(),
                           model->file().codeFileOffset() + range.offset});
  if (!mapped)
    return mapped.getDiagnostic();
  auto device = std::make_unique<CpuDevice>(std::move(*mapped), threads);
  if (Status status = device->resolveEntries(plan, *image); !status)
    return status;
  return std::unique_ptr<Device>(std::move(device));
}

} // namespace atc
