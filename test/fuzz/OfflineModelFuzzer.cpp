// Feeds bytes to the reader of offline models; plans that pass all checks and
// have no code of their own are run.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Model/OfflineModelWriter.h"
#include "atc/Runtime/Session.h"

#include <algorithm>
#include <vector>

using namespace atc;

/// Runs may take memory and time that the input decides; only small ones help.
static bool isWorthRunning(const Plan &plan) {
  static constexpr int64_t limit = 1 << 16;
  auto isLoop = [](const PlanInstruction &instruction) {
    return std::holds_alternative<LoopInstruction>(instruction.operation);
  };
  auto isLarge = [](const PlanBuffer &buffer) {
    return buffer.bytes.isStatic() && buffer.bytes.value() > limit;
  };
  return plan.kernels.empty() && plan.targetKind == TargetKind::Cpu &&
         plan.arenaBytes < limit && plan.variableBytes < limit &&
         std::none_of(plan.body.begin(), plan.body.end(), isLoop) &&
         std::none_of(plan.buffers.begin(), plan.buffers.end(), isLarge);
}

static void run(const Plan &plan) {
  Expected<std::vector<uint8_t>> bytes = serializePlan(plan);
  if (!bytes)
    return;
  MemorySink sink;
  Expected<OfflineModelWriter> writer =
      OfflineModelWriter::begin(sink, {"fuzz", "", false}, *bytes);
  std::vector<uint8_t> weights(4096, 0x5a);
  (void)writer->appendWeights(weights.data(), weights.size());
  (void)writer->finish({}, {});
  Expected<std::shared_ptr<const LoadedModel>> model =
      LoadedModel::fromMemory(sink.bytes.data(), sink.bytes.size());
  if (!model)
    return;
  Expected<std::unique_ptr<Session>> session =
      Session::create(*model, {DeviceKind::Cpu, 1, false});
  if (!session)
    return;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    std::vector<int64_t> sizes;
    for (const PlanView::Dim &dim : plan.views[plan.inputs[i].view].dims)
      sizes.push_back(dim.size.isStatic() ? dim.size.value() : 3);
    (void)(*session)->inputBuffer(i, sizes.data(), sizes.size());
  }
  for (int round = 0; round < 2; ++round)
    (void)(*session)->run();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)OfflineModel::fromMemory(data, size);
  Expected<Plan> plan = parsePlan(data, size);
  if (plan && isWorthRunning(*plan))
    run(*plan);
  return 0;
}
