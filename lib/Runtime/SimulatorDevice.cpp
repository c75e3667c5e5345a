// Launches on a simulated NPU.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/Device.h"
#include "atc/Runtime/LoadedModel.h"
#include "atc/Simulator/Simulator.h"

namespace atc {
namespace {

class SimulatorDevice final : public Device {
public:
  explicit SimulatorDevice(sim::Simulator simulator)
      : simulator(std::move(simulator)) {}

  Status resolveEntries(const Plan &plan);

  Expected<LaunchResult> launch(const LaunchArguments &arguments) override;
  /// Cores have buffers of their own.
  Status reserveScratch(uint64_t) override { return Status::success(); }
  uint64_t scratchBytes() const override { return 0; }

private:
  sim::Simulator simulator;
  /// Of each kernel, its launches' numbers in the image.
  std::vector<std::vector<uint32_t>> entries;
  std::vector<sim::BufferBinding> bindings;
  std::vector<int64_t> scalars;
};

} // namespace

Status SimulatorDevice::resolveEntries(const Plan &plan) {
  for (const PlanKernel &kernel : plan.kernels) {
    std::vector<uint32_t> &numbers = entries.emplace_back();
    for (const PlanKernel::Launch &launch : kernel.launches) {
      std::optional<uint32_t> number =
          simulator.findKernel(launch.entries.front());
      if (!number)
        return Status::error(ErrorCode::DamagedOfflineModel,
                             "the entry of kernel '" + kernel.name +
                                 "' is not in its code");
      numbers.push_back(*number);
    }
  }
  return Status::success();
}

Expected<LaunchResult>
SimulatorDevice::launch(const LaunchArguments &arguments) {
  if (arguments.tileCount == 0)
    return LaunchResult{0, 0, 0};
  uint32_t kernel = entries[arguments.kernel][arguments.launch];
  bindings.clear();
  for (uint32_t i = 0; i < arguments.bufferCount; ++i) {
    const LaunchArguments::Extent &extent = arguments.extents[i];
    bindings.push_back({arguments.buffers[i], extent.bytes,
                        extent.access != Access::Write,
                        extent.access != Access::Read});
  }
  scalars.assign(arguments.scalars, arguments.scalars + arguments.scalarCount);
  uint32_t blocks =
      simulator.blockCount(kernel, static_cast<uint64_t>(arguments.tileCount));
  Expected<sim::Report> report =
      simulator.launch(kernel, blocks, bindings, scalars);
  if (!report)
    return report.getDiagnostic();
  if (!report->clean()) {
    std::string message;
    for (const sim::Fault &fault : report->faults)
      message += (message.empty() ? "" : "\n        ") +
                 std::string(sim::faultKindName(fault.kind)) + ": " +
                 fault.message;
    if (report->faultCount > report->faults.size())
      message += "\n        and " +
                 std::to_string(report->faultCount - report->faults.size()) +
                 " more";
    return Status::error(ErrorCode::SimulationFault, std::move(message));
  }
  LaunchResult result{blocks, report->cycles, simulator.device().cubeMHz * 1e6};
  for (unsigned pipe = 0; pipe < isa::pipeCount; ++pipe)
    result.units.push_back(
        {isa::pipeName(static_cast<isa::Pipe>(pipe)), report->busy[pipe]});
  return result;
}

Expected<std::unique_ptr<Device>>
createSimulatorDevice(const std::shared_ptr<const LoadedModel> &model,
                      bool strict) {
  const Plan &plan = model->plan();
  if (plan.targetKind != TargetKind::Npu)
    return Status::error(ErrorCode::WrongDevice,
                         "the model is for " + plan.targetName +
                             ", which is not simulated",
                         {}, "Run it without --device=sim.");
  if (plan.kernels.empty())
    return std::unique_ptr<Device>();
  sim::SimulatorOptions options;
  options.strict = strict;
  const PlanCodeImage &range = plan.codeImages.front();
  Expected<sim::Simulator> simulator = sim::Simulator::create(
      model->file().code().data + range.offset, range.bytes, options);
  if (!simulator)
    return simulator.getDiagnostic();
  auto device = std::make_unique<SimulatorDevice>(std::move(*simulator));
  if (Status status = device->resolveEntries(plan); !status)
    return status;
  return std::unique_ptr<Device>(std::move(device));
}

} // namespace atc
