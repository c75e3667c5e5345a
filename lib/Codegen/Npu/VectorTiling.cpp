// Chooses tiles of a group of elementwise ops.
// SPDX-License-Identifier: Apache-2.0
#include "VectorTiling.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static constexpr int64_t blockBytes = 32;
/// Whole repeats of every type.
static constexpr int64_t repeatElements = 128;

/// Bytes of UB for each element of a tile: two slots of what is transferred,
/// one of each temporary.
static int64_t bytesPerElement(const VectorProblem &problem) {
  int64_t bytes = TemporaryPlan(problem).count * byteSize(problem.computeType);
  for (const auto *group : {&problem.inputs, &problem.outputs})
    for (const VectorTensor &tensor : *group)
      bytes += 2 * tensor.elementBytes();
  return bytes;
}

/// Elements of a block of the narrowest type.
static int64_t pitchUnit(const VectorProblem &problem) {
  int64_t narrowest = byteSize(problem.computeType);
  for (const auto *group : {&problem.inputs, &problem.outputs})
    for (const VectorTensor &tensor : *group)
      narrowest = std::min(narrowest, tensor.elementBytes());
  return blockBytes / narrowest;
}

/// Constants have a block each; rows end in whole repeats.
static int64_t maxElements(const VectorProblem &problem,
                           const hw::DeviceRecord &device) {
  int64_t constants = 0;
  for (Operation *op : problem.ops)
    constants += llvm::count_if(op->getOperands(), [](Value operand) {
      return getSplat(operand).has_value();
    });
  int64_t room = static_cast<int64_t>(device.bytesOf(hw::Space::UB)) -
                 constants * blockBytes;
  constexpr int64_t limit = 32768;
  int64_t elements = std::min(room / bytesPerElement(problem), limit);
  return elements / repeatElements * repeatElements;
}

int64_t VectorTiling::tileCount(const VectorProblem &problem) const {
  int64_t count = rowTiles(problem) * runTiles(problem);
  for (int64_t size : problem.outer)
    count *= size;
  return count;
}

std::optional<VectorTiling> VectorTiling::create(const VectorProblem &problem,
                                                 const hw::DeviceRecord &device,
                                                 int64_t rows, int64_t run) {
  constexpr int64_t maxRows = 4095;
  if (rows < 1 || run < 1 || rows > maxRows)
    return std::nullopt;
  VectorTiling tiling;
  tiling.rows = rows;
  tiling.run = run;
  tiling.pitch = llvm::alignTo(run, pitchUnit(problem));
  tiling.elements = llvm::alignTo(rows * tiling.pitch, repeatElements);
  if (tiling.elements > maxElements(problem, device))
    return std::nullopt;
  return tiling;
}

std::optional<VectorTiling>
VectorTiling::choose(const VectorProblem &problem,
                     const hw::DeviceRecord &device) {
  int64_t room = maxElements(problem, device);
  if (room < repeatElements)
    return std::nullopt;
  int64_t unit = pitchUnit(problem);
  int64_t cores = device.vectorCores;
  if (llvm::alignTo(problem.run, unit) > static_cast<uint64_t>(room)) {
    // A long run is divided evenly.
    int64_t parts = llvm::divideCeil(problem.run, room);
    int64_t run = llvm::alignTo(llvm::divideCeil(problem.run, parts), unit);
    return create(problem, device, 1, std::min(run, room));
  }
  int64_t pitch = llvm::alignTo(problem.run, unit);
  constexpr int64_t maxRows = 4095;
  int64_t rows = std::min({problem.rows, room / pitch, maxRows});
  std::optional<VectorTiling> tiling =
      create(problem, device, rows, problem.run);
  // Smaller tiles keep all cores busy.
  while (tiling && tiling->tileCount(problem) < cores && tiling->rows > 1)
    tiling =
        create(problem, device, llvm::divideCeil(tiling->rows, 2), problem.run);
  if (tiling && tiling->rows == 1 && tiling->tileCount(problem) < cores) {
    int64_t run = llvm::alignTo(llvm::divideCeil(problem.run, cores), unit);
    if (std::optional<VectorTiling> split = create(problem, device, 1, run))
      return split;
  }
  return tiling;
}

double VectorTiling::estimateCycles(const VectorProblem &problem,
                                    const hw::DeviceRecord &device) const {
  auto transfer = [&](ArrayRef<VectorTensor> tensors, double rate) {
    double cycles = 0;
    for (const VectorTensor &tensor : tensors)
      cycles +=
          rows * llvm::alignTo(run * tensor.elementBytes(), blockBytes) / rate;
    return cycles;
  };
  double in = transfer(problem.inputs, std::max(1u, device.ports.gmToUb));
  double out = transfer(problem.outputs, std::max(1u, device.ports.ubToGm));
  double repeats = static_cast<double>(elements) / 64;
  double compute = repeats * (problem.ops.size() * 1.5 + problem.inputs.size());
  double turns = static_cast<double>(
      llvm::divideCeil(tileCount(problem), device.vectorCores));
  return turns * std::max({in, out, compute}) + device.timing.mte2HitLatency +
         device.timing.mte3Latency + in + out + device.timing.launch;
}
