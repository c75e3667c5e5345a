// Searches tiles of an implicit GEMM by the timing model.
// SPDX-License-Identifier: Apache-2.0
#include "CubeTiling.h"
#include "atc/Isa/Timing.h"

using namespace mlir;
using namespace mlir::atc::npu;
namespace hw = ::atc::isa;

static constexpr int64_t fractalBytes = 512;

int64_t CubeTiling::tileCount(const CubeProblem &problem) const {
  return problem.batches * llvm::divideCeil(problem.outHeight, rows) *
         llvm::divideCeil(problem.outWidth, columns) *
         llvm::divideCeil(problem.outChannels, channels);
}

int64_t CubeTiling::imageBytes(const CubeProblem &problem) const {
  return channelBlocks * problem.imageRows(rows) *
         problem.imageColumns(columns) * 32;
}

int64_t CubeTiling::filterBytes(const CubeProblem &problem) const {
  return channelBlocks * problem.taps() * channels / 16 * fractalBytes;
}

int64_t CubeTiling::accumulatorBytes() const {
  return llvm::alignTo(pixels(), 16) * channels * 4;
}

bool CubeTiling::fits(const CubeProblem &problem,
                      const hw::DeviceRecord &device) const {
  int64_t left = llvm::divideCeil(pixels(), 16) * depthBlocks * fractalBytes;
  int64_t right = channels / 16 * depthBlocks * fractalBytes;
  auto bytesOf = [&](hw::Space space) {
    return static_cast<int64_t>(device.bytesOf(space));
  };
  if (2 * left > bytesOf(hw::Space::L0A) ||
      2 * right > bytesOf(hw::Space::L0B) ||
      accumulators * llvm::alignTo(accumulatorBytes(), 1024) >
          static_cast<uint64_t>(bytesOf(hw::Space::L0C)))
    return false;
  int64_t biasBytes =
      problem.epilogue.bias
          ? 2 * llvm::alignTo(channels * byteSize(problem.biasType), 32)
          : 0;
  if (problem.epilogue.bias &&
      2 * llvm::alignTo(channels * 4, 64) >
          static_cast<uint64_t>(bytesOf(hw::Space::BT)))
    return false;
  if (2 * (imageBytes(problem) + filterBytes(problem)) + biasBytes >
      bytesOf(hw::Space::L1))
    return false;
  // Fields of the instructions.
  int64_t imageRows = problem.imageRows(rows);
  int64_t imageColumns = problem.imageColumns(columns);
  return pixels() <= 4095 && channels <= 4095 &&
         depthBlocks * problem.blockElements() <= 4095 &&
         depthBlocks * channels / 16 <= 255 && channelBlocks <= 4095 &&
         channelBlocks * problem.taps() <= 4095 && imageRows <= 4095 &&
         imageColumns <= 16384 && imageRows * imageColumns <= 16384 * 4;
}

namespace {

/// Cost of an instruction by its fields, in stream.
template <typename Fields>
hw::Cost costOf(const Fields &fields, const hw::DeviceRecord &device) {
  hw::Instruction instruction = hw::toInstruction(fields);
  hw::ResolvedInstruction resolved;
  resolved.opcode = instruction.opcode;
  resolved.modifiers = instruction.modifiers;
  for (unsigned i = 0; i < hw::maxOperands; ++i)
    resolved.values[i] = instruction.operands[i].value;
  hw::CostContext context;
  context.pipeIdle = false;
  context.activeCores = device.cubeCores;
  return hw::instructionCost(resolved, device, context);
}

int32_t field(int64_t value) { return static_cast<int32_t>(value); }

} // namespace

double CubeTiling::estimateCycles(const CubeProblem &problem,
                                  const hw::DeviceRecord &device) const {
  int64_t m = std::min(pixels(), problem.outHeight * problem.outWidth);
  int64_t n = channels, elements = problem.blockElements();
  int64_t imageRows = problem.imageRows(rows);
  int64_t imageColumns = problem.imageColumns(columns);
  int64_t depth = std::min(depthBlocks, channelBlocks * problem.taps());
  hw::Cost image = costOf(hw::Nd2Nz{hw::ElementWidth::B16, hw::Toggle::Off, 0,
                                    0, 1, field(imageRows * imageColumns),
                                    field(channelBlocks * elements), 0,
                                    field(problem.leftPixel * 2), 0, 0},
                          device);
  hw::Cost filter =
      costOf(hw::CopyGmToL1{0, 0, field(channelBlocks * problem.taps()),
                            field(n / 16 * fractalBytes), 0, 0},
             device);
  hw::Cost left =
      costOf(hw::Load2dL0A{hw::Toggle::Off, 0, 0,
                           field(llvm::divideCeil(m, 16) * depth), 1, 1},
             device);
  hw::Cost right =
      costOf(hw::Load2dL0B{hw::Toggle::Off, 0, 0, field(n / 16 * depth), 1, 1},
             device);
  hw::Cost mmad =
      costOf(hw::Mmad{problem.type, hw::MmadInit::Accumulate, 0, 0, 0, 0,
                      field(m), field(n), field(depth * elements)},
             device);
  hw::Cost out = costOf(
      hw::FixpipeToGm{hw::DataType::F32, problem.outType, hw::Activation::None,
                      hw::FixpipeLayout::Nd, 0, 0, field(m), field(n), 0,
                      field(llvm::alignTo(m, 16) * 64)},
      device);
  double channelTurns = channelSteps(problem);
  double depthTurns = channelTurns * depthSteps(problem);
  double transfer = channelTurns * (image.occupancy + filter.occupancy);
  double operands = depthTurns * (left.occupancy + right.occupancy);
  double products = depthTurns * mmad.occupancy;
  double leaving = static_cast<double>(out.occupancy);
  // With one accumulator, what leaves does not overlap with products.
  double tail = accumulators > 1 ? 0 : leaving;
  double tile = std::max({transfer, operands, products + tail, leaving}) +
                (channelTurns > 1 ? 0.0 : static_cast<double>(image.latency));
  double fill = static_cast<double>(image.latency + filter.latency +
                                    left.latency + mmad.latency + leaving);
  double turns = static_cast<double>(
      llvm::divideCeil(tileCount(problem), device.cubeCores));
  return turns * tile + fill + device.timing.launch;
}

/// 16, 32, 64, ... up to the first that covers `size`.
static SmallVector<int64_t> powersUpTo(int64_t size, int64_t first) {
  SmallVector<int64_t> result;
  for (int64_t value = first;; value *= 2) {
    result.push_back(value);
    if (value >= size)
      return result;
  }
}

/// Whole rows of output pixels, or parts of one row.
static SmallVector<std::pair<int64_t, int64_t>>
pixelTiles(const CubeProblem &problem) {
  SmallVector<std::pair<int64_t, int64_t>> tiles;
  for (int64_t rows : powersUpTo(problem.outHeight, 1))
    tiles.push_back({std::min(rows, problem.outHeight), problem.outWidth});
  for (int64_t columns : powersUpTo(problem.outWidth, 16))
    if (columns < problem.outWidth)
      for (int64_t rows :
           powersUpTo(std::min<int64_t>(problem.outHeight, 8), 1))
        tiles.push_back({std::min(rows, problem.outHeight), columns});
  return tiles;
}

std::optional<CubeTiling> CubeTiling::choose(const CubeProblem &problem,
                                             const hw::DeviceRecord &device) {
  std::optional<CubeTiling> best;
  double bestCycles = 0;
  auto consider = [&](const CubeTiling &tiling) {
    if (!tiling.fits(problem, device))
      return false;
    double cycles = tiling.estimateCycles(problem, device);
    if (!best || cycles < bestCycles) {
      best = tiling;
      bestCycles = cycles;
    }
    return true;
  };
  constexpr int64_t maxPixels = 4095;
  for (auto [rows, columns] : pixelTiles(problem)) {
    if (rows * columns > maxPixels)
      continue;
    for (int64_t channels : powersUpTo(problem.outChannels, 16))
      for (int64_t blocks : powersUpTo(problem.channelBlocks(), 1))
        for (int64_t depth : powersUpTo(blocks * problem.taps(), 1))
          for (int64_t accumulators : {2, 1}) {
            CubeTiling tiling;
            tiling.rows = rows;
            tiling.columns = columns;
            tiling.channels = std::min<int64_t>(
                channels, llvm::alignTo(problem.outChannels, 16));
            tiling.channelBlocks = std::min(blocks, problem.channelBlocks());
            tiling.depthBlocks =
                std::min(depth, tiling.channelBlocks * problem.taps());
            tiling.accumulators = accumulators;
            consider(tiling);
          }
  }
  return best;
}
